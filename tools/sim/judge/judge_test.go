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
	s.see(Event{Member: member, Kind: Answered, API: classic.InputJoinGroup, Request: 1, MemberID: id, Generation: generation})
	s.see(Event{Member: member, Kind: Fired, Rule: classic.DecideJoinGroup(classic.Memory{State: classic.PreparingRebalance}, classic.CodeNone, classic.JoinGroupGuards{Leader: true}),
		Request: 1, From: classic.PreparingRebalance, To: classic.CompletingRebalance})
	s.see(Event{Member: member, Kind: CallbackBegun, Callback: heartbeat.CallbackAssigned, MemberID: id, Generation: generation})
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
