package live

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

func TestWhatIsSaidAtTheStart(t *testing.T) {
	tests := map[string]struct {
		change func(*rig, *Config)
		within time.Duration
		said   string // beforehand; "": nothing
		check  func(*testing.T, error)
	}{
		"nobody listens there": {
			change: func(_ *rig, c *Config) { c.Brokers = []string{"localhost:1"} },
			within: 11 * time.Second,
			said:   "no broker answers yet: FindCoordinator to localhost:1 was not sent: unable to dial: no listener on port 1; trying for 10s",
			check: func(t *testing.T, err error) {
				var unreachable *UnreachableError
				require.ErrorAs(t, err, &unreachable)
				require.ErrorContains(t, err, "no broker has answered at localhost:1 within 10s: ")
				require.ErrorContains(t, err, "no listener on port 1", "the last try's own end says less")
			},
		},
		"the brokers never answer": {
			change: func(r *rig, _ *Config) {
				r.cluster.ControlKey(kmsg.ApiVersions.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
					r.cluster.KeepControl()
					return nil, nil, true
				})
			},
			within: 11 * time.Second,
			said:   "no broker answers yet; trying for 10s",
			check: func(t *testing.T, err error) {
				var unreachable *UnreachableError
				require.ErrorAs(t, err, &unreachable)
			},
		},
		"the group may not be looked up": {
			change: func(r *rig, _ *Config) {
				r.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.FindCoordinator}, Err: kerr.GroupAuthorizationFailed, Count: -1})
			},
			within: time.Second,
			check: func(t *testing.T, err error) {
				var decided *heartbeat.Error
				require.ErrorAs(t, err, &decided)
				require.Equal(t, classic.CodeGroupAuthorizationFailed, decided.Code)
				require.NotNil(t, decided.Rule)
			},
		},
		"the group may not be joined": {
			change: func(r *rig, _ *Config) {
				r.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.JoinGroup}, Group: "g", Err: kerr.InvalidGroupID, Count: -1})
			},
			within: time.Second,
			check: func(t *testing.T, err error) {
				var member *MemberError
				require.ErrorAs(t, err, &member)
				require.Equal(t, "m1", member.Name)
				var decided *heartbeat.Error
				require.ErrorAs(t, err, &decided)
				require.Equal(t, classic.CodeInvalidGroupID, decided.Code)
			},
		},
		"a topic that does not exist": {
			change: func(_ *rig, c *Config) { c.Topics = []string{"t", "u"} },
			within: 3 * time.Second,
			check: func(t *testing.T, err error) {
				var topic *TopicError
				require.ErrorAs(t, err, &topic)
				require.Equal(t, "u", topic.Topic)
				require.ErrorIs(t, err, kerr.UnknownTopicOrPartition)
			},
		},
		"a config that cannot be": {
			change: func(_ *rig, c *Config) {
				c.Member.HeartbeatInterval = time.Hour
				c.Brokers = []string{"localhost:1"}
			},
			within: time.Millisecond,
			check: func(t *testing.T, err error) {
				var config *heartbeat.ConfigError
				require.ErrorAs(t, err, &config, "before any broker is asked")
			},
		},
		"a trace that cannot be written": {
			change: func(_ *rig, c *Config) { c.Trace = noTrace },
			within: time.Millisecond,
			check:  func(t *testing.T, err error) { require.ErrorIs(t, err, errFull) },
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				c := r.config(1)
				test.change(r, &c)
				end := r.run(t.Context(), c)
				test.check(t, end.err)
				require.LessOrEqual(t, end.took, test.within)
				require.Equal(t, test.said, strings.Join(r.spoken(), "\n"))
			})
		})
	}
}

// A topic that was made a moment ago is waited for.
func TestAYoungTopic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		c := r.config(1)
		c.Topics = []string{"young"}
		time.AfterFunc(time.Second, func() { _ = r.cluster.CreateTopic("young", 1, nil) })
		stop, ended := r.start(c)
		time.Sleep(time.Minute)
		require.Equal(t, 1, r.members())
		stop()
		require.NoError(t, (<-ended).err)
	})
}

// Brokers that come up late are waited for, as long as it was said.
func TestALateBroker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		c := r.config(1)
		late, err := kfake.NewCluster(kfake.Ports(9009), kfake.ListenFn(r.network.Listen), kfake.SeedTopics(1, "t"))
		require.NoError(t, err)
		late.Close()
		c.Brokers = []string{"localhost:9009"}
		stop, ended := r.start(c)
		time.Sleep(5 * time.Second)
		late, err = kfake.NewCluster(kfake.Ports(9009), kfake.ListenFn(r.network.Listen), kfake.SeedTopics(1, "t"))
		require.NoError(t, err)
		defer late.Close()
		time.Sleep(time.Minute)
		require.Len(t, late.GroupInfo("g").Members, 1)
		stop()
		require.NoError(t, (<-ended).err)
		require.Len(t, r.spoken(), 1)
	})
}

// errFull is a disk's.
var errFull = errors.New("no space left")

func noTrace(string) (io.Writer, error) { return nil, errFull }
