package heartbeat

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kbeat/kbeat/spec"
)

// consumerComparison is one fact, and how the machine comes to the same.
type consumerComparison struct {
	fact fmt.Stringer
	got  factView
	want func(r *consumerReading) ([]*spec.Rule, factView)
}

// calm are the flags and guards of a member with which nothing goes on, and beside them, or against them, what a fact says. These
// are all that are taken for false because a fact does not say.
func calm(more spec.Values) spec.Values {
	values := spec.Values{
		"timer_leave": false, "rejoin_on_release": false, "rejoined": false, "leaves_for_good": false,
		"closing":           false, // the lookup
		"resolved_is_owned": false, // all of the target is known
	}
	maps.Copy(values, more)
	return values
}

func (f consumerCellFact) comparison() consumerComparison {
	return consumerComparison{f, f.After.view(f.Before.State), func(r *consumerReading) ([]*spec.Rule, factView) {
		same := f.Assigned != nil && f.Before.Target != nil && slices.Equal(f.Assigned, f.Before.Target)
		code := codeNamed(r.machine, f.Code)
		m := r.interpreter(f.Before, f.Static, calm(spec.Values{
			"lookup_in_flight": f.API == "FindCoordinator", "negative_epoch": f.AnswerEpoch < 0, "no_assignment": f.Assigned == nil, "same_assignment": same,
			"new_assignment": f.Assigned != nil && !same, "retriable": code != nil && code.Property("retriable"),
		}))
		m.own, m.answer, m.assigned = r.own[f.Code], f.AnswerEpoch, f.Assigned
		rule := m.input(f.API, f.Code)
		if f.API == "FindCoordinator" {
			m.lookUpAgain(rule)
		}
		return m.used, m.view(f.Before.State)
	}}
}

// lookUpAgain is the turn of the lookup's own loop that comes next, at once.
func (m *consumerInterpreter) lookUpAgain(last *spec.Rule) {
	m.values["lookup_backing_off"] = last.Result.Class == spec.Backoff
	m.values["coordinator_known"] = m.CoordinatorKnown
	m.input("lookup", "")
}

func (f consumerLoopFact) comparison() consumerComparison {
	got := f.After.view(f.Before.State)
	got["thrown"] = f.Thrown
	return consumerComparison{f, got, func(r *consumerReading) ([]*spec.Rule, factView) {
		m := r.interpreter(f.Before, f.Static, calm(spec.Values{
			"coordinator_known": f.CoordinatorKnown, "poll_expired": f.PollExpired, "in_flight": f.InFlight, "interval_over": f.IntervalOver,
			"backoff_over": !f.BackingOff, "remains": f.Remains && !f.Static, "target_is_owned": !f.NewerTarget,
		}))
		if f.LookupError {
			m.kept = r.own["GROUP_AUTHORIZATION_FAILED"]
		}
		m.input("heartbeat", "")
		return m.used, m.view(f.Before.State)
	}}
}

func (f consumerEventFact) comparison() consumerComparison {
	return consumerComparison{f, f.After.view(f.Before.State), func(r *consumerReading) ([]*spec.Rule, factView) {
		m := r.interpreter(f.Before, f.Static, calm(spec.Values{
			"subscription_marked": f.Marked, "poll_expired": f.PollExpired, "released": f.Released, "rejoin_on_release": f.Rejoins,
			"leaves_for_good": f.Operation == "LEAVE_GROUP",
		}))
		if f.Event != "reconciled" {
			rule := m.input(f.Event, "")
			m.asked(rule)
			return m.used, m.view(f.Before.State)
		}
		m.input("revoke_ended", "")
		m.Callbacks = nil // the next one, which ends here too
		m.input(callbackEnds("onPartitionsAssigned", f.OK), "")
		return m.used, m.view(f.Before.State)
	}}
}

// asked is what who asked to leave is told: that it is done, or to wait.
func (m *consumerInterpreter) asked(rule *spec.Rule) {
	if rule.Result != nil && rule.Result.Group != nil && rule.Result.Group.Name == "unsubscribe" {
		m.Leave = map[spec.Class]string{spec.OK: "done", spec.Pending: "pending"}[rule.Result.Class]
	}
}

// callbackEnds is the event with which a callback of a reconciliation ends.
func callbackEnds(callback string, ok bool) string {
	if !ok {
		return "callback_failed"
	}
	return map[string]string{"onPartitionsRevoked": "revoke_ended", "onPartitionsAssigned": "assign_ended"}[callback]
}

func (f consumerReconciliationFact) comparison() consumerComparison {
	return consumerComparison{f, f.After.view(f.Before.State), func(r *consumerReading) ([]*spec.Rule, factView) {
		m := r.interpreter(f.Before, false, calm(spec.Values{
			"auto_commit": f.AutoCommit, "to_revoke": f.ToRevoke, "at_poll": f.AtPoll, "reconciling": f.Before.Reconciling, "target_is_owned": f.TargetIsOwned,
			"rejoined": f.Meanwhile == "rejoined",
		}))
		if f.Resolved != nil {
			m.resolved = f.Resolved
		}
		if f.About == "begin" {
			m.input("reconcile", "")
		} else {
			m.input(callbackEnds(f.Callback, f.OK), "")
		}
		return m.used, m.view(f.Before.State)
	}}
}

// shows reports whether the lives would show that the way is taken. That a state may stay is declared by nobody.
func (f consumerEdgeFact) shows() bool { return f.Declared || f.From != f.To }

// comparison holds the machine's declaration against Kafka's, and what is taken by its rules against what lives have taken.
func (f consumerEdgeFact) comparison() consumerComparison {
	got := factView{"declared": fmt.Sprint(f.Declared)}
	if f.shows() {
		got["taken"] = fmt.Sprint(f.Taken)
	}
	return consumerComparison{f, got, func(r *consumerReading) ([]*spec.Rule, factView) {
		i := slices.IndexFunc(r.machine.Edges(), func(e *spec.Edge) bool { return e.From.Name == f.From && e.To.Name == f.To })
		want := factView{"declared": fmt.Sprint(i >= 0)}
		if f.shows() {
			want["taken"] = fmt.Sprint(i >= 0 && !r.machine.Edges()[i].Unused)
		}
		return nil, want
	}}
}
