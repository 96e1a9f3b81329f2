package heartbeat

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

// life is a Core to which anything happens at any time; the dice say what. After each step it is held against what no
// life may break (life_invariants_test.go). It is what FuzzCore explores, and what traces are made of in tests.
type life struct {
	t         testing.TB
	dice      *dice
	config    Config // at first
	core      *Core
	now       time.Duration
	steps     []lived
	open      []Request                // not answered yet
	sentAt    map[uint64]time.Duration // when each request was
	lateJoins map[uint64]bool          // of open: nobody waits for their answers, which still may bring a member id
	done      []uint64                 // ids of those that were
	plans     []RunAssignment
	ids       int   // member ids that the coordinator has given
	gen       int32 // the coordinator's
	commits   uint64
	watching  watching
}

// lived is one step.
type lived struct {
	now time.Duration
	in  Input
	out []Output
}

// newLife is the life of a member that the dice configure.
func newLife(t testing.TB, d *dice) *life {
	config := Config{Group: "g", ProtocolType: "consumer", Protocols: []Protocol{{Name: "range", Metadata: d.bytes()}, {Name: "sticky"}}, Seed: uint64(d.roll(256))}
	if d.roll(3) == 0 {
		config.InstanceID = "i"
	}
	config.Lease = d.roll(3) == 0
	if d.roll(2) == 0 {
		config.SessionTimeout, config.HeartbeatInterval, config.MaxPollInterval = 50*time.Millisecond, 9*time.Millisecond, 80*time.Millisecond
		config.RetryBackoff, config.RetryBackoffMax = 7*time.Millisecond, 20*time.Millisecond
	}
	if config.Lease && config.SessionTimeout != 0 { // a lease ends 50 ms before the session
		config.SessionTimeout, config.MaxPollInterval = 130*time.Millisecond, 150*time.Millisecond
	}
	core, err := NewCore(config)
	require.NoError(t, err)
	l := newLifeOf(t, core)
	l.dice, l.gen = d, 4
	core.observe = l.watching.decided
	return l
}

// newLifeOf is the life of a Core that nothing has happened to.
func newLifeOf(t testing.TB, core *Core) *life {
	return &life{t: t, config: core.config, core: core, sentAt: map[uint64]time.Duration{}, lateJoins: map[uint64]bool{}}
}

// run lets things happen until the dice are used up, and then all be well.
func (l *life) run() {
	for l.dice.left() {
		l.step(l.happen())
	}
	l.recover()
}

// trace is the life so far, written down.
func (l *life) trace() *bytes.Buffer {
	var trace bytes.Buffer
	w := NewTraceWriter(&trace, l.config)
	for _, s := range l.steps {
		require.NoError(l.t, w.Record(s.now, s.in, s.out))
	}
	return &trace
}

// happen is the next input. Polls, answers and ends of callbacks are the most frequent, so that members get far.
func (l *life) happen() Input {
	d := l.dice
	if d.roll(4) == 0 {
		l.pass()
	}
	switch d.roll(24) {
	case 0, 1, 2:
		return Tick{}
	case 3, 4, 5, 6:
		return Poll{}
	case 7:
		return PollGivenUp{}
	case 8, 9, 10, 11, 12, 13, 14:
		return l.answer()
	case 15, 16, 17:
		return CallbackEnded{d.err(4)}
	case 18:
		return l.assigned()
	case 19:
		who := []identity{l.core.told, l.core.who, nobody}[d.roll(3)]
		return CommitAsked{ID: l.commit(), Member: who.member, Generation: who.generation, Offsets: []Offset{{Topic: d.text(), Partition: int32(d.roll(3)), Offset: int64(d.roll(9)) << 50, LeaderEpoch: -1, Metadata: d.text()}}}
	case 20:
		if d.roll(2) == 0 {
			return RejoinAsked{d.text()}
		}
		return ProtocolsChanged{[][]Protocol{nil, {{Name: "range", Metadata: d.bytes()}}, {{}}}[d.roll(3)]}
	case 21:
		return LeaveAsked{Mode: LeaveMode(d.roll(4)), Reason: d.text()}
	case 22:
		return LoopBroke{d.err(2)}
	default:
		if d.roll(16) == 0 {
			return CloseAsked{}
		}
		return l.assigned()
	}
}

// pass lets time pass.
func (l *life) pass() {
	deadline, ok := l.core.Deadline()
	switch roll := l.dice.roll(6); {
	case roll < 2 && ok:
		l.now = deadline
	case roll == 2 && ok:
		l.now = max(l.now, deadline-1)
	case roll == 3:
		l.now += l.core.config.SessionTimeout
	case roll == 4:
		l.now += l.core.config.MaxPollInterval
	default:
		l.now += time.Duration(l.dice.roll(256)) * 150 * time.Microsecond
	}
}

func (l *life) commit() uint64 {
	l.commits++
	return l.commits
}

// assigned ends a leader's assignment: of the present join, an earlier one, or none.
func (l *life) assigned() Input {
	join := uint64(l.dice.roll(5))
	if len(l.plans) > 0 && l.dice.roll(4) > 0 {
		join = l.plans[len(l.plans)-1].Join
	}
	if l.dice.roll(4) == 0 {
		return AssignmentFailed{join, l.dice.err(1)}
	}
	return Assigned{join, []Assignment{{Member: "m1", Data: l.dice.bytes()}, {Member: l.dice.text()}}}
}

// answer ends a request: one of those that wait, or one that does not.
func (l *life) answer() Input {
	d := l.dice
	if len(l.open) == 0 || d.roll(16) == 0 {
		id := uint64(d.roll(6))
		if len(l.done) > 0 && d.roll(2) == 0 {
			id = l.done[d.roll(len(l.done))]
		}
		return Response{ID: id, Code: d.code(), Member: "m9", Generation: 9}
	}
	sent := l.open[d.roll(len(l.open))]
	r := l.good(sent)
	if d.roll(2) == 0 {
		r.Code, r.Err = d.code(), d.err(2)
	}
	if d.roll(4) == 0 {
		r.ProtocolType = []*string{nil, new("other"), new(""), new("consumer")}[d.roll(4)]
		r.Protocol = []*string{nil, new("other"), new(""), new("sticky")}[d.roll(4)]
	}
	switch d.roll(12) {
	case 0:
		r.Node = int32(d.roll(4)) - 1
	case 1:
		r.Generation, r.SkipAssignment = -1, true
	case 2:
		r.Member = ""
	case 3:
		r.Leader, r.SkipAssignment = r.Member, d.roll(2) == 0
	case 4:
		if sent.API == classic.InputJoinGroup {
			r.Member = l.newID()
		}
	}
	return r
}

// good is the answer of a coordinator with which all is well.
func (l *life) good(sent Request) Response {
	r := Response{ID: sent.ID}
	switch sent.API {
	case classic.InputFindCoordinator:
		r.Node = 1
	case classic.InputJoinGroup:
		l.gen++
		r.Generation, r.Member, r.Protocol, r.ProtocolType = l.gen, sent.Member, new("range"), new("consumer")
		if r.Member == "" {
			r.Member = l.newID()
		}
		r.Leader = r.Member
		if l.dice.roll(2) == 0 {
			r.Leader = "someone"
		}
		r.Members = []JoinMember{{ID: r.Member, Instance: sent.Instance, Metadata: []byte("abc")}, {ID: "someone", Metadata: l.dice.bytes()}}
	case classic.InputSyncGroup:
		r.Assignment, r.Protocol = l.dice.bytes(), new(sent.Protocol)
	case classic.InputOffsetCommit:
		r.Partitions = []PartitionError{{Topic: sent.Offsets[0].Topic, Partition: 1, Code: classic.CodeNone}}
	}
	return r
}

func (l *life) newID() string {
	l.ids++
	return "m" + string(rune('A'+l.ids/26)) + string(rune('a'+l.ids%26))
}

// step lets something happen, and holds what the Core does against what no life may break.
func (l *life) step(in Input) []Output {
	if r, ok := in.(Response); ok {
		l.open = slices.DeleteFunc(l.open, func(o Request) bool {
			if o.ID == r.ID {
				l.done = append(l.done, o.ID)
			}
			return o.ID == r.ID
		})
		delete(l.lateJoins, r.ID)
	}
	l.watching.before(l, in)
	out := slices.Clone(l.core.Step(l.now, in))
	l.steps = append(l.steps, lived{l.now, in, out})
	for _, o := range out {
		switch o := o.(type) {
		case Request:
			l.open = append(l.open, o)
			l.sentAt[o.ID] = l.now
		case RunAssignment:
			l.plans = append(l.plans, o)
		case Abandoned:
			if o.Listen {
				l.lateJoins[o.ID] = true
				continue
			}
			l.open = slices.DeleteFunc(l.open, func(r Request) bool { return r.ID == o.ID })
			l.done = append(l.done, o.ID)
		}
	}
	l.watching.after(l, in, out)
	return out
}

// dice are rolled by bytes, so that a fuzzer can cheat.
type dice struct{ rest []byte }

// newDice are of a seed; they are used up after n rolls.
func newDice(seed uint64, n int) *dice {
	r := rand.New(rand.NewPCG(seed, 0))
	d := &dice{make([]byte, n)}
	for i := range d.rest {
		d.rest[i] = byte(r.Uint32())
	}
	return d
}

func (d *dice) left() bool { return len(d.rest) > 0 }

// roll is in [0, sides), and 0 when the dice are used up.
func (d *dice) roll(sides int) int {
	if len(d.rest) == 0 {
		return 0
	}
	b := d.rest[0]
	d.rest = d.rest[1:]
	return int(b) % sides
}

// text is what may be hard to write down.
func (d *dice) text() string {
	return []string{"", "because", "{code} {given}", "base64:!", "\xff\xfe", "tëxt\n\u2028<&>\"\\", "\x00", "a b"}[d.roll(8)]
}

func (d *dice) bytes() []byte {
	return [][]byte{nil, {}, []byte("text"), {0, 1, 0xff}, []byte("base64:AA=="), []byte("é\n"), []byte("\ufffd")}[d.roll(7)]
}

// err is nil but for one time in rare.
func (d *dice) err(rare int) error {
	if d.roll(rare) > 0 {
		return nil
	}
	return []error{errors.New(d.text()), errors.Join(errors.New("one"), errors.New("two")), &Error{Name: "X"}, ErrClosed}[d.roll(4)]
}

// code is one that the rules of the classic protocol name, or any number.
func (d *dice) code() classic.Code {
	named := []classic.Code{
		classic.CodeNone, classic.CodeIllegalGeneration, classic.CodeUnknownMemberID, classic.CodeRebalanceInProgress, classic.CodeFencedInstanceID,
		classic.CodeMemberIDRequired, classic.CodeNotCoordinator, classic.CodeCoordinatorNotAvailable, classic.CodeCoordinatorLoadInProgress,
		classic.CodeDisconnect, classic.CodeSendTimeout, classic.CodeVersionMismatch, classic.CodeAuthenticationException, classic.CodeMalformed,
		classic.CodeGroupAuthorizationFailed, classic.CodeInconsistentGroupProtocol,
	}
	if i := d.roll(len(named) + 2); i < len(named) {
		return named[i]
	}
	return classic.Code(d.roll(256) - 8)
}
