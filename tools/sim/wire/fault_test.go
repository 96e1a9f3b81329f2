package wire

import (
	"fmt"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
)

// fault is one thing that goes wrong.
type fault struct {
	kind  faultKind
	at    time.Duration
	lasts time.Duration
	slot  int   // whom it befalls: a place in the group, or everybody
	node  int32 // of spells: at which broker, or anyNode
	api   int16 // of spells: in which requests, or anyAPI
	share int   // of spells: of how many requests in always
	code  int16 // with byCode and byCodeAfter
}

// everybody is the slot of faults that befall all.
const everybody = -1

// faultKind is what goes wrong.
type faultKind int

const (
	killed        faultKind = iota // the process ends without a word, and is started again when it is over
	powerless                      // likewise, and the brokers do not even see that its connections end
	closed                         // the process leaves in good order, and is started again
	suspended                      // the process stands still
	starved                        // the member does nothing, as when its clock steps; its connections and its application go on
	stuck                          // the application neither polls nor lets go
	clientClosed                   // the application closes the client under its member
	rejoins                        // the application asks for a rebalance
	leaves                         // the application asks to leave, and then polls again
	kicked                         // an operator removes the member
	twin                           // a second process with the same instance id comes, for a while
	moved                          // the group gets another coordinator
	down                           // a broker is away, and its groups with it
	failedOver                     // the coordinator is away, and another one takes over
	slow                           // requests take longer
	throttled                      // answers carry a throttle time
	inPieces                       // answers arrive bit by bit
	answered                       // a code answers instead of the broker
	answeredAfter                  // a code answers what the broker has done
	cut                            // connections are cut before the broker has heard of the request
	cutAfter                       // connections are cut before the answer
	halfOpen                       // nothing passes, and no connection ends
	answerLost                     // an answer is lost, and the next one comes
	garbage                        // answers are none
	faultKinds
)

var faultNames = [...]string{
	killed: "is killed", powerless: "loses its power", closed: "is closed", suspended: "is suspended", starved: "is starved", stuck: "is stuck",
	clientClosed: "has its client closed",
	rejoins:      "rejoins", leaves: "leaves", kicked: "is kicked out", twin: "has a twin", moved: "coordinator moves",
	down: "broker down", failedOver: "coordinator fails over", slow: "slow", throttled: "throttled", inPieces: "in pieces",
	answered: "answered", answeredAfter: "done, and answered", cut: "cut", cutAfter: "done, and cut", halfOpen: "half-open",
	answerLost: "answers are lost", garbage: "garbage",
}

// String is the fault in one line.
func (f fault) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%9.3fs ", f.at.Seconds())
	if f.slot != everybody {
		fmt.Fprintf(&b, "m%d ", f.slot+1)
	}
	b.WriteString(faultNames[f.kind])
	if f.api != anyAPI {
		fmt.Fprintf(&b, " %s", kmsg.NameForKey(f.api))
	}
	if f.kind == answered || f.kind == answeredAfter {
		fmt.Fprintf(&b, " by %s", classic.Code(f.code))
	}
	if f.node != anyNode {
		fmt.Fprintf(&b, " at broker %d", f.node)
	}
	if f.share != always && f.kind >= slow {
		fmt.Fprintf(&b, ", %d of %d", f.share, always)
	}
	if f.lasts > 0 {
		fmt.Fprintf(&b, " for %.3fs", f.lasts.Seconds())
	}
	return b.String()
}

// drawFault is some fault in a group of so many places.
func drawFault(d dice, places int) fault {
	f := fault{kind: faultKind(d.IntN(int(faultKinds))), slot: d.IntN(places), node: anyNode, api: anyAPI, share: always}
	f.lasts = d.between(0, one[time.Duration](d, 1, 5, 20, 60)*time.Second)
	switch f.kind {
	case rejoins, leaves, kicked, clientClosed:
		f.lasts = 0
	case suspended, starved, stuck, twin:
		f.lasts = d.between(time.Second, time.Minute)
	case moved:
		f.slot, f.lasts = everybody, 0
	case failedOver:
		f.slot = everybody
	case down:
		f.slot, f.node = everybody, int32(d.IntN(brokers))
	}
	if f.kind >= slow {
		f.drawSpell(d)
	}
	return f
}

// drawSpell says which requests a fault meets.
func (f *fault) drawSpell(d dice) {
	if d.IntN(3) == 0 {
		f.slot = everybody
	}
	if d.IntN(3) == 0 {
		f.node = int32(d.IntN(brokers))
	}
	if d.IntN(3) > 0 || f.kind == answered || f.kind == answeredAfter {
		f.api = int16(one(d, kmsg.FindCoordinator, kmsg.JoinGroup, kmsg.SyncGroup, kmsg.Heartbeat, kmsg.LeaveGroup, kmsg.OffsetCommit))
	}
	if f.kind != halfOpen {
		f.share = one(d, 1, 2, 4, always)
	}
	f.code = drawCode(d)
	if f.kind == halfOpen || f.share == always {
		f.lasts = min(f.lasts, 20*time.Second)
	}
}

// drawCode is one that brokers answer a group's members, or any number at all.
func drawCode(d dice) int16 {
	named := []classic.Code{
		classic.CodeCoordinatorLoadInProgress, classic.CodeCoordinatorNotAvailable, classic.CodeNotCoordinator,
		classic.CodeIllegalGeneration, classic.CodeUnknownMemberID, classic.CodeRebalanceInProgress,
		classic.CodeGroupAuthorizationFailed, classic.CodeFencedInstanceID, classic.CodeMemberIDRequired,
		classic.CodeUnknownServerError, classic.CodeInconsistentGroupProtocol, classic.CodeInvalidSessionTimeout,
		classic.CodeGroupMaxSizeReached, classic.CodeRequestTimedOut,
	}
	if i := d.IntN(len(named) + 4); i < len(named) {
		return named[i].Number()
	}
	return int16(1 + d.IntN(140))
}

// pace is how long a broker takes that answers by codes. After some of them members join again at once, as Apache Kafka's
// client does; it is the coordinator that lets joins last.
const pace = 600 * time.Millisecond

// spell is what the fault does on the network.
func (f fault) spell(who *process) *spell {
	s := &spell{who: who, node: f.node, api: f.api, share: f.share}
	switch f.kind {
	case slow:
		s.delay = 500 * time.Millisecond << (f.code & 3)
	case throttled:
		s.slow = 500 * time.Millisecond << (f.code & 3)
	case inPieces:
		s.pieces = 2 + int(f.code&7)
	case answered:
		s.way, s.code, s.delay = byCode, f.code, pace
	case answeredAfter:
		s.way, s.code, s.delay = byCodeAfter, f.code, pace
	case cut:
		s.way = byCut
	case cutAfter:
		s.way = byCutAfter
	case halfOpen:
		s.way = byNothing
	case answerLost:
		s.way = bySilence
	case garbage:
		s.way = byGarbage
	case suspended:
		s.gate = make(chan struct{})
	}
	return s
}
