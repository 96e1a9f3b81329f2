package heartbeat

import (
	"errors"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
)

// run makes the calls of the fact, and returns what was seen.
func (w *callerWorld) run() []callerLine {
	for _, call := range w.fact.Calls {
		w.done, w.told = false, nil
		w.make(call)
	}
	return w.lines
}

func (w *callerWorld) make(call callerCall) {
	w.r.t.Helper()
	wait := time.Duration(call.Wait) * time.Millisecond
	switch call.Call {
	case "poll":
		w.poll(wait)
	case "rejoin":
		w.step(RejoinAsked{"rebalance enforced by user"})
	case "forget_coordinator":
		w.memory.Flags &^= classic.CoordinatorKnown
		w.node = AnyBroker
		w.clocks.set(classic.TimerLookupRetry, w.at) // forced: the coordinator before was found long ago
		w.pause["lookup"].until = w.at
	case "unavailable":
		w.unavailable = w.at + time.Duration(call.For)*time.Millisecond
	case "heartbeat":
		w.beat()
		for sent := w.lastID; w.underwayID(sent); {
			w.until(w.due[0].at)
		}
	case "send_heartbeat":
		w.beat()
	case "unsubscribe":
		w.step(LeaveAsked{Mode: callerModes[call.Mode], Reason: "the consumer unsubscribed from all topics"})
		w.until(w.at + wait)
	case "close":
		w.step(LeaveAsked{Mode: callerModes[call.Mode], Reason: "the consumer is being closed", Last: true})
		w.until(w.at + wait)
		w.step(CloseAsked{})
	case "commit_async", "commit_sync":
		w.commits++
		w.committing = true
		w.step(CommitAsked{ID: w.commits, Member: w.Core.told.member, Generation: w.Core.told.generation, Offsets: []Offset{{Topic: "t"}}})
		w.until(w.at + wait)
		w.committing = false
	case "thread_throws":
		w.step(LoopBroke{callerThrown(call.What)})
	default:
		w.r.t.Fatalf("no fact calls %s", call.Call)
	}
	w.noteEnd(call)
}

var callerModes = map[string]LeaveMode{"DEFAULT": LeaveIfDynamic, "LEAVE_GROUP": LeaveAlways, "REMAIN_IN_GROUP": LeaveNever}

// poll waits as long as it may. Kafka's returns at once from an onJoinPrepare that is not ready.
func (w *callerWorld) poll(wait time.Duration) {
	w.turn, w.found = nil, w.span("join")
	held := w.held
	w.step(Poll{})
	w.pausing()
	if held {
		if in := w.ended("join_prepare"); in != nil {
			w.held = false
			w.step(in)
		}
	}
	if !w.held {
		w.until(w.at + wait)
	}
	if !w.done {
		w.pausing()
		w.step(PollGivenUp{})
	}
}

// beat lets a heartbeat be sent.
func (w *callerWorld) beat() {
	w.clocks.set(classic.TimerInterval, w.at)
	w.beating = true
	w.step(Tick{})
	w.beating = false
}

// underwayID reports whether the request with this id waits for its answer.
func (w *callerWorld) underwayID(id uint64) bool {
	for _, o := range w.open {
		if o.request.ID == id {
			return true
		}
	}
	return false
}

// callerThrown is what the thread was seen to end with: of an interrupt, what Java or Kafka makes of it there.
func callerThrown(what string) error {
	switch what {
	case "interrupt":
		what = "InterruptedException"
	case "InterruptedException":
		what = "InterruptException"
	}
	return errors.New(what)
}
