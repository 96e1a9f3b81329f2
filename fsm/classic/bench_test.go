package classic_test

import (
	"testing"
	"time"

	looplab "github.com/looplab/fsm"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
)

// response is one response of each API, with an answer that moves the member or loses it its coordinator.
var responses = []struct {
	name   string
	from   classic.State
	decide func(m classic.Memory) *classic.Rule
	handle func(m *classic.Memory, h *handler) *classic.Rule
}{
	{"FindCoordinator", classic.Unjoined,
		func(m classic.Memory) *classic.Rule {
			return classic.DecideFindCoordinator(m, classic.CodeNone)
		},
		func(m *classic.Memory, h *handler) *classic.Rule {
			return classic.HandleFindCoordinator(m, classic.CodeNone, h)
		}},
	{"JoinGroup", classic.PreparingRebalance,
		func(m classic.Memory) *classic.Rule {
			return classic.DecideJoinGroup(m, classic.CodeNone, classic.JoinGroupGuards{Leader: true})
		},
		func(m *classic.Memory, h *handler) *classic.Rule {
			return classic.HandleJoinGroup(m, classic.CodeNone, classic.JoinGroupGuards{Leader: true}, h)
		}},
	{"SyncGroup", classic.CompletingRebalance,
		func(m classic.Memory) *classic.Rule {
			return classic.DecideSyncGroup(m, classic.CodeNone, classic.SyncGroupGuards{})
		},
		func(m *classic.Memory, h *handler) *classic.Rule {
			return classic.HandleSyncGroup(m, classic.CodeNone, classic.SyncGroupGuards{}, h)
		}},
	{"Heartbeat", classic.Stable,
		func(m classic.Memory) *classic.Rule {
			return classic.DecideHeartbeat(m, classic.CodeIllegalGeneration, classic.HeartbeatGuards{})
		},
		func(m *classic.Memory, h *handler) *classic.Rule {
			return classic.HandleHeartbeat(m, classic.CodeIllegalGeneration, classic.HeartbeatGuards{}, h)
		}},
	{"OffsetCommit", classic.Stable,
		func(m classic.Memory) *classic.Rule {
			return classic.DecideOffsetCommit(m, classic.CodeUnknownMemberID, classic.OffsetCommitGuards{})
		},
		func(m *classic.Memory, h *handler) *classic.Rule {
			return classic.HandleOffsetCommit(m, classic.CodeUnknownMemberID, classic.OffsetCommitGuards{}, h)
		}},
	{"LeaveGroup", classic.Unjoined,
		func(m classic.Memory) *classic.Rule {
			return classic.DecideLeaveGroup(m, classic.CodeDisconnect, classic.LeaveGroupGuards{})
		},
		func(m *classic.Memory, h *handler) *classic.Rule {
			return classic.HandleLeaveGroup(m, classic.CodeDisconnect, classic.LeaveGroupGuards{}, h)
		}},
}

func memoryIn(s classic.State) classic.Memory {
	m := classic.Initial()
	m.State = s
	m.Flags |= classic.CoordinatorKnown
	return m
}

func BenchmarkDecide(b *testing.B) {
	for _, r := range responses {
		b.Run(r.name, func(b *testing.B) {
			m := memoryIn(r.from)
			b.ReportAllocs()
			for b.Loop() {
				r.decide(m)
			}
		})
	}
}

// BenchmarkHandle also lets looplab/fsm alone move as the rule does, and reports how long that takes, and how many times longer.
func BenchmarkHandle(b *testing.B) {
	for _, r := range responses {
		b.Run(r.name, func(b *testing.B) {
			h := &handler{}
			start := memoryIn(r.from)
			b.ReportAllocs()
			for b.Loop() {
				m := start
				r.handle(&m, h)
			}
			ours := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			theirs := looplabMove(b, r.from, r.decide(start))
			b.ReportMetric(theirs, "looplab-ns/op")
			b.ReportMetric(theirs/ours, "times")
		})
	}
}

// looplabMove is how many nanoseconds looplab/fsm takes to fire an event that leads where the rule does, and to be put back.
func looplabMove(b *testing.B, from classic.State, r *classic.Rule) float64 {
	const rounds = 20_000
	machine := looplab.NewFSM(from.String(), looplab.Events{
		{Name: r.Name, Src: []string{from.String()}, Dst: r.Next(from).String()},
		{Name: "back", Src: []string{from.String()}, Dst: "elsewhere"},
	}, nil)
	began := time.Now()
	for range rounds {
		machine.SetState(from.String())
		if err := machine.Event(b.Context(), r.Name); err != nil && r.Next(from) != from {
			b.Fatal(err)
		}
	}
	return float64(time.Since(began).Nanoseconds()) / rounds
}

// BenchmarkMachine is the typed machine, as a member publishes its state through it: decided first, then fired.
func BenchmarkMachine(b *testing.B) {
	d, err := classic.Definition()
	if err != nil {
		b.Fatal(err)
	}
	machine := classic.NewMachine(d, fsm.Hooks[classic.State]{})
	rule := classic.DecideHeartbeat(memoryIn(classic.Stable), classic.CodeIllegalGeneration, classic.HeartbeatGuards{})
	b.ReportAllocs()
	for b.Loop() {
		if err := machine.Reset(classic.Stable); err != nil {
			b.Fatal(err)
		}
		if err := machine.Fire(rule); err != nil {
			b.Fatal(err)
		}
	}
}

// handler counts what it is asked to do, which is the least that a handler can do.
type handler struct{ done int }

func (h *handler) EndLookup() { h.done++ }
func (h *handler) AwaitLookup() { h.done++ }
func (h *handler) KeepLookupError() { h.done++ }
func (h *handler) TakeCoordinator() { h.done++ }
func (h *handler) Start(classic.Timer) { h.done++ }
func (h *handler) Forget(classic.Timer) { h.done++ }
func (h *handler) LoseCoordinator() { h.done++ }
func (h *handler) RequestRejoin(fsm.Text) { h.done++ }
func (h *handler) ResetGeneration(fsm.Text) { h.done++ }
func (h *handler) ResetIdentity(fsm.Text) { h.done++ }
func (h *handler) TakeMemberID() { h.done++ }
func (h *handler) TakeIdentity() { h.done++ }
func (h *handler) RunAssignment() { h.done++ }
func (h *handler) SendSync() { h.done++ }
func (h *handler) EndJoin() { h.done++ }
func (h *handler) FailJoin(fsm.Text) { h.done++ }
func (h *handler) AwaitJoin() { h.done++ }
func (h *handler) EnableLoop() { h.done++ }
func (h *handler) Dismiss() { h.done++ }
func (h *handler) Settle() { h.done++ }
func (h *handler) SettleForNow() { h.done++ }
func (h *handler) FailLoop() { h.done++ }
func (h *handler) HeartbeatReceived() { h.done++ }
func (h *handler) HeartbeatFailed() { h.done++ }
