package heartbeat

import (
	"fmt"
	"strings"
)

// The facts about members of the consumer protocol. testdata/oracle/README.md says what each field means.

// consumerBefore is what a member looks like before something happens to it.
type consumerBefore struct {
	State            string
	Epoch            int
	CoordinatorKnown bool `json:"coordinator_known"`
	InFlight         bool `json:"in_flight"`
	BackingOff       bool `json:"backing_off"`
	Attempts         int
	Owned            int
	Subscribed       int
	Applied, Target  []int // nil for none
	Reconciling      bool
	Leave            string
}

// consumerAfter is what it looks like then, and what was seen on the way.
type consumerAfter struct {
	consumerBefore
	Path        []string
	Raised      []string
	Callbacks   []string
	Sent        *consumerSent
	LookupError string `json:"lookup_error"`
	LooksUp     bool   `json:"looks_up"`
}

// consumerSent is what a heartbeat carries.
type consumerSent struct {
	Epoch              int
	InstanceID         *string `json:"instance_id"`
	RebalanceTimeoutMs int     `json:"rebalance_timeout_ms"`
	Names              []string
	Owned              []int
}

// consumerCellFact is one answer handled.
type consumerCellFact struct {
	API, Code, Variant string
	Errno              *int
	State              string
	Static             bool
	Partitions         bool
	AnswerEpoch        int `json:"answer_epoch"`
	Assignment         string
	Assigned           []int
	Before             consumerBefore
	After              consumerAfter
}

// consumerLoopFact is one turn of the heartbeat loop.
type consumerLoopFact struct {
	State            string
	Static           bool
	CoordinatorKnown bool `json:"coordinator_known"`
	PollExpired      bool `json:"poll_expired"`
	InFlight         bool `json:"in_flight"`
	IntervalOver     bool `json:"interval_over"`
	BackingOff       bool `json:"backing_off"`
	Remains          bool
	LookupError      bool `json:"lookup_error"`
	NewerTarget      bool `json:"newer_target"`
	Before           consumerBefore
	After            consumerAfter
	Thrown           string
}

// consumerEventFact is something that the application did, or a callback that ended.
type consumerEventFact struct {
	Event, Operation  string
	State             string
	Static            bool
	Marked            bool
	PollExpired       bool `json:"poll_expired"`
	Released, Rejoins bool
	OK, Late          bool
	Before            consumerBefore
	After             consumerAfter
}

// consumerReconciliationFact is the begin of a reconciliation, or a callback of one that has ended.
type consumerReconciliationFact struct {
	About         string
	AutoCommit    bool `json:"auto_commit"`
	ToRevoke      bool `json:"to_revoke"`
	AtPoll        bool `json:"at_poll"`
	Reconciling   bool
	TargetIsOwned bool `json:"target_is_owned"`
	Callback      string
	Resolved      []int
	Meanwhile     string
	OK            bool
	Before        consumerBefore
	After         consumerAfter
}

// consumerEdgeFact is a way between two states.
type consumerEdgeFact struct {
	From, To string
	Declared bool
	Taken    bool
}

func (f consumerCellFact) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s in %s, static %t, partitions %t, epoch %d %s %s", f.API, f.Code, f.State, f.Static, f.Partitions, f.AnswerEpoch, f.Assignment, f.Variant))
}

func (f consumerLoopFact) String() string {
	return fmt.Sprintf("loop in %s, static %t: coordinator known %t, poll expired %t, in flight %t, interval over %t, backing off %t, remains %t, lookup error %t, newer target %t",
		f.State, f.Static, f.CoordinatorKnown, f.PollExpired, f.InFlight, f.IntervalOver, f.BackingOff, f.Remains, f.LookupError, f.NewerTarget)
}

func (f consumerEventFact) String() string {
	return fmt.Sprintf("%s %s in %s, static %t: marked %t, poll expired %t, released %t, rejoins %t, ok %t, late %t",
		f.Event, f.Operation, f.State, f.Static, f.Marked, f.PollExpired, f.Released, f.Rejoins, f.OK, f.Late)
}

func (f consumerReconciliationFact) String() string {
	if f.About == "begin" {
		return fmt.Sprintf("reconcile in %s: auto-commit %t, to revoke %t, at poll %t, reconciling %t, target is owned %t", f.Before.State, f.AutoCommit, f.ToRevoke, f.AtPoll, f.Reconciling, f.TargetIsOwned)
	}
	return fmt.Sprintf("%s ends, ok %t, in %s, after %s", f.Callback, f.OK, f.Before.State, f.Meanwhile)
}

func (f consumerEdgeFact) String() string { return f.From + " → " + f.To }
