package wire

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/tools/sim/judge"
)

// befalls is the scene without its troubles, and with one of a kind that befalls each of its members, one after the other.
func befalls(kind faultKind, lasts time.Duration) plan {
	p := scene()
	p.cast = append(p.cast, role{kind: pollsLate}, role{kind: progresses})
	p.calm, p.faults = 3*time.Minute, nil
	p.length = p.calm + judge.Settle(&p.timing) + 10*time.Second
	for i := range p.cast {
		p.faults = append(p.faults, fault{kind: kind, slot: i, at: time.Duration(40+20*i) * time.Second, lasts: lasts, api: anyAPI, node: anyNode, share: always})
	}
	return p
}

// Where the application closes the client under its member, the next poll says so, whatever the application is like; the
// member sends nothing any more, and a new one takes its place.
func TestAClosedClientEndsItsMember(t *testing.T) {
	p := befalls(clientClosed, 0)
	r := p.play(t, flaw{})
	require.False(t, r.failed(), "%v %v", r.violations, r.broken)
	for _, f := range p.faults {
		name := nameOf(f.slot, 1)
		var told, next bool
		for _, e := range r.events {
			if e.At <= f.at {
				continue
			}
			if e.Member == name && e.Kind == judge.Answered {
				require.Equal(t, classic.CodeTransportClosed, e.Code, "%s: %s", name, e)
			}
			told = told || e.Member == name && e.Kind == judge.PollReturned && strings.Contains(fmt.Sprint(e.Err), classic.CodeTransportClosed.String())
			next = next || e.Member == nameOf(f.slot, 2) && e.Kind == judge.Born
		}
		require.True(t, told, "no poll tells the application of %s", name)
		require.True(t, next, "nobody takes the place of %s", name)
	}
}

// A member that was starved for longer than its session, as one is whose clock steps, finds its session or its lease over, before it
// sends another heartbeat.
func TestAStarvedMemberFindsItsSessionOver(t *testing.T) {
	p := befalls(starved, 15*time.Second)
	r := p.play(t, flaw{})
	require.False(t, r.failed(), "%v %v", r.violations, r.broken)
	for _, f := range p.faults {
		name := nameOf(f.slot, 1)
		over := false
		for _, e := range r.events {
			if e.Member != name || e.At < f.at+f.lasts || over {
				continue
			}
			require.False(t, e.Kind == judge.Sent && e.API == classic.InputHeartbeat, "%s does not notice: %s", name, e)
			over = e.Kind == judge.Fired && (e.Rule.Result == classic.ResultHeartbeatTurnSessionOver || e.Rule.Result == classic.ResultHeartbeatTurnLeaseEnded)
		}
		require.True(t, over, "%s does not notice", name)
	}
}
