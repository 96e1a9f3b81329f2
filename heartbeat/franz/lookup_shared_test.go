package franz

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// In an outage in which one of three brokers hangs, the others go on naming it as the coordinator, and each member asks
// again at the pauses of its own. What that may cost does not depend on the number of members.
func TestLookupsInAnOutageAreFew(t *testing.T) {
	for members := range 8 {
		for hung := range int32(4) {
			t.Run(fmt.Sprintf("%d members, broker %d hangs", members+1, hung), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					n := newNetwork(t)
					c := newBrokers(n, 3)
					transport := c.transport()
					if hung > 0 {
						c.stop(hung)
						c.answers(hung, classic.CodeNone)
					}
					const outage = time.Minute
					began := time.Now()
					var all sync.WaitGroup
					for m := range members + 1 {
						all.Go(func() {
							random := rand.New(rand.NewPCG(uint64(m), uint64(hung)))
							time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond)
							for i := 0; time.Since(began) < outage; i++ {
								r := find(t, transport)
								require.Equal(t, classic.CodeNone, r.Code, "%v", r.Err)
								pauses := []time.Duration{200, 400, 800, 1600, 2000}
								pause := pauses[min(i, len(pauses)-1)] * time.Millisecond
								time.Sleep(time.Duration(float64(pause) * (0.8 + 0.4*random.Float64())))
							}
						})
					}
					all.Wait()
					var soon int
					for _, at := range c.asked {
						if at.Sub(began) < 2*time.Second {
							soon++
						}
					}
					require.LessOrEqual(t, soon, 4, "FindCoordinators in the first 2 s")
					require.LessOrEqual(t, len(c.asked), int(outage/time.Second)/2, "FindCoordinators in a minute")
					if hung > 0 {
						require.LessOrEqual(t, c.lookups(hung), 2, "FindCoordinators to the broker that hangs")
					}
				})
			})
		}
	}
}

// Members of a group share a lookup; each waits for it as long as it wants.
func TestMembersShareALookup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		c := newBrokers(n, 1)
		transport := c.transport()
		c.stop(1)
		began := time.Now()
		ends := make(chan heartbeat.Response)
		for id := range uint64(5) {
			go func() {
				r := lookUp
				r.ID = id
				end := transport.Send(t.Context(), r)
				require.Equal(t, id, end.ID)
				ends <- end
			}()
		}
		synctest.Wait()
		require.Equal(t, 1+1, c.lookups(0))

		cancelled, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		r := transport.Send(cancelled, lookUp)
		require.Equal(t, classic.CodeDisconnect, r.Code)
		require.ErrorIs(t, r.Err, context.Canceled)
		require.Equal(t, 100*time.Millisecond, time.Since(began))
		impatient := lookUp
		impatient.Timeout = 100 * time.Millisecond
		r = transport.Send(t.Context(), impatient)
		require.Equal(t, classic.CodeDisconnect, r.Code)
		require.ErrorContains(t, r.Err, "FindCoordinator to any broker was not answered: no answer from localhost:9001 for 200ms: ")
		require.Equal(t, 200*time.Millisecond, time.Since(began))

		time.Sleep(200 * time.Millisecond)
		c.goOn(1)
		for range 5 {
			r := <-ends
			require.Equal(t, classic.CodeNone, r.Code, "%v", r.Err)
			require.Equal(t, int32(1), r.Node)
		}
		require.Equal(t, 400*time.Millisecond, time.Since(began))
		require.Equal(t, 1+1, c.lookups(0), "all of them share one lookup")
	})
}

// Groups do not share what they ask.
func TestGroupsAreLookedUpApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		c := newBrokers(n, 1)
		transport := c.transport()
		for i := range 5 {
			r := lookUp
			r.Group = fmt.Sprint("group ", i)
			require.Equal(t, classic.CodeNone, transport.Send(t.Context(), r).Code)
		}
		require.Equal(t, 1+5, c.lookups(0))
	})
}

// A broker that is silent for half a second is left to answer later. That answer closes nothing, and the broker is asked
// again only when it has come.
func TestALateAnswerToALookup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		c := newBrokers(n, 2)
		transport := c.transport(kgo.RequestTimeoutOverhead(time.Minute), kgo.ConnIdleTimeout(15*time.Minute))
		find(t, transport)
		last, other := int32(1), int32(2) // that was asked, and so is the one to be asked
		if c.lookups(2) > 0 {
			last, other = 2, 1
		}
		time.Sleep(time.Minute)
		c.stop(last)
		c.answers(other, classic.CodeNone)
		began := time.Now()
		r := find(t, transport)
		require.Equal(t, classic.CodeNone, r.Code, "%v", r.Err)
		require.Equal(t, overdue, time.Since(began))
		asked := c.lookups(last)
		connections := c.stubs[last-1].connections()
		for range 5 {
			time.Sleep(5 * time.Second)
			require.Equal(t, other, find(t, transport).Node)
		}
		require.Equal(t, asked, c.lookups(last), "it still owes its answer")
		c.goOn(last)
		time.Sleep(time.Minute)
		c.stop(other)
		require.Equal(t, classic.CodeNone, find(t, transport).Code)
		require.Equal(t, asked+1, c.lookups(last), "it answers again")
		require.Equal(t, connections, c.stubs[last-1].connections(), "a late answer has cost the connection")
	})
}

// The coordinator that leaves heartbeats unanswered is not the one to ask for the coordinator.
func TestALookupPassesOverASilentCoordinator(t *testing.T) {
	for coordinator := int32(1); coordinator <= 3; coordinator++ {
		synctest.Test(t, func(t *testing.T) {
			n := newNetwork(t)
			c := newBrokers(n, 3)
			c.answers(coordinator, classic.CodeNone)
			transport := c.transport()
			r := beat(20 * time.Second)
			r.Node = coordinator
			require.Equal(t, classic.CodeNone, transport.Send(t.Context(), r).Code)
			before := c.lookups(coordinator)
			c.stop(coordinator)
			go transport.Send(t.Context(), r)
			time.Sleep(time.Second)
			began := time.Now()
			require.Equal(t, classic.CodeNone, find(t, transport).Code)
			require.Zero(t, time.Since(began))
			require.Equal(t, before, c.lookups(coordinator))
			time.Sleep(time.Minute)
		})
	}
}

// The coordinator that holds a JoinGroup or a SyncGroup is not the one to ask whether it still is the coordinator: cut off from
// the others, it goes on naming itself.
func TestALookupPassesOverABrokerThatHoldsTheJoin(t *testing.T) {
	for _, api := range []classic.Input{classic.InputJoinGroup, classic.InputSyncGroup} {
		for coordinator := int32(1); coordinator <= 3; coordinator++ {
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(t)
				c := newBrokers(n, 3)
				c.answers(coordinator, classic.CodeNone)
				transport := c.transport()
				c.stop(coordinator)
				ctx, cancel := context.WithCancel(t.Context())
				go transport.Send(ctx, heartbeat.Request{API: api, Node: coordinator, Timeout: time.Minute, Group: "g"})
				time.Sleep(10 * time.Millisecond)
				before := c.lookups(coordinator)
				for range 3 {
					require.Equal(t, classic.CodeNone, find(t, transport).Code)
					time.Sleep(10 * time.Second)
				}
				require.Equal(t, before, c.lookups(coordinator))
				cancel()
				time.Sleep(time.Second)
				transport.mu.Lock()
				defer transport.mu.Unlock()
				require.Empty(t, transport.holding)
			})
		}
	}
}

// A code counts when no other broker can still name the coordinator.
func TestALookupThatIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		c := newBrokers(n, 3)
		transport := c.transport()
		c.answers(-1, classic.CodeCoordinatorNotAvailable)
		began := time.Now()
		require.Equal(t, classic.CodeCoordinatorNotAvailable, find(t, transport).Code)
		require.Zero(t, time.Since(began))
		require.Len(t, c.asked, 1, "nobody else is asked")

		time.Sleep(time.Minute)
		for node := range int32(3) {
			c.stop(node + 1)
		}
		began = time.Now()
		time.AfterFunc(700*time.Millisecond, func() { // two have been asked
			for node := range int32(3) {
				c.goOn(node + 1)
			}
		})
		require.Equal(t, classic.CodeCoordinatorNotAvailable, find(t, transport).Code)
		require.Equal(t, 700*time.Millisecond, time.Since(began))
		require.Len(t, c.asked, 3)
	})
}

// A code is not kept back for a broker that hangs.
func TestALookupThatIsRefusedBesideAHungBroker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		c := newBrokers(n, 3)
		transport := c.transport()
		require.Equal(t, classic.CodeNone, find(t, transport).Code)
		time.Sleep(time.Minute)
		before := c.lookups(0)
		for node := range int32(3) { // of those that have answered; they come first
			if c.lookups(node+1) > 0 {
				c.stop(node + 1)
			}
		}
		c.answers(-1, classic.CodeCoordinatorNotAvailable)
		began := time.Now()
		require.Equal(t, classic.CodeCoordinatorNotAvailable, find(t, transport).Code)
		require.Less(t, time.Since(began), 2*time.Second)
		require.Equal(t, time.Duration(c.lookups(0)-before-1)*overdue, time.Since(began))
	})
}

// A lookup waits for longer and longer while the answers stay the same; another answer is news, and the group is asked for
// again at once.
func TestLookupsWaitWhileTheAnswersStayTheSame(t *testing.T) {
	const ms = time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		c := newBrokers(n, 1)
		transport := c.transport()
		began := time.Now()
		at := func() (offsets []time.Duration) {
			for _, a := range c.asked {
				offsets = append(offsets, a.Sub(began))
			}
			return offsets
		}
		poll := func(until time.Duration) {
			for time.Since(began) < until {
				find(t, transport)
				time.Sleep(50 * time.Millisecond)
			}
		}
		poll(7500 * time.Millisecond)
		require.Equal(t, []time.Duration{0, 50 * ms, 550 * ms, 1800 * ms, 3800 * ms, 5800 * ms, 7800 * ms}, at())
		poll(30 * time.Second)
		require.Equal(t, []time.Duration{21800 * ms, 24300 * ms, 26800 * ms, 29300 * ms, 31800 * ms}, at()[13:], "a long outage")
		c.answers(2, classic.CodeNone)
		poll(34900 * time.Millisecond)
		require.Equal(t, []time.Duration{34300 * ms, 34350 * ms, 34850 * ms}, at()[18:])

		time.Sleep(forgetAfter)
		for range 8 { // as often as a coordinator that is silent is looked up
			time.Sleep(2 * time.Second)
			find(t, transport)
		}
		time.Sleep(100 * ms)
		before, lost := len(at()), time.Since(began)
		poll(lost + 500*ms)
		require.Equal(t, []time.Duration{lost, lost + 500*ms}, at()[before:], "the pauses have not grown")

		time.Sleep(forgetAfter)
		transport.lookups.mu.Lock()
		defer transport.lookups.mu.Unlock()
		require.Empty(t, transport.lookups.recent)
		require.Empty(t, transport.lookups.open)
	})
}

// Answers that name no coordinator are no news, whatever they say.
func TestLookupsThatFailAreFew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		c := newBrokers(n, 3)
		transport := c.transport()
		began := time.Now()
		soon := 0
		for i := 0; time.Since(began) < time.Minute; i++ {
			c.answers(-1, []classic.Code{classic.CodeCoordinatorNotAvailable, classic.CodeCoordinatorLoadInProgress}[i%2])
			require.NotEqual(t, classic.CodeNone, find(t, transport).Code)
			time.Sleep(20 * time.Millisecond)
			if time.Since(began) < 2*time.Second {
				soon = i + 1
			}
		}
		require.LessOrEqual(t, soon, 4, "lookups in the first 2 s")
		require.LessOrEqual(t, len(c.asked), 30*3, "FindCoordinators in a minute: each lookup asks all three")
	})
}
