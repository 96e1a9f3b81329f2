package heartbeat

import (
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
}

// endure lets a member, which is polled whenever no poll waits, live with a stubborn broker for 10 s, and returns how often it
// has sent each request.
func endure(t *testing.T, api classic.Input, codes []classic.Code, changes ...func(*Config)) map[classic.Input]int {
	b := &stubborn{driven: drive(t, changes...), api: api, codes: codes, sent: map[classic.Input]int{}}
	b.step(Poll{})
	for b.now < 10*time.Second {
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

// react does what the Core wants of the application, which commits whenever nothing else is to be done.
func (b *stubborn) react() {
	for _, o := range b.out {
		switch o := o.(type) {
		case Request:
			b.sent[o.API]++
		case Callback:
			defer b.step(CallbackEnded{})
		case RunAssignment:
			defer b.step(Assigned{Join: o.Join})
		}
	}
	b.out = nil
}

func (b *stubborn) reply(r Request) {
	code := classic.CodeNone
	if r.API == b.api {
		code = b.codes[b.given%len(b.codes)]
		b.given++
	}
	b.end(r, code)
}

// rest lets time pass until something is due; the application polls again after a millisecond.
func (b *stubborn) rest() {
	if !b.core.polling {
		b.now += time.Millisecond
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
	}
	return nil
}

func TestRepetitionsHaveAPauseThatGrows(t *testing.T) {
	for _, api := range []classic.Input{classic.InputFindCoordinator, classic.InputJoinGroup, classic.InputSyncGroup, classic.InputHeartbeat} {
		codes := kinds(api)
		require.Greater(t, len(codes), 3, api)
		for _, a := range codes {
			for _, b := range codes {
				t.Run(fmt.Sprintf("%s %s %s", api, a, b), func(t *testing.T) {
					for kind, n := range endure(t, api, []classic.Code{a, b}) {
						require.LessOrEqual(t, n, mostRepeated, kind)
					}
				})
			}
		}
	}
}
