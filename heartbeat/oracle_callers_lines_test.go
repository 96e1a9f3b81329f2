package heartbeat

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
)

// callerLine is something that was seen of a member: the same words for Kafka's client and for a Core. An event has a time; what
// the member looks like after a call has none.
type callerLine struct {
	what string // the aspect
	text string
	at   int // ms since the start, or -1
	used int // how many rules had decided by then
}

func (l callerLine) String() string {
	if l.at < 0 {
		return l.what + ": " + l.text
	}
	return fmt.Sprintf("at %d ms %s: %s", l.at, l.what, l.text)
}

// ------------------------------------------------------------------ of a Core

func (w *callerWorld) note(what, format string, args ...any) {
	w.lines = append(w.lines, callerLine{what, fmt.Sprintf(format, args...), int(w.at / time.Millisecond), len(w.used)})
}

func (w *callerWorld) noteSent(r Request) {
	if r.API == classic.InputFindCoordinator {
		w.note("sent FindCoordinator", "with a time limit of %d ms", r.Timeout/time.Millisecond)
		return
	}
	text := fmt.Sprintf("of %q", r.Member)
	switch r.API {
	case classic.InputJoinGroup:
		text += fmt.Sprintf(" of instance %q because %q", r.Instance, w.reasonInKafka(r.Reason))
	case classic.InputLeaveGroup:
		text += fmt.Sprintf(" because %q", r.Reason)
	default:
		text += fmt.Sprintf(" of instance %q in %d", r.Instance, r.Generation)
	}
	if r.API == classic.InputSyncGroup {
		var of []string
		for _, a := range r.Assignments {
			of = append(of, a.Member)
		}
		slices.Sort(of)
		text += fmt.Sprintf(" with assignments for %q", of)
	}
	w.note("sent "+r.API.String(), "%s, with a time limit of %d ms", text, r.Timeout/time.Millisecond)
}

func (w *callerWorld) noteTold(name string, c Callback) {
	switch {
	case w.fact.consumer():
		w.note("told "+name, "")
	case name == "leave_prepare": // Kafka's names no generation
		w.note("told "+name, "")
	case c.Kind == CallbackLost: // Kafka's has no generation then
		w.note("told "+name, "of -1")
	default:
		w.note("told "+name, "of %d", c.Generation)
	}
}

// noteEnd notes how the call ended, and what the member looks like then.
func (w *callerWorld) noteEnd(call callerCall) {
	end := "no answer yet"
	switch {
	case w.done && w.told == nil:
		end = "ok"
	case w.done:
		end = w.errorInKafka(w.told)
	}
	switch call.Call {
	case "poll", "unsubscribe", "commit_async", "commit_sync":
		w.note(call.Call+" ended", "%s", end)
	default:
		w.note(call.Call+" ended", "")
	}
	w.looks("state", "%s", w.memory.State)
	w.looks("identity", "%q in %d", w.who.member, w.who.generation)
	w.looks("rejoin_needed", "%t", w.has(classic.RejoinNeeded))
	w.looks("reason", "%s", w.reasonInKafka(w.reason))
	w.looks("prepare_needed", "%t", w.has(classic.PrepareNeeded) || w.held) // Kafka's is needed until it is done
	w.looks("coordinator_known", "%t", w.has(classic.CoordinatorKnown))
	w.looks("lookup_in_flight", "%t", w.has(classic.LookupInFlight))
	w.looks("lookup_failed", "%t", w.has(classic.LookupFailed))
	if w.fact.threaded() {
		loop := "disabled"
		switch {
		case !w.has(classic.LoopExists):
			loop = "none"
		case w.has(classic.LoopFailed):
			loop = "failed"
		case w.has(classic.LoopClosed):
			loop = "closed"
		case w.has(classic.LoopEnabled):
			loop = "enabled"
		}
		w.looks("loop", "%s", loop)
	}
}

func (w *callerWorld) looks(what, format string, args ...any) {
	w.lines = append(w.lines, callerLine{what, fmt.Sprintf(format, args...), -1, len(w.used)})
}

// errorInKafka is the class that Kafka's client throws for an error.
func (w *callerWorld) errorInKafka(err error) string {
	var e *Error
	switch {
	case !errors.As(err, &e):
		return err.Error()
	case e.Name == classic.ErrorCallback.String() || e.Name == classic.ErrorLoop.String() || e.Name == classic.ErrorAssignment.String():
		return e.Err.Error() // what was thrown itself
	case e.Retriable:
		return w.exceptions.classes(e.Code.String(), e.nameOrOwn())[0] + ", to be tried again"
	}
	return w.exceptions.classes(e.Code.String(), e.nameOrOwn())[0]
}

// nameOrOwn is the error as a result of the specification names it.
func (e *Error) nameOrOwn() string {
	if e.Name == e.Code.String() {
		return "own"
	}
	return e.Name
}

// reasonInKafka is a reason as Kafka's client writes it, which has the classes of errors, and other names for APIs.
func (w *callerWorld) reasonInKafka(reason string) string {
	if name, ok := strings.CutPrefix(reason, "rebalance failed due to "); ok {
		class, named := w.exceptions.own[name]
		if !named {
			class = w.exceptions.classes("", name)[0]
		}
		return "rebalance failed due to " + class
	}
	for _, api := range []string{"Heartbeat", "JoinGroup", "SyncGroup", "OffsetCommit"} {
		reason = strings.Replace(reason, "from "+api+" response", "from "+kafkaAPI(api)+" response", 1)
	}
	return reason
}

// ------------------------------------------------------------------ of Kafka's client

// seen is what Kafka's client was seen to do.
func (f callerFact) seen() []callerLine {
	var lines []callerLine
	note := func(at int, what, format string, args ...any) {
		lines = append(lines, callerLine{what: what, text: fmt.Sprintf(format, args...), at: at})
	}
	owns := false
	asked := slices.Clone(f.Script["join_prepare"]) // how it ends
	waits := false                                  // it was not ready, and is asked again
	for _, call := range f.Calls {
		for _, e := range call.Saw {
			switch {
			case e.Sent != "":
				note(e.T, "sent "+e.Sent, "%s", e.sent())
			case e.Told == "join_prepare":
				again := waits
				waits = len(asked) > 0 && asked[0] == "false"
				asked = asked[min(1, len(asked)):]
				// Who owns nothing is told nothing; onJoinPrepare is asked all the same.
				if owns && !again {
					note(e.T, "told join_prepare", "of %d", e.Generation)
				}
				owns = owns && e.Generation >= 0
			case e.Told == "leave_prepare":
				if owns {
					note(e.T, "told leave_prepare", "")
				}
				owns = false
			case e.Told == "leader_elected":
				note(e.T, "told leader_elected", "of %s", e.Member)
			case e.Told == "join_complete":
				owns = true
				note(e.T, "told join_complete", "of %d", e.Generation)
			case e.Told != "":
				note(e.T, "told "+e.Told, "")
			}
		}
		switch call.Call {
		case "poll", "unsubscribe", "commit_async", "commit_sync":
			note(call.Ended.T, call.Call+" ended", "%s", call.Ended.outcome())
		default:
			note(call.Ended.T, call.Call+" ended", "")
		}
		e := call.Ended
		note(-1, "state", "%s", e.State)
		note(-1, "identity", "%q in %d", e.Member, e.Generation)
		note(-1, "rejoin_needed", "%t", e.RejoinNeeded)
		note(-1, "reason", "%s", e.Reason)
		note(-1, "prepare_needed", "%t", e.PrepareNeeded)
		note(-1, "coordinator_known", "%t", e.CoordinatorKnown)
		note(-1, "lookup_in_flight", "%t", e.Lookup == "pending")
		note(-1, "lookup_failed", "%t", e.FatalLookup != "")
		if e.Thread != "" {
			note(-1, "loop", "%s", e.Thread)
		}
	}
	return lines
}

func (e callerEvent) sent() string {
	instance, reason := "", ""
	if e.Instance != nil {
		instance = *e.Instance
	}
	if e.Reason != nil {
		reason = *e.Reason
	}
	text := fmt.Sprintf("of %q", e.Member)
	switch e.Sent {
	case "FindCoordinator":
		return fmt.Sprintf("with a time limit of %d ms", e.Timeout)
	case "JoinGroup":
		text += fmt.Sprintf(" of instance %q because %q", instance, reason)
	case "LeaveGroup":
		text += fmt.Sprintf(" because %q", reason)
	default:
		text += fmt.Sprintf(" of instance %q in %d", instance, e.Generation)
	}
	if e.Sent == "SyncGroup" {
		text += fmt.Sprintf(" with assignments for %q", e.Assigned)
	}
	return fmt.Sprintf("%s, with a time limit of %d ms", text, e.Timeout)
}

// outcome is how a call ended, in the words of a Core's.
func (e callerEnd) outcome() string {
	err := e.Thrown
	if err == nil {
		err = e.Failed
	}
	switch {
	case err != nil && (err.Class == "RuntimeException" || err.Message != nil && *err.Message == "User rebalance callback throws an error"):
		return err.Cause // what was thrown itself
	case err != nil && err.Class == "RetriableCommitFailedException":
		return err.Cause + ", to be tried again"
	case err != nil:
		return err.Class
	case e.Returned == "true", e.Returned == "nothing sent", e.Returned == "":
		return "ok"
	case e.Returned == "false", e.Returned == "pending":
		return "no answer yet"
	}
	return e.Returned
}
