package world

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/tools/sim/judge"
)

// calmPlan is a plan in which nothing happens but the births of its members and these acts.
func calmPlan(acts ...Act) Plan {
	p := NewPlan(1, small)
	only(acts...)(&p)
	p.Config.SessionTimeout, p.Config.HeartbeatInterval, p.Config.MaxPollInterval = 20*time.Second, 2*time.Second, 30*time.Second
	p.Config.RequestTimeout = 30 * time.Second
	p.Length = 8 * time.Minute
	p.Calm = p.Length - judge.Settle(&p.Config) - 15*time.Second
	for i := range p.People {
		p.People[i].Batch, p.People[i].Patience, p.People[i].Instance = 0, 0, ""
	}
	return p
}

// seen are the events of a run, which must break nothing.
func seen(t *testing.T, p Plan) (events []judge.Event) {
	o, err := Run(p, Options{Saw: func(e judge.Event) { events = append(events, e) }})
	require.NoError(t, err)
	require.Empty(t, o.Violations)
	return events
}

// A broker that is back before the controller has missed it answers what has reached it, and nobody notices more than that it
// was late. Where it was missed, the group is another one's, and all that it says is that it is the coordinator no longer.
func TestOutages(t *testing.T) {
	for _, kind := range []ActKind{BrokerKill, BrokerStop, BrokerCut} {
		for _, lasts := range []time.Duration{6 * time.Second, 40 * time.Second} {
			t.Run(string(kind)+" for "+lasts.String(), func(t *testing.T) {
				const at = 70 * time.Second
				former, answered := int32(-1), map[classic.Code]bool{}
				moved, back := false, false
				p := calmPlan(Act{At: at, For: lasts, Kind: kind, Who: -1})
				for _, e := range seen(t, p) {
					switch {
					case e.Kind == judge.Sent && e.API == classic.InputHeartbeat && e.At < at:
						former = e.Node
					case e.Kind == judge.Sent && e.API == classic.InputHeartbeat && e.Node != former && !moved:
						moved = true
						require.Less(t, e.At, at+controllerSession+2*time.Second+2*judge.SilenceLimit(&p.Config, false), "%s", e)
					case e.Kind == judge.Answered && e.At > at:
						answered[e.Code] = true
						back = back || e.At > at+lasts && e.API == classic.InputHeartbeat && e.Code == classic.CodeNone
					}
				}
				require.Equal(t, lasts > controllerSession, moved, "heartbeats go to another broker")
				require.True(t, back)
				require.Equal(t, kind == BrokerKill, answered[classic.CodeDisconnect], "whether connections end")
			})
		}
	}
}

// A heartbeat on a connection that carries nothing any more is answered on a second one, long before the session ends.
func TestASecondConnection(t *testing.T) {
	p := calmPlan(Act{At: 70 * time.Second, Kind: Mute, Who: 0})
	answered := false
	for _, e := range seen(t, p) {
		if e.Member == "m0" && e.Kind == judge.Answered && e.API == classic.InputHeartbeat && e.At > 73*time.Second && e.At < 85*time.Second {
			answered = true
		}
		require.False(t, e.Kind == judge.Fired && e.Rule.Result == classic.ResultHeartbeatTurnSessionOver)
	}
	require.True(t, answered)
}
