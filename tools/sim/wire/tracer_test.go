package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/sim/judge"
)

// tracer takes the member's trace, which is what the member was told and what it has done, in order: it keeps it for
// `kbeat replay`, and tells the judge. The member waits in it while its process is suspended.
type tracer struct {
	p *process

	mu   sync.Mutex
	text bytes.Buffer
	kind heartbeat.CallbackKind // that runs
	apis map[uint64]classic.Input
}

// Write takes the lines of one step, and lets the member do what it has decided. A process that is suspended stands still
// between the two.
func (t *tracer) Write(lines []byte) (int, error) {
	if err := t.take(lines); err != nil {
		return 0, err
	}
	t.p.seeLease()
	if d := t.p.w.flaw.dozes; d > 0 && t.p.chance(50) {
		time.Sleep(d)
	}
	if t.p.held() {
		t.p.see(judge.Event{Kind: judge.Paused})
		t.p.standAsMember()
		t.p.see(judge.Event{Kind: judge.Resumed})
	}
	return len(lines), nil
}

func (t *tracer) take(lines []byte) error {
	if t.p.isSilent() {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text.Write(lines)
	if t.p.isClosed() {
		return nil // its goroutine was held up; what still reaches the wire nobody has wanted
	}
	for text := range bytes.Lines(lines) {
		var l traceLine
		if err := json.Unmarshal(text, &l); err != nil {
			return fmt.Errorf("the trace has a line that is none: %q: %w", text, err)
		}
		if e, ok := t.event(l); ok {
			t.p.see(e)
		}
	}
	return nil
}

// trace is what was written so far.
func (t *tracer) trace() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.text.Bytes())
}

// traceLine is what the judge needs of a line; TRACE.md says what each field is.
type traceLine struct {
	In, Out         string
	ID              uint64
	Node            int32
	Listen          bool
	API             classic.Input
	Member          string
	Generation      int32
	Code            classic.Code
	Rule, At        string
	Request         uint64
	State, From, To classic.State
	Kind, Err       string
	Mode            heartbeat.LeaveMode
	Protocols       []struct{ Metadata string }
	Offsets         []struct{ Metadata string }
	Again           float64 // ms
}

// event is what a line tells the judge; false where that is nothing.
func (t *tracer) event(l traceLine) (e judge.Event, ok bool) {
	var err error
	if l.Err != "" {
		err = errors.New(l.Err)
	}
	switch l.In + l.Out {
	case "poll":
		return judge.Event{Kind: judge.Polled}, true
	case "poll_given_up":
		return judge.Event{Kind: judge.PollGivenUp}, true
	case "poll_ended":
		return judge.Event{Kind: judge.PollReturned, Err: err}, true
	case "response":
		api := t.apis[l.ID]
		delete(t.apis, l.ID)
		t.p.wanted.end(l.ID, t.p.w.now())
		return judge.Event{
			Kind: judge.Answered, API: api, Request: l.ID, Code: l.Code, Node: l.Node, Who: l.who(),
		}, true
	case "abandoned":
		if l.Listen {
			return judge.Event{}, false
		}
		t.p.wanted.end(l.ID, t.p.w.now())
		return judge.Event{Kind: judge.Abandoned, Request: l.ID}, true
	case "request":
		if t.apis == nil {
			t.apis = map[uint64]classic.Input{}
		}
		t.apis[l.ID] = l.API
		t.p.wanted.want(l.ID, l.sent(), t.times(l), t.p.w.now())
		return judge.Event{
			Kind: judge.Sent, API: l.API, Request: l.ID, Node: l.Node, Who: l.who(), Partitions: l.claims(), Read: l.readers(),
		}, true
	case "rule":
		return judge.Event{Kind: judge.Fired, Rule: t.p.w.rules[l.Rule+" "+l.At], Code: l.Code, Request: l.Request, From: l.State, To: l.State}, true
	case "state":
		return judge.Event{Kind: judge.Fired, Rule: t.p.w.rules[l.Rule+" "+l.At], Code: l.Code, Request: l.Request, From: l.From, To: l.To}, true
	case "callback":
		t.kind = callbackKinds[l.Kind]
		return judge.Event{Kind: judge.CallbackBegun, Callback: t.kind, Who: l.who()}, true
	case "callback_ended":
		return judge.Event{Kind: judge.CallbackEnded, Callback: t.kind, Err: err}, true
	case "leave_asked":
		return judge.Event{Kind: judge.Leaving, Mode: l.Mode}, true
	case "left":
		return judge.Event{Kind: judge.Left, Err: err}, true
	}
	return e, false
}

var callbackKinds = map[string]heartbeat.CallbackKind{
	"assigned": heartbeat.CallbackAssigned, "revoked": heartbeat.CallbackRevoked, "lost": heartbeat.CallbackLost,
}

// who is whom the line names.
func (l traceLine) who() judge.Identity {
	return judge.Identity{MemberID: l.Member, Generation: l.Generation}
}

// sent is what the wire must show of a request.
func (l traceLine) sent() sent {
	s := sent{l.API, l.Member, l.Generation}
	switch l.API {
	case classic.InputFindCoordinator:
		s.member, s.generation = "", 0
	case classic.InputJoinGroup, classic.InputLeaveGroup:
		s.generation = 0
	}
	return s
}

// times is how often a request may be seen on the wire: a lookup at each broker, as a seed and by its id; what is to be sent
// again twice; and others once.
func (t *tracer) times(l traceLine) int {
	switch {
	case l.API == classic.InputFindCoordinator:
		return 2 * len(t.p.w.cluster.ListenAddrs())
	case l.Again > 0:
		return 2
	}
	return 1
}

// readers are whose offsets a commit carries.
func (l traceLine) readers() []judge.Identity {
	var metadata []string
	for _, o := range l.Offsets {
		metadata = append(metadata, o.Metadata)
	}
	return judge.Readers(metadata...)
}

// claims are the partitions that a JoinGroup says that the member owns.
func (l traceLine) claims() (list []judge.Partition) {
	for _, p := range l.Protocols {
		metadata := []byte(p.Metadata)
		if coded, ok := strings.CutPrefix(p.Metadata, "base64:"); ok {
			metadata, _ = base64.StdEncoding.DecodeString(coded)
		}
		var m kmsg.ConsumerMemberMetadata
		if m.ReadFrom(metadata) != nil {
			continue
		}
		for _, t := range m.OwnedPartitions {
			for _, n := range t.Partitions {
				list = append(list, judge.Partition{Topic: t.Topic, Number: n})
			}
		}
	}
	return list
}
