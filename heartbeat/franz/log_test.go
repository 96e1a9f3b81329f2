package franz

import (
	"bytes"
	"context"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/heartbeat"
)

// The log of a member says which partitions come and go, in one line for each event: a cooperative member releases only what
// it must, and nothing is said where nothing is released.
func TestTheLogNamesPartitions(t *testing.T) {
	for name, test := range map[string]struct {
		balancer kgo.GroupBalancer
		want     []string
	}{
		"cooperative": {kgo.CooperativeStickyBalancer(), []string{
			`assigned added="t[0 1]" removed="" owned="t[0 1]"`,
			`assigned added="" removed=t[.] owned=t[.]`,
			`assigned added="" removed="" owned=t[.]`,
			`"lost partitions" removed=t[.]`,
			`assigned added=t[.] removed="" owned=t[.]`,
			`revoked removed=t[.]`,
		}},
		"eager": {kgo.RangeBalancer(), []string{
			`assigned added="t[0 1]" removed="" owned="t[0 1]"`,
			`revoked removed="t[0 1]"`,
			`assigned added=t[.] removed="" owned=t[.]`,
			`"lost partitions" removed=t[.]`,
			`assigned added=t[.] removed="" owned=t[.]`,
			`revoked removed=t[.]`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(t)
				cluster := n.cluster(1, kfake.SeedTopics(2, "t"))
				cl := n.client()
				var log bytes.Buffer
				member := func(opts ...heartbeat.Option) *ConsumerMember {
					m, err := newConsumer(t, cl, []string{"t"}, test.balancer).
						NewMember(heartbeat.Config{Group: "g"}, New(cl), ConsumerCallbacks{}, opts...)
					require.NoError(t, err)
					go func() {
						for m.Poll(context.Background()) != heartbeat.ErrClosed {
							select {
							case <-m.Wants():
							case <-m.Done():
							}
						}
					}()
					return m
				}
				a := member(heartbeat.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
				time.Sleep(10 * time.Second)
				b := member()
				time.Sleep(20 * time.Second)
				once := true
				cluster.ControlKey(kmsg.Heartbeat.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) {
					forgotten := once && r.(*kmsg.HeartbeatRequest).MemberID == a.Status().Member
					if !forgotten {
						cluster.KeepControl()
						return nil, nil, false
					}
					once = false
					answer := r.ResponseKind().(*kmsg.HeartbeatResponse)
					answer.ErrorCode = 25
					return answer, nil, true
				})
				time.Sleep(2 * time.Minute)
				require.NoError(t, a.Close(t.Context()))
				require.NoError(t, b.Close(t.Context()))
				require.Equal(t, test.want, partitionLines(log.String()))
			})
		})
	}
}

// onePartition is which of the two a member gets, which hangs on member ids, and those are random.
var onePartition = regexp.MustCompile(`t\[\d\]`)

// partitionLines is the lines of a log about partitions: what has happened, and to which.
func partitionLines(log string) []string {
	var lines []string
	for line := range strings.Lines(log) {
		if !strings.Contains(line, "removed=") {
			continue
		}
		_, rest, _ := strings.Cut(line, "msg=")
		message, _, _ := strings.Cut(rest, " group=")
		from, to := strings.Index(rest, "added="), strings.Index(rest, "owned=")
		if from < 0 {
			from = strings.Index(rest, "removed=")
		}
		end := len(rest)
		for _, next := range []string{" protocol=", " reason=", " rule=", " took="} {
			if i := strings.Index(rest, next); i > max(from, to) {
				end = min(end, i)
			}
		}
		lines = append(lines, onePartition.ReplaceAllString(message+" "+strings.TrimSpace(rest[from:end]), "t[.]"))
	}
	return lines
}
