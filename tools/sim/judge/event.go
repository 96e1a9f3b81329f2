package judge

import (
	"fmt"
	"strings"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// Event is one thing that was seen of a group. Which fields mean something depends on Kind.
type Event struct {
	At     time.Duration // since the start of the run
	Member string        // whom it is about: one life of one process, so that a restart has another name; "" for the group
	Kind   Kind

	Config     *heartbeat.Config // Born: with no duration left zero
	API        classic.Input     // Sent, Stray, Answered
	Request    uint64            // Sent, Answered, Abandoned, Fired: the request's id; 0 where a rule decided about no answer
	Node       int32             // Sent: the broker that it goes to; Answered with FindCoordinator: the broker that it names
	Who        Identity          // Sent, Stray, Stored: of the request; Answered: that the answer gives; CallbackBegun: whose assignment it is
	Read       []Identity        // Sent with OffsetCommit, Stored: who has read the offsets, as their metadata say
	Code       classic.Code      // Answered, Fired
	Rule       *classic.Rule     // Fired
	From, To   classic.State     // Fired
	Callback   heartbeat.CallbackKind
	Partitions []Partition // Holds; Sent with JoinGroup: what its metadata claim
	Mode       heartbeat.LeaveMode
	Err        error         // PollReturned, CallbackEnded, Left, Returned
	Until      time.Duration // Leased: when the lease ends
	Call       Call          // Called, Returned
	CallID     uint64        // Called, Returned: tells one call of the member from another
	Limit      time.Duration // Called: how long the call may take
	View       *View
}

// Identity is what the coordinator knows a member by.
type Identity struct {
	MemberID   string
	Generation int32
}

// Nobody is the identity of a member that the coordinator does not know.
func Nobody() Identity { return Identity{Generation: heartbeat.NoGeneration} }

func (i Identity) String() string {
	return fmt.Sprintf("%q in generation %d", i.MemberID, i.Generation)
}

// Partition is a share of the group's work.
type Partition struct {
	Topic  string
	Number int32
}

func (p Partition) String() string { return fmt.Sprintf("%s-%d", p.Topic, p.Number) }

// View is what the coordinator holds of the group.
type View struct {
	State      string // the coordinator's own name for it
	Generation int32
	Loaded     time.Duration // since when this coordinator has the group; its members' sessions began anew then
	Members    []ViewMember
}

// ViewMember is a member as the coordinator holds it. One that was given an id and has not joined with it yet is one too.
type ViewMember struct {
	ID       string
	Instance string
	Owns     []Partition // in a stable group: what it was given, where that is known
}

// Call is a call of the application that waits.
type Call string

// The calls.
const (
	CallPoll   Call = "Poll"
	CallCommit Call = "Commit"
	CallLeave  Call = "Leave"
	CallClose  Call = "Close"
)

// Kind says what an Event is.
type Kind uint8

// The kinds of events. A driver reports them in the order in which they happen; what a rule does (Sent, CallbackBegun,
// PollReturned, Left) comes after its Fired.
const (
	Born          Kind = iota + 1 // a process begins: Config
	Sent                          // a request leaves: API, Request, Who, Partitions, Read
	Stray                         // a request leaves that no rule has sent: API, Who
	Stored                        // the coordinator has taken offsets that it sent, whether it still lives or not: Who, Read
	Answered                      // the member is told how a request ended: API, Request, Code, Who
	Abandoned                     // the member does not wait for an answer any more: Request
	Fired                         // a rule has decided: Rule, Code, Request, From, To
	Polled                        // the application polls
	PollReturned                  // and is answered: Err
	PollGivenUp                   // or does not wait any more
	CallbackBegun                 // the application is told: Callback, Who
	CallbackEnded                 // it has returned: Callback, Err
	Holds                         // what the application works on from now on: Partitions, all of them
	Leased                        // until when a member with a lease may work, where that has changed: Until; 0: not at all
	Called                        // the application calls, and waits: Call, CallID, Limit
	Returned                      // and is answered: Call, CallID, Err
	Leaving                       // the application has asked to leave: Mode
	Left                          // and is answered: Err
	Closed                        // the member was closed: nothing may come after it
	Killed                        // the process has ended without a word
	Paused                        // the process stands still: it neither works nor sends
	Resumed                       // and goes on
	Seen                          // the coordinator's View, when it has changed or now and then
	Calm                          // from now on nothing is disturbed: no fault, no kill, no pause, no restart
)

// String is the name of the kind: "callback begun".
func (k Kind) String() string {
	names := [...]string{
		Born: "born", Sent: "sent", Stray: "stray", Stored: "stored", Answered: "answered", Abandoned: "abandoned", Fired: "fired", Polled: "polled", PollReturned: "poll returned",
		PollGivenUp: "poll given up", CallbackBegun: "callback begun", CallbackEnded: "callback ended", Holds: "holds",
		Leased: "leased", Called: "called", Returned: "returned",
		Leaving: "leaving", Left: "left", Closed: "closed", Killed: "killed", Paused: "paused", Resumed: "resumed",
		Seen: "seen", Calm: "calm",
	}
	if int(k) < len(names) && names[k] != "" {
		return names[k]
	}
	return fmt.Sprintf("kind(%d)", k)
}

// String is the event in one line. It says everything that a judge looks at.
func (e Event) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%9.3fs %-5s %s", e.At.Seconds(), e.Member, e.Kind)
	switch e.Kind {
	case Born:
		fmt.Fprintf(&b, " instance=%q session=%s interval=%s poll=%s", e.Config.InstanceID, e.Config.SessionTimeout, e.Config.HeartbeatInterval, e.Config.MaxPollInterval)
		if e.Config.Lease {
			b.WriteString(" lease")
		}
	case Sent:
		fmt.Fprintf(&b, " %s #%d member=%q generation=%d", e.API, e.Request, e.Who.MemberID, e.Who.Generation)
		if e.Node != heartbeat.AnyBroker {
			fmt.Fprintf(&b, " to broker %d", e.Node)
		}
		if len(e.Partitions) > 0 {
			fmt.Fprintf(&b, " claims=%v", e.Partitions)
		}
		e.sayRead(&b)
	case Stored:
		fmt.Fprintf(&b, " member=%q generation=%d", e.Who.MemberID, e.Who.Generation)
		e.sayRead(&b)
	case Stray:
		fmt.Fprintf(&b, " %s member=%q generation=%d", e.API, e.Who.MemberID, e.Who.Generation)
	case Answered:
		fmt.Fprintf(&b, " %s #%d %s", e.API, e.Request, e.Code)
		if e.Who.MemberID != "" {
			fmt.Fprintf(&b, " member=%q generation=%d", e.Who.MemberID, e.Who.Generation)
		}
		if e.API == lookup && e.Code == classic.CodeNone {
			fmt.Fprintf(&b, " broker %d", e.Node)
		}
	case Abandoned:
		fmt.Fprintf(&b, " #%d", e.Request)
	case Leased:
		fmt.Fprintf(&b, " until %.3fs", e.Until.Seconds())
	case Called:
		fmt.Fprintf(&b, " %s #%d for %s at most", e.Call, e.CallID, e.Limit)
	case Returned:
		fmt.Fprintf(&b, " %s #%d%s", e.Call, e.CallID, because(e.Err))
	case Fired:
		fmt.Fprintf(&b, " %s (%s)", e.Rule, e.Rule.At())
		if e.From != e.To {
			fmt.Fprintf(&b, " %s → %s", e.From, e.To)
		}
	case CallbackBegun:
		fmt.Fprintf(&b, " %s generation=%d", e.Callback, e.Who.Generation)
	case CallbackEnded:
		fmt.Fprintf(&b, " %s%s", e.Callback, because(e.Err))
	case PollReturned, Left:
		b.WriteString(because(e.Err))
	case Holds:
		fmt.Fprintf(&b, " %v", e.Partitions)
	case Leaving:
		fmt.Fprintf(&b, " %s", e.Mode)
	case Seen:
		fmt.Fprintf(&b, " %s generation=%d members=%v", e.View.State, e.View.Generation, e.View.Members)
	}
	return b.String()
}

// sayRead says who has read the offsets.
func (e Event) sayRead(b *strings.Builder) {
	for _, r := range e.Read {
		fmt.Fprintf(b, " read=%q/%d", r.MemberID, r.Generation)
	}
}

func because(err error) string {
	if err == nil {
		return ""
	}
	return ": " + err.Error()
}
