package heartbeat

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

// mostRepeated is how many requests of one kind a member may send in 10 s to a broker that answers each in the same way.
const mostRepeated = 20

// stubborn is a broker that answers one API with the same codes in turn, and everything else well, each after a millisecond.
type stubborn struct {
	*driven
	api   classic.Input
	codes []classic.Code
	sent  map[classic.Input]int
	given int

	ask      Input // of the application, whenever it is assigned something
	callback error // returned by each callback
	assignor error // returned by the assignor, and the member leads
}

// endure lets a member, which is polled whenever no poll waits, live with a stubborn broker for 10 s, or until it has sent one
// request far too often, and returns how often it has sent each.
func endure(t *testing.T, b *stubborn, changes ...func(*Config)) map[classic.Input]int {
	b.driven, b.sent = drive(t, changes...), map[classic.Input]int{}
	b.step(Poll{})
	for b.now < 10*time.Second && b.most() < 2*mostRepeated {
		b.react()
		switch {
		case len(b.open) > 0:
			b.now += time.Millisecond
			b.reply(b.open[0])
		default:
			b.rest()
		}
	}
	return b.sent
}

func (b *stubborn) most() (n int) {
	for _, sent := range b.sent {
		n = max(n, sent)
	}
	return n
}

// react does what the Core wants of the application, which commits when it is assigned something, and once more when that
// commit has ended.
func (b *stubborn) react() {
	for len(b.out) > 0 {
		o := b.out[0]
		b.out = b.out[1:]
		switch o := o.(type) {
		case Request:
			b.sent[o.API]++
		case Callback:
			b.tell(CallbackEnded{b.callback})
			if o.Kind != CallbackAssigned {
				continue
			}
			b.tell(CommitAsked{ID: 1, Member: o.Member, Generation: o.Generation, Offsets: []Offset{{Topic: "t"}}})
			if b.ask != nil {
				b.tell(b.ask)
			}
		case CommitEnded:
			if o.ID == 1 {
				b.tell(CommitAsked{ID: 2, Member: b.core.who.member, Generation: b.core.who.generation, Offsets: []Offset{{Topic: "t"}}})
			}
		case RunAssignment:
			b.tell(AssignmentFailed{Join: o.Join, Err: b.assignor})
		}
	}
}

// tell tells the Core something; what it wants comes after what it wanted before.
func (b *stubborn) tell(in Input) {
	wanted := b.out
	b.step(in)
	b.out = append(wanted, b.out...)
}

func (b *stubborn) reply(r Request) {
	code := classic.CodeNone
	switch {
	case r.API == b.api:
		code = b.codes[b.given%len(b.codes)]
		b.given++
	case r.API == classic.InputJoinGroup && r.Member == "" && r.Instance == "":
		code = classic.CodeMemberIDRequired
	}
	if b.assignor != nil && r.API == classic.InputJoinGroup && code == classic.CodeNone {
		b.end(r, code, leads)
		return
	}
	b.end(r, code)
}

// rest lets time pass until something is due; the application polls again after ten milliseconds.
func (b *stubborn) rest() {
	if !b.core.polling {
		b.now += 10 * time.Millisecond
		b.step(Poll{})
		return
	}
	end, ok := b.core.Deadline()
	if !ok {
		end = 10 * time.Second
	}
	b.now = max(b.now+time.Millisecond, min(end, 10*time.Second))
	b.step(Tick{})
}

// kinds are codes of a response of which each is decided by another rule, in the state in which it usually comes.
func kinds(api classic.Input) (codes []classic.Code) {
	seen := map[*classic.Rule]bool{}
	for _, n := range slices.Concat(numbers(-1100, -990), numbers(-1, 140)) {
		c := classic.Code(n)
		rule := decideUsual(api, c)
		if rule != nil && !seen[rule] {
			seen[rule] = true
			codes = append(codes, c)
		}
	}
	return codes
}

func numbers(from, to int16) (out []int16) {
	for n := from; n <= to; n++ {
		out = append(out, n)
	}
	return out
}

func decideUsual(api classic.Input, c classic.Code) *classic.Rule {
	stable := classic.Memory{State: classic.Stable, Flags: classic.CoordinatorKnown}
	switch api {
	case classic.InputFindCoordinator:
		return classic.DecideFindCoordinator(classic.Memory{}, c, classic.FindCoordinatorGuards{})
	case classic.InputJoinGroup:
		return classic.DecideJoinGroup(classic.Memory{State: classic.PreparingRebalance, Flags: classic.CoordinatorKnown}, c, classic.JoinGroupGuards{})
	case classic.InputSyncGroup:
		return classic.DecideSyncGroup(classic.Memory{State: classic.CompletingRebalance, Flags: classic.CoordinatorKnown}, c, classic.SyncGroupGuards{})
	case classic.InputHeartbeat:
		return classic.DecideHeartbeat(stable, c, classic.HeartbeatGuards{})
	case classic.InputOffsetCommit:
		return classic.DecideOffsetCommit(stable, c, classic.OffsetCommitGuards{})
	}
	return nil
}

// endured are the members that live with a stubborn broker.
var endured = map[string][]func(*Config){"dynamic": nil, "static": {static}, "leased": {leased}, "hasty": {func(c *Config) { c.HeartbeatInterval = time.Second }}}

func TestRepetitionsHaveAPauseThatGrows(t *testing.T) {
	for _, api := range []classic.Input{classic.InputFindCoordinator, classic.InputJoinGroup, classic.InputSyncGroup, classic.InputHeartbeat, classic.InputOffsetCommit} {
		codes := kinds(api)
		require.Greater(t, len(codes), 3, api)
		for member, changes := range endured {
			for _, a := range codes {
				for _, b := range codes {
					t.Run(fmt.Sprintf("%s %s %s %s", api, a, b, member), func(t *testing.T) {
						for kind, n := range endure(t, &stubborn{api: api, codes: []classic.Code{a, b}}, changes...) {
							require.LessOrEqual(t, n, mostRepeated, kind)
						}
					})
				}
			}
		}
	}
}

func TestJoinsThatTheApplicationCausesHaveAPauseThatGrows(t *testing.T) {
	failure := errors.New("broken")
	for name, b := range map[string]stubborn{
		"a callback that asks for a rejoin": {ask: RejoinAsked{Reason: "another"}},
		"a heartbeat loop that breaks":      {ask: LoopBroke{Err: failure}},
		"callbacks that fail":               {callback: failure, ask: RejoinAsked{Reason: "another"}},
		"an assignor that fails":            {assignor: failure},
	} {
		for member, changes := range endured {
			t.Run(name+", "+member, func(t *testing.T) {
				sent := endure(t, &b, changes...)
				require.Greater(t, sent[classic.InputJoinGroup], 5, "it joins again each time")
				for kind, n := range sent {
					require.LessOrEqual(t, n, mostRepeated, kind)
				}
			})
		}
	}
}

// evenly lets the pauses of a Core have no jitter.
func (d *driven) evenly() *driven {
	d.core.clocks.even = true
	return d
}

// rejoins lets a poll that is to join again do so, and returns how long it has paused before.
func (d *driven) rejoins() time.Duration {
	d.t.Helper()
	began := d.now
	if !d.core.polling {
		d.step(Poll{})
	}
	d.step(CallbackEnded{})
	for !slices.ContainsFunc(d.open, func(r Request) bool { return r.API == classic.InputJoinGroup }) {
		end, ok := d.core.Deadline()
		require.True(d.t, ok, "the member does not join again")
		d.now = max(d.now, end)
		d.step(Tick{})
	}
	pause := d.now - began
	d.rejoin()
	return pause
}

// A coordinator that takes a member in and refuses each of its commits is not asked without end. The first repetition of a
// join has no pause, and a heartbeat that is answered begins the row anew.
func TestACommitThatMakesTheMemberRejoinHasAPause(t *testing.T) {
	pauses := []time.Duration{0, 250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 2500 * time.Millisecond, 2500 * time.Millisecond}
	refusals := []classic.Code{classic.CodeIllegalGeneration, classic.CodeUnknownMemberID, classic.CodeRebalanceInProgress, classic.CodeGroupIDNotFound}
	for _, a := range refusals {
		for _, b := range refusals {
			d := drive(t).evenly().join()
			refuse := func(code classic.Code) time.Duration {
				d.step(CommitAsked{Member: d.core.who.member, Generation: d.core.who.generation, Offsets: []Offset{{Topic: "t"}}})
				d.answer(classic.InputOffsetCommit, code)
				return d.rejoins()
			}
			for range 2 {
				for i, want := range pauses {
					require.Equal(t, want, refuse([]classic.Code{a, b}[i%2]), "%s and %s in turn, rejoin %d", a, b, i)
				}
				d.end(d.beat(), classic.CodeNone)
				require.Zero(t, refuse(a), "the generation has lasted: this join repeats none")
			}
		}
	}
}

// A rebalance that a heartbeat tells of has no pause, however many follow each other; nor has a second join of it, as the
// members make that release partitions only when they see what the others are assigned.
func TestRebalancesHaveNoPause(t *testing.T) {
	d := drive(t).evenly().join()
	for range 5 {
		d.end(d.beat(), classic.CodeRebalanceInProgress)
		require.Zero(t, d.rejoins())
		d.step(RejoinAsked{Reason: "released"})
		require.Zero(t, d.rejoins())
	}
}
