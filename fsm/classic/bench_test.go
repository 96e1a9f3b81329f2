package classic_test

import (
	"testing"
	"time"

	looplab "github.com/looplab/fsm"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
)

// Each API is measured with an answer that moves the member, or loses it its coordinator. The calls are written out, since a
// call through a function value costs as much as a decision.

func BenchmarkDecide(b *testing.B) {
	b.Run("FindCoordinator", func(b *testing.B) {
		m, c := memoryIn(classic.Unjoined), classic.CodeNone
		for b.Loop() {
			classic.DecideFindCoordinator(m, c)
		}
	})
	b.Run("JoinGroup", func(b *testing.B) {
		m, c := memoryIn(classic.PreparingRebalance), classic.CodeNone
		for b.Loop() {
			classic.DecideJoinGroup(m, c, classic.JoinGroupGuards{Leader: true})
		}
	})
	b.Run("SyncGroup", func(b *testing.B) {
		m, c := memoryIn(classic.CompletingRebalance), classic.CodeNone
		for b.Loop() {
			classic.DecideSyncGroup(m, c, classic.SyncGroupGuards{})
		}
	})
	b.Run("Heartbeat", func(b *testing.B) {
		m, c := memoryIn(classic.Stable), classic.CodeIllegalGeneration
		for b.Loop() {
			classic.DecideHeartbeat(m, c, classic.HeartbeatGuards{})
		}
	})
	b.Run("OffsetCommit", func(b *testing.B) {
		m, c := memoryIn(classic.Stable), classic.CodeUnknownMemberID
		for b.Loop() {
			classic.DecideOffsetCommit(m, c, classic.OffsetCommitGuards{})
		}
	})
	b.Run("LeaveGroup", func(b *testing.B) {
		m, c := memoryIn(classic.Unjoined), classic.CodeDisconnect
		for b.Loop() {
			classic.DecideLeaveGroup(m, c, classic.LeaveGroupGuards{})
		}
	})
}

// BenchmarkHandle also reports how long looplab/fsm alone takes to move as the rule does, and how many times longer that is.
func BenchmarkHandle(b *testing.B) {
	b.Run("FindCoordinator", func(b *testing.B) {
		start, m, h := memoryIn(classic.Unjoined), memoryIn(classic.Unjoined), &handler{}
		for b.Loop() {
			m = start
			classic.HandleFindCoordinator(&m, classic.CodeNone, h)
		}
		against(b, start.State, classic.DecideFindCoordinator(start, classic.CodeNone))
	})
	b.Run("JoinGroup", func(b *testing.B) {
		start, m, h := memoryIn(classic.PreparingRebalance), memoryIn(classic.PreparingRebalance), &handler{}
		for b.Loop() {
			m = start
			classic.HandleJoinGroup(&m, classic.CodeNone, classic.JoinGroupGuards{Leader: true}, h)
		}
		against(b, start.State, classic.DecideJoinGroup(start, classic.CodeNone, classic.JoinGroupGuards{Leader: true}))
	})
	b.Run("SyncGroup", func(b *testing.B) {
		start, m, h := memoryIn(classic.CompletingRebalance), memoryIn(classic.CompletingRebalance), &handler{}
		for b.Loop() {
			m = start
			classic.HandleSyncGroup(&m, classic.CodeNone, classic.SyncGroupGuards{}, h)
		}
		against(b, start.State, classic.DecideSyncGroup(start, classic.CodeNone, classic.SyncGroupGuards{}))
	})
	b.Run("Heartbeat", func(b *testing.B) {
		start, m, h := memoryIn(classic.Stable), memoryIn(classic.Stable), &handler{}
		for b.Loop() {
			m = start
			classic.HandleHeartbeat(&m, classic.CodeIllegalGeneration, classic.HeartbeatGuards{}, h)
		}
		against(b, start.State, classic.DecideHeartbeat(start, classic.CodeIllegalGeneration, classic.HeartbeatGuards{}))
	})
	b.Run("OffsetCommit", func(b *testing.B) {
		start, m, h := memoryIn(classic.Stable), memoryIn(classic.Stable), &handler{}
		for b.Loop() {
			m = start
			classic.HandleOffsetCommit(&m, classic.CodeUnknownMemberID, classic.OffsetCommitGuards{}, h)
		}
		against(b, start.State, classic.DecideOffsetCommit(start, classic.CodeUnknownMemberID, classic.OffsetCommitGuards{}))
	})
	b.Run("LeaveGroup", func(b *testing.B) {
		start, m, h := memoryIn(classic.Unjoined), memoryIn(classic.Unjoined), &handler{}
		for b.Loop() {
			m = start
			classic.HandleLeaveGroup(&m, classic.CodeDisconnect, classic.LeaveGroupGuards{}, h)
		}
		against(b, start.State, classic.DecideLeaveGroup(start, classic.CodeDisconnect, classic.LeaveGroupGuards{}))
	})
}

func memoryIn(s classic.State) classic.Memory {
	m := classic.Initial()
	m.State = s
	m.Flags |= classic.CoordinatorKnown
	return m
}

// against reports how many nanoseconds looplab/fsm takes to be put into a state and to fire an event that leads where the rule
// does, and how many times longer that is than what the benchmark has measured.
func against(b *testing.B, from classic.State, r *classic.Rule) {
	ours := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
	machine := looplab.NewFSM(from.String(), looplab.Events{{Name: r.Name, Src: []string{from.String()}, Dst: r.Next(from).String()}}, nil)
	const rounds = 20_000
	began := time.Now()
	for range rounds {
		machine.SetState(from.String())
		if err := machine.Event(b.Context(), r.Name); err != nil && r.Next(from) != from {
			b.Fatal(err)
		}
	}
	theirs := float64(time.Since(began).Nanoseconds()) / rounds
	b.ReportMetric(theirs, "looplab-ns/op")
	b.ReportMetric(theirs/ours, "times")
}

// BenchmarkMachine is the typed machine, as a member publishes its state through it.
func BenchmarkMachine(b *testing.B) {
	d, err := classic.Definition()
	if err != nil {
		b.Fatal(err)
	}
	machine := classic.NewMachine(d, fsm.Hooks[classic.State]{})
	rule := classic.DecideHeartbeat(memoryIn(classic.Stable), classic.CodeIllegalGeneration, classic.HeartbeatGuards{})
	for b.Loop() {
		if err := machine.Reset(classic.Stable); err != nil {
			b.Fatal(err)
		}
		if err := machine.Fire(rule); err != nil {
			b.Fatal(err)
		}
	}
}

// handler does nothing, so that what is measured is the calling.
type handler struct{}

func (*handler) EndLookup()               {}
func (*handler) AwaitLookup()             {}
func (*handler) KeepLookupError()         {}
func (*handler) TakeCoordinator()         {}
func (*handler) Start(classic.Timer)      {}
func (*handler) Forget(classic.Timer)     {}
func (*handler) LoseCoordinator()         {}
func (*handler) RequestRejoin(fsm.Text)   {}
func (*handler) ResetGeneration(fsm.Text) {}
func (*handler) ResetIdentity(fsm.Text)   {}
func (*handler) TakeMemberID()            {}
func (*handler) TakeIdentity()            {}
func (*handler) RunAssignment()           {}
func (*handler) SendSync()                {}
func (*handler) EndJoin()                 {}
func (*handler) FailJoin(fsm.Text)        {}
func (*handler) AwaitJoin()               {}
func (*handler) EnableLoop()              {}
func (*handler) Dismiss()                 {}
func (*handler) Settle()                  {}
func (*handler) SettleForNow()            {}
func (*handler) FailLoop()                {}
func (*handler) HeartbeatReceived()       {}
func (*handler) HeartbeatFailed()         {}
