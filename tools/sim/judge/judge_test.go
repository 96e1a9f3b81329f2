package judge

import (
	"slices"
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

// beats lets a heartbeat of a member be answered well.
func (s *scene) beats(member string, request uint64, who Identity) {
	s.see(Event{Member: member, Kind: Sent, API: classic.InputHeartbeat, Request: request, Who: who})
	s.see(Event{Member: member, Kind: Answered, API: classic.InputHeartbeat, Request: request})
	s.see(Event{Member: member, Kind: Fired, Request: request, From: classic.Stable, To: classic.Stable,
		Rule: classic.DecideHeartbeat(classic.Memory{State: classic.Stable}, classic.CodeNone, classic.HeartbeatGuards{})})
}

// A member whose heartbeats are not answered does not learn that its partitions are somebody else's; one of which a heartbeat
// is answered well that it has sent since, the coordinator takes for their owner.
func TestWhoIsAnsweredWellIsTheOwner(t *testing.T) {
	for answered, want := range map[bool][]Invariant{false: nil, true: {OneOwner}} {
		s := newScene("m1", "m2")
		s.joins("m1", "a", 4, 0)
		s.at = time.Second
		s.joins("m2", "b", 5, 0)
		s.at = 2 * time.Second
		if answered {
			s.beats("m1", 2, Identity{"a", 4})
		}
		s.at = 3 * time.Second
		s.see(Event{Member: "m1", Kind: Holds})
		require.Equal(t, want, s.invariants(), "answered: %t", answered)
	}
}

// What is refused again and again is repeated with pauses, whatever is allowed to a member otherwise.
func TestRefusalsArePaced(t *testing.T) {
	for _, refused := range []bool{false, true} {
		s := newScene("m1")
		for i := range uint64(MostRefused + 1) {
			s.at += 400 * time.Millisecond
			if !refused {
				s.joins("m1", "a", int32(i), 0)
				s.see(Event{Member: "m1", Kind: Fired, From: classic.CompletingRebalance, To: classic.Stable,
					Rule: classic.DecideSyncGroup(classic.Memory{State: classic.CompletingRebalance}, classic.CodeNone, classic.SyncGroupGuards{})})
				s.see(Event{Member: "m1", Kind: CallbackBegun, Callback: heartbeat.CallbackRevoked})
				s.see(Event{Member: "m1", Kind: Holds})
				s.see(Event{Member: "m1", Kind: CallbackEnded, Callback: heartbeat.CallbackRevoked})
				continue
			}
			s.see(Event{Member: "m1", Kind: Sent, API: classic.InputJoinGroup, Request: i + 1})
			s.see(Event{Member: "m1", Kind: Answered, API: classic.InputJoinGroup, Request: i + 1, Code: classic.CodeCoordinatorLoadInProgress})
		}
		require.Equal(t, refused, slices.Contains(s.invariants(), NoSpin), "refused: %t: %v", refused, s.Violations())
	}
}

// A call that does not return in its time is seen, whether it returns later or not; what a pause takes does not count.
func TestCallsEnd(t *testing.T) {
	for _, c := range []struct {
		returns, pause time.Duration
		want           []Invariant
	}{{returns: 5 * time.Second}, {returns: 6 * time.Second, want: []Invariant{CallsEnd}}, {want: []Invariant{CallsEnd}}, {returns: 9 * time.Second, pause: 4 * time.Second}} {
		s := newScene("m1")
		s.see(Event{Member: "m1", Kind: Called, Call: CallCommit, CallID: 3, Limit: 5 * time.Second})
		s.at = time.Second
		if c.pause > 0 {
			s.see(Event{Member: "m1", Kind: Paused})
			s.at = 9 * time.Second
			s.see(Event{Member: "m1", Kind: Resumed})
		}
		if s.at = c.returns; c.returns > 0 {
			s.see(Event{Member: "m1", Kind: Returned, Call: CallCommit, CallID: 3})
		}
		s.End(time.Minute)
		require.Equal(t, c.want, s.invariants(), c)
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
	s.at = 2 * time.Second
	s.beats("m2", 2, Identity{"a", 4})
	require.Len(t, s.Violations(), 1)
	require.Contains(t, s.Violations()[0].String(), "m2: works on t-0 beside m1 since 1s")
}
