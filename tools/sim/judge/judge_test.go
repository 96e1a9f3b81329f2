package judge

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// scene is a group that is told of by hand.
type scene struct {
	*Judge
	at time.Duration
}

func newScene(members ...string) *scene {
	s := &scene{Judge: New(Settings{})}
	for _, m := range members {
		s.see(Event{Member: m, Kind: Born, Config: &heartbeat.Config{
			SessionTimeout: 10 * time.Second, HeartbeatInterval: 3 * time.Second, MaxPollInterval: 30 * time.Second,
			RetryBackoff: 100 * time.Millisecond, RetryBackoffMax: time.Second, RequestTimeout: 15 * time.Second,
		}})
	}
	return s
}

func (s *scene) see(e Event) {
	e.At = s.at
	s.See(e)
}

// joins brings a member into a generation, and its application to work on a partition.
func (s *scene) joins(member, id string, generation, partition int32) {
	s.see(Event{Member: member, Kind: Sent, API: classic.InputJoinGroup, Request: 1})
	s.see(Event{Member: member, Kind: Answered, API: classic.InputJoinGroup, Request: 1, Who: Identity{id, generation}})
	s.see(Event{Member: member, Kind: Fired, Rule: classic.DecideJoinGroup(classic.Memory{State: classic.PreparingRebalance}, classic.CodeNone, classic.JoinGroupGuards{Leader: true}),
		Request: 1, From: classic.PreparingRebalance, To: classic.CompletingRebalance})
	s.see(Event{Member: member, Kind: CallbackBegun, Callback: heartbeat.CallbackAssigned, Who: Identity{id, generation}})
	s.see(Event{Member: member, Kind: Holds, Partitions: []Partition{{"t", partition}}})
	s.see(Event{Member: member, Kind: CallbackEnded, Callback: heartbeat.CallbackAssigned})
}

func (s *scene) invariants() (found []Invariant) {
	for _, v := range s.Violations() {
		found = append(found, v.Invariant)
	}
	return found
}

func TestOneGenerationHasOneOwner(t *testing.T) {
	s := newScene("m1", "m2")
	s.joins("m1", "a", 4, 0)
	s.joins("m2", "b", 4, 1)
	require.Empty(t, s.Violations())
	s = newScene("m1", "m2")
	s.joins("m1", "a", 4, 0)
	s.joins("m2", "b", 4, 0)
	require.Equal(t, []Invariant{OneOwner}, s.invariants())
	require.Contains(t, s.Violations()[0].String(), "one_owner at 0.000s: m1: works on t-0 in generation 4, and so does m2")
}

func TestALaterGenerationOpensAWindow(t *testing.T) {
	s := newScene("m1", "m2")
	s.joins("m1", "a", 4, 0)
	s.at = time.Second
	s.joins("m2", "b", 5, 0)
	s.at = 2 * time.Second
	s.see(Event{Member: "m1", Kind: Killed})
	require.Empty(t, s.Violations())
	require.Equal(t, Window{Kind: WindowUnaware, Count: 1, Longest: time.Second, Total: time.Second}, s.Windows()[0])
}

// A member that joins sends no heartbeats, so that it does not learn by them; what its JoinGroup claims it goes on to work
// on until that is answered. One that sends heartbeats knows within its session.
func TestAMemberThatJoinsLearnsLate(t *testing.T) {
	for joins, want := range map[bool][]Invariant{true: nil, false: {OneOwner}} {
		s := newScene("m1", "m2")
		s.joins("m1", "a", 4, 0)
		if joins {
			s.see(Event{Member: "m1", Kind: Fired, Rule: classic.DecideJoinTurn(classic.Memory{}, classic.JoinTurnGuards{}), From: classic.Stable, To: classic.PreparingRebalance})
		}
		s.at = time.Second
		s.joins("m2", "b", 5, 0)
		s.at = time.Minute
		s.see(Event{Member: "m1", Kind: Holds})
		var owners []Invariant
		for _, i := range s.invariants() {
			if i == OneOwner {
				owners = append(owners, i)
			}
		}
		require.Equal(t, want, owners, "joins: %t", joins)
	}
}

// What the application had asked for before a pause leaves after it, whatever the member will find then; heartbeats do not.
func TestACommitMayLeaveLateAfterAPause(t *testing.T) {
	for api, want := range map[classic.Input]bool{classic.InputOffsetCommit: true, classic.InputHeartbeat: false} {
		s := newScene("m1")
		s.joins("m1", "a", 4, 0)
		s.see(Event{Member: "m1", Kind: Paused})
		s.at = time.Minute
		s.see(Event{Member: "m1", Kind: Resumed})
		s.see(Event{Member: "m1", Kind: Sent, API: api, Request: 2, Who: Identity{"a", 4}})
		require.Equal(t, want, len(s.Violations()) == 0, "%s: %v", api, s.Violations())
	}
}

// What leaves without a rule that has sent it is a fault, though it carries who the member is.
func TestARequestNeedsARule(t *testing.T) {
	for kind, want := range map[Kind][]Invariant{Sent: nil, Stray: {IdentityByRules}} {
		s := newScene("m1")
		s.joins("m1", "a", 4, 0)
		s.see(Event{Member: "m1", Kind: kind, API: classic.InputHeartbeat, Who: Identity{"a", 4}})
		require.Equal(t, want, s.invariants(), kind)
	}
}

// Of two processes with one instance id the elder is the one whose place was taken, whichever was born first.
func TestWhoIsReplaced(t *testing.T) {
	s := newScene("m1", "m2")
	for _, m := range s.lives {
		config := *m.config
		config.InstanceID = "i"
		m.config = &config
	}
	s.joins("m2", "a", 4, 0)
	s.at = time.Second
	s.joins("m1", "b", 4, 0)
	require.Empty(t, s.Violations())
	s.at = 50 * time.Second
	s.see(Event{Member: "m1", Kind: Holds})
	found := s.Violations()
	require.Contains(t, found[len(found)-1].String(), "m2: has worked on t-0 beside m1 for 49s")
}
