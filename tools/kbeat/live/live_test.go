package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/kbeat/event"
)

// rig is a cluster with topic "t", and what is told of the members on it.
type rig struct {
	t       *testing.T
	network *kfake.VirtualNetwork
	cluster *kfake.Cluster

	mu     sync.Mutex
	events []event.Event
	said   []string
}

func newRig(t *testing.T) *rig {
	network := new(kfake.VirtualNetwork)
	cluster, err := kfake.NewCluster(kfake.Ports(9001, 9002), kfake.ListenFn(network.Listen), kfake.SeedTopics(4, "t"))
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	return &rig{t: t, network: network, cluster: cluster}
}

func (r *rig) config(members int) Config {
	return Config{
		Brokers: r.cluster.ListenAddrs(), Client: []kgo.Opt{kgo.Dialer(r.network.DialContext)},
		Topics: []string{"t"}, Members: members, Member: heartbeat.Config{Group: "g"}, StartTimeout: 10 * time.Second,
	}
}

func (r *rig) emit(e event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

func (r *rig) say(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said = append(r.said, text)
}

func (r *rig) spoken() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.said
}

func (r *rig) of(kind event.Kind) (found []event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		if e.Kind == kind {
			found = append(found, e)
		}
	}
	slices.SortStableFunc(found, func(a, b event.Event) int { return strings.Compare(a.Member, b.Member) })
	return found
}

// outcome is how a Run ended, and when.
type outcome struct {
	problems []string
	err      error
	took     time.Duration
}

// start is a Run in the background.
func (r *rig) start(c Config) (stop context.CancelFunc, ended <-chan outcome) {
	ctx, cancel := context.WithCancel(r.t.Context())
	done := make(chan outcome, 1)
	go func() { done <- r.run(ctx, c) }()
	return cancel, done
}

func (r *rig) run(ctx context.Context, c Config) outcome {
	began := time.Now()
	problems, err := Run(ctx, c, r.emit, r.say)
	return outcome{problems, err, time.Since(began)}
}

// members are those that the broker knows of.
func (r *rig) members() int {
	if g := r.cluster.GroupInfo("g"); g != nil {
		return len(g.Members)
	}
	return 0
}

func TestMembersComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		stop, ended := r.start(r.config(3))
		time.Sleep(time.Hour)
		require.Equal(t, 3, r.members())
		stop()
		end := <-ended
		require.NoError(t, end.err)
		require.Empty(t, end.problems)
		require.Less(t, end.took, time.Hour+time.Second, "who says goodbye waits for nobody")
		require.Zero(t, r.members())
		for i, e := range r.of(event.End) {
			require.Equal(t, fmt.Sprintf("m%d", i+1), e.Member)
			require.Equal(t, "left", e.Text)
			require.Equal(t, classic.Stable.String(), e.State)
		}
		require.Empty(t, r.spoken())
	})
}

func TestStaticMembersKeepTheirPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		c := r.config(2)
		c.Member.InstanceID = "i"
		stop, ended := r.start(c)
		time.Sleep(time.Minute)
		stop()
		require.NoError(t, (<-ended).err)
		ends := r.of(event.End)
		require.Len(t, ends, 2)
		require.Equal(t, []string{"i-1", "i-2"}, []string{ends[0].Instance, ends[1].Instance})
		require.Equal(t, "keeps its place", ends[0].Text)
		require.Equal(t, 2, r.members(), "for the session timeout")
		time.Sleep(time.Minute)
		require.Zero(t, r.members())
	})
}

func TestALookAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		c := r.config(2)
		c.For = time.Minute
		end := r.run(t.Context(), c)
		require.NoError(t, end.err)
		require.Empty(t, end.problems)
		require.InDelta(t, time.Minute, end.took, float64(time.Second))
		settled := r.of(event.Settled)
		require.Len(t, settled, 1)
		require.Len(t, settled[0].Owners["m1"]["t"], 2)
		require.Len(t, settled[0].Owners["m2"]["t"], 2)
		require.Positive(t, settled[0].Generation)
		require.Zero(t, r.members())
	})
}

func TestALookAtAGroupThatIsNotWell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.JoinGroup}, Group: "g", Err: kerr.CoordinatorLoadInProgress, Count: -1})
		c := r.config(1)
		c.For = time.Minute
		end := r.run(t.Context(), c)
		require.NoError(t, end.err)
		require.Len(t, end.problems, 1)
		require.Contains(t, end.problems[0], `group "g" cannot be described: `, "there is none")
		require.Empty(t, r.of(event.Settled))
		require.Len(t, r.spoken(), 1)
		require.Equal(t, "m1 has not joined after 10s: JoinGroup was answered with COORDINATOR_LOAD_IN_PROGRESS; it goes on trying", r.spoken()[0])
	})
}

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
			said:   "no broker answers yet: FindCoordinator to any broker was not sent: unable to dial: no listener on port 1; trying for 10s",
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

// When one member fails, the others leave: the process is to end.
func TestOneFailsAndAllLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		c := r.config(2)
		c.Member.InstanceID = "i"
		_, ended := r.start(c)
		time.Sleep(time.Minute)
		second := r.config(1)
		second.Member.InstanceID = "i-2"
		stop, secondEnded := r.start(second)
		end := <-ended
		var member *MemberError
		require.ErrorAs(t, end.err, &member)
		require.Equal(t, "m2", member.Name)
		var decided *heartbeat.Error
		require.ErrorAs(t, end.err, &decided)
		require.Equal(t, classic.CodeFencedInstanceID, decided.Code)
		stop()
		<-secondEnded
	})
}

// A coordinator that does not answer is not waited for for ever, and is told of.
func TestAGoodbyeThatNobodyHears(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		stop, ended := r.start(r.config(1))
		time.Sleep(time.Minute)
		r.cluster.ControlKey(kmsg.LeaveGroup.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) { return nil, nil, true })
		stop()
		end := <-ended
		require.NoError(t, end.err)
		require.Len(t, end.problems, 1)
		require.Contains(t, end.problems[0], "m1: the group may learn only by the session timeout that it has left: ")
		require.Equal(t, time.Minute+leaveTimeout, end.took)
	})
}

// Wherever a run is stopped, it ends soon and leaves nothing running: synctest would not return.
func TestStoppedAtAnyTime(t *testing.T) {
	for _, broken := range []bool{false, true} {
		for after := time.Duration(0); after < 4*time.Second; after += 333 * time.Millisecond {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				c := r.config(2)
				if broken {
					c.Brokers = []string{"localhost:1"}
				}
				stop, ended := r.start(c)
				time.Sleep(after)
				stop()
				end := <-ended
				require.LessOrEqual(t, end.took, after+leaveTimeout, "kfake never answers the JoinGroup of a member that has left")
				if end.err != nil {
					require.ErrorIs(t, end.err, context.Canceled)
				}
			})
		}
	}
}

// errFull is a disk's.
var errFull = errors.New("no space left")

func noTrace(string) (io.Writer, error) { return nil, errFull }
