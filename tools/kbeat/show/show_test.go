package show

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/kbeat/event"
)

// collected is the events of a show.
type collected struct {
	mu     sync.Mutex
	events []event.Event
}

func (c *collected) emit(e event.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.Time = time.Now()
	c.events = append(c.events, e)
}

// acts are the events from each announcement to the next.
func (c *collected) acts() map[string][]event.Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := map[string][]event.Event{}
	act := ""
	for _, e := range c.events {
		if e.Kind == event.Act {
			act = e.Act
		}
		found[act] = append(found[act], e)
	}
	return found
}

func config(seed uint64, members int) Config {
	return Config{
		Group: "g", Topic: "t", Partitions: 12, Members: members, Seed: seed,
		Balancers: []kgo.GroupBalancer{kgo.CooperativeStickyBalancer()},
		Member:    heartbeat.Config{SessionTimeout: 4 * time.Second, HeartbeatInterval: 300 * time.Millisecond, MaxPollInterval: 4 * time.Second},
	}
}

// expected is, for each act, a decision that it must lead to.
var expected = map[string]struct {
	input classic.Input
	code  classic.Code
	to    classic.State
}{
	"start":               {classic.InputJoinGroup, classic.CodeMemberIDRequired, classic.PreparingRebalance},
	"member_joins":        {classic.InputHeartbeat, classic.CodeRebalanceInProgress, classic.Stable},
	"coordinator_moves":   {classic.InputHeartbeat, classic.CodeNotCoordinator, classic.Stable},
	"old_generation":      {classic.InputHeartbeat, classic.CodeIllegalGeneration, classic.Unjoined},
	"removed":             {classic.InputHeartbeat, classic.CodeUnknownMemberID, classic.Unjoined},
	"death":               {classic.InputHeartbeat, classic.CodeRebalanceInProgress, classic.Stable},
	"slow_application":    {classic.InputHeartbeatTurn, classic.CodeNone, classic.Unjoined},
	"application_returns": {classic.InputJoinGroup, classic.CodeMemberIDRequired, classic.PreparingRebalance},
	"second_instance":     {classic.InputHeartbeat, classic.CodeFencedInstanceID, classic.Unjoined},
	"member_leaves":       {classic.InputReleased, classic.CodeNone, classic.Unjoined},
}

func TestEveryActLeadsToItsRuleAndThenToRest(t *testing.T) {
	for _, members := range []int{2, 3, 6} {
		for seed := range uint64(3) {
			t.Run(fmt.Sprintf("%d members, seed %d", members, seed), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var c collected
					began := time.Now()
					problems, err := Run(t.Context(), config(seed, members), c.emit)
					require.NoError(t, err)
					require.Empty(t, problems)
					require.Less(t, time.Since(began), 30*time.Second)
					acts := c.acts()
					for name, want := range expected {
						if name == "member_leaves" && members == LeastMembers {
							continue // nobody would be left
						}
						require.True(t, slices.ContainsFunc(acts[name], func(e event.Event) bool {
							return e.Kind == event.Rule && e.Input == want.input.String() &&
								(e.Code == "" || e.Code == want.code.String()) && e.State == want.to.String() && e.At != ""
						}), "act %q leads to no %s %s → %s; it has %v", name, want.input, want.code, want.to, rules(acts[name]))
						settled := acts[name][len(acts[name])-1]
						for settled.Kind == event.End { // of those who live until the end, after the last act
							acts[name] = acts[name][:len(acts[name])-1]
							settled = acts[name][len(acts[name])-1]
						}
						require.Equal(t, event.Settled, settled.Kind, "the last event of act %q", name)
						requireOwnedOnce(t, settled, 12)
					}
				})
			})
		}
	}
}

func rules(events []event.Event) (found []string) {
	for _, e := range events {
		if e.Kind == event.Rule && e.Code != classic.CodeNone.String() {
			found = append(found, e.Member+" "+e.Rule)
		}
	}
	return found
}

func requireOwnedOnce(t *testing.T, settled event.Event, partitions int) {
	t.Helper()
	var all []int32
	for _, owned := range settled.Owners {
		all = append(all, owned["t"]...)
	}
	slices.Sort(all)
	var want []int32
	for p := range partitions {
		want = append(want, int32(p))
	}
	require.Equal(t, want, all, "of %v", settled.Owners)
}

// What happens to one member must not be seen in another's end.
func TestTheEndsOfMembers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c collected
		_, err := Run(t.Context(), config(1, 3), c.emit)
		require.NoError(t, err)
		ends, after := map[string][]event.Event{}, map[string]int{}
		for _, e := range c.events {
			if n := len(ends[e.Member]); n > 0 {
				after[e.Member]++
			}
			if e.Kind == event.End {
				ends[e.Member] = append(ends[e.Member], e)
			}
		}
		texts := map[string]int{}
		for member, e := range ends {
			require.Len(t, e, 1, "%s ends once", member)
			require.Zero(t, after[member], "%s is heard of after its end", member)
			require.NotZero(t, e[0].Tally.Sent, "heartbeats of %s", member)
			require.GreaterOrEqual(t, e[0].Tally.Sent, e[0].Tally.Answered)
			texts[e[0].Text]++
			switch e[0].Text {
			case "gave up":
				require.NotEmpty(t, e[0].Error)
				require.Equal(t, classic.Unjoined.String(), e[0].State)
			default:
				require.Empty(t, e[0].Error)
				require.Equal(t, classic.Stable.String(), e[0].State)
				require.NotEmpty(t, e[0].Partitions["t"])
			}
		}
		require.Equal(t, map[string]int{"alive": 2, "died": 1, "gave up": 1, "left": 1}, texts)
	})
}

func TestEveryBalancer(t *testing.T) {
	for _, b := range []kgo.GroupBalancer{kgo.RangeBalancer(), kgo.RoundRobinBalancer(), kgo.StickyBalancer()} {
		t.Run(b.ProtocolName(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := config(1, 3)
				c.Balancers = []kgo.GroupBalancer{b}
				var seen collected
				problems, err := Run(t.Context(), c, seen.emit)
				require.NoError(t, err)
				require.Empty(t, problems)
			})
		})
	}
}

func TestALongShow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := config(7, 3)
		c.For = 5 * time.Minute
		var seen collected
		began := time.Now()
		problems, err := Run(t.Context(), c, seen.emit)
		require.NoError(t, err)
		require.Empty(t, problems)
		require.GreaterOrEqual(t, time.Since(began), c.For)
		count := map[string]int{}
		for _, e := range seen.events {
			count[e.Act]++
		}
		for name := range expected {
			if name != "start" {
				require.Greater(t, count[name], 1, "act %q is played again: %v", name, count)
			}
		}
	})
}

// selfish gives nothing away of one partition.
type selfish struct{ kgo.GroupBalancer }

func (b selfish) MemberBalancer(members []kmsg.JoinGroupResponseMember) (kgo.GroupMemberBalancer, map[string]struct{}, error) {
	balancer, topics, err := b.GroupBalancer.MemberBalancer(members)
	return selfishPlan{balancer}, topics, err
}

type selfishPlan struct{ kgo.GroupMemberBalancer }

func (p selfishPlan) BalanceOrError(topics map[string]int32) (kgo.IntoSyncAssignment, error) {
	return p.GroupMemberBalancer.(kgo.GroupMemberBalancerOrError).BalanceOrError(map[string]int32{"t": topics["t"] - 1})
}

func TestAGroupThatDoesNotComeToRestIsFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := config(1, 3)
		c.Balancers = []kgo.GroupBalancer{selfish{kgo.RangeBalancer()}}
		var seen collected
		problems, err := Run(t.Context(), c, seen.emit)
		require.NoError(t, err)
		require.Contains(t, problems, "nobody owns t 11")
		require.Contains(t, problems[0], "start: not so after 28s: the group comes to rest")
	})
}

// Wherever a show is interrupted, it ends soon and leaves nothing running: synctest would not return.
func TestAShowThatIsInterrupted(t *testing.T) {
	stop := errors.New("stop")
	for after := time.Duration(0); after < 16*time.Second; after += 777 * time.Millisecond {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(after, func() { cancel(stop) })
			var seen collected
			_, err := Run(ctx, config(1, 3), seen.emit)
			ended := time.Now()
			synctest.Wait()
			require.ErrorIs(t, err, stop, "after %s", after)
			require.Less(t, time.Since(ended), time.Second)
		})
	}
}
