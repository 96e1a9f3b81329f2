// Package event is what members of a group go through, as values that are written as lines of JSON or shown to a person.
//
//	log := event.NewLog(event.JSON(os.Stdout))
//	log.Emit(event.Event{Kind: event.Lost, Member: "m1", Partitions: lost})
//	err := log.Close() // all is written
//
// EVENTS.md, one folder up, says what each kind carries. The package decides nothing, and knows no rule.
package event

import (
	"time"

	"github.com/kbeat/kbeat/heartbeat"
)

// Kind says what an Event is about.
type Kind string

// The kinds. Act, Settled and Result are about the whole group; the others are about one member.
const (
	Member   Kind = "member"   // it begins
	State    Kind = "state"    // its state has changed
	Rule     Kind = "rule"     // a rule of the specification has decided
	Assigned Kind = "assigned" // it takes up partitions
	Revoked  Kind = "revoked"  // it has let go of partitions; until now they were its own
	Lost     Kind = "lost"     // partitions are somebody else's already
	Error    Kind = "error"    // its poll has failed
	End      Kind = "end"      // it is over, with a tally of its life
	Act      Kind = "act"      // something is about to happen to the group
	Settled  Kind = "settled"  // all members agree with each other and with the broker
	Result   Kind = "result"   // the last of all
)

// Kinds are all of them.
func Kinds() []Kind {
	return []Kind{Member, State, Rule, Assigned, Revoked, Lost, Error, End, Act, Settled, Result}
}

// Event is one thing that happened. Which fields have a value depends on its Kind.
type Event struct {
	Time time.Time `json:"time"`
	Kind Kind      `json:"kind"`

	// Of a member.
	Member     string `json:"member,omitempty"`     // its name in this run
	MemberID   string `json:"member_id,omitempty"`  // what the coordinator knows it by, once it does
	Instance   string `json:"instance,omitempty"`   // group.instance.id of a static member
	Generation int32  `json:"generation,omitempty"` // -1: none

	Group  string   `json:"group,omitempty"`  // Member, Settled
	Topics []string `json:"topics,omitempty"` // Member

	Partitions Partitions `json:"partitions,omitempty"` // Assigned, Revoked, Lost: what came or went. End: what it owned last
	Owned      Partitions `json:"owned,omitempty"`      // Assigned, Revoked, Lost: all that it owns from now on

	// Of a decision: State and Rule, and Error where a rule lies behind it.
	From     string   `json:"from,omitempty"`     // the state before
	State    string   `json:"state,omitempty"`    // the state after. End: the last state
	Rule     string   `json:"rule,omitempty"`     // its name
	At       string   `json:"at,omitempty"`       // where it stands: file and line
	Input    string   `json:"input,omitempty"`    // what it decided about: a response, an event or a loop
	Code     string   `json:"code,omitempty"`     // of the response, or how the request ended without one
	Result   string   `json:"result,omitempty"`   // what the one who waits is told
	Class    string   `json:"class,omitempty"`    // of the result
	Do       []string `json:"do,omitempty"`       // effects, in order
	Reason   string   `json:"reason,omitempty"`   // what the first of the effects that gives one tells the coordinator
	Why      string   `json:"why,omitempty"`      // the specification's reason
	Deviates string   `json:"deviates,omitempty"` // how and why the rule differs from Apache Kafka's client

	Error string `json:"error,omitempty"` // what lies behind Code. Error, End: what the member has failed with

	Tally *Tally `json:"tally,omitempty"` // End

	Act     string                `json:"act,omitempty"`     // Act: its name
	Text    string                `json:"text,omitempty"`    // Act: a sentence. End: how it ended
	Took    float64               `json:"took,omitempty"`    // Settled: seconds since the act began
	Owners  map[string]Partitions `json:"owners,omitempty"`  // Settled: by member
	OK      *bool                 `json:"ok,omitempty"`      // Result
	Problem []string              `json:"problem,omitempty"` // Result: what is not as it should be

	// Fired is the decision itself, for those who show it.
	Fired *heartbeat.Fired `json:"-"`
}

// Tally counts what a member went through.
type Tally struct {
	Sent     int            `json:"heartbeats_sent"`
	Answered int            `json:"heartbeats_answered"` // whatever the answer was
	Joined   int            `json:"joined"`              // how often it became STABLE
	Errors   map[string]int `json:"errors,omitempty"`    // how often each rule decided about a code that is not NONE
}
