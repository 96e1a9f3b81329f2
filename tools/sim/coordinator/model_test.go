package coordinator_test

import (
	"testing"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/sim/coordinator"
)

// model is the backend that the simulation has.
type model struct {
	t       testing.TB
	script  string
	group   *coordinator.Group
	now     time.Duration
	answers int
}

func newModel(t testing.TB, s script) *model {
	c := coordinator.Config{}
	if s.delayed {
		c.InitialDelay = initialDelay
	}
	return &model{t: t, script: s.name, group: coordinator.New(c)}
}

func (m *model) send(r heartbeat.Request, f func(answer)) {
	m.group.Handle(m.now, r, func(r heartbeat.Response) {
		m.answers++
		f(answer{Response: r})
	})
}

// remove asks for one after the other: nothing can come between them.
func (m *model) remove(members []heartbeat.JoinMember, f func(answer)) {
	var all answer
	for _, x := range members {
		m.send(heartbeat.Request{API: classic.InputLeaveGroup, Member: x.ID, Instance: x.Instance}, func(a answer) {
			all.left = append(all.left, a.Code)
		})
	}
	f(all)
}

func (m *model) describe(f func(answer)) {
	a := answer{state: string(m.group.State())}
	for _, h := range m.group.Held() {
		if !h.Pending {
			a.ids = append(a.ids, h.ID)
		}
	}
	f(a)
}

func (m *model) restart() {
	m.group.Crash(m.now)
	m.group.Load(m.now)
}

// margin is how far from the ends of a step something must happen by time alone, lest a real broker that is a little late
// be taken for one that does otherwise.
const margin = 200 * time.Millisecond

func (m *model) pass(d time.Duration) {
	began, ends := m.now, m.now+d
	for {
		at, ok := m.group.Deadline()
		if !ok || at > ends {
			break
		}
		changes, answers := m.group.Changes(), m.answers
		m.now = max(m.now, at)
		m.group.Tick(m.now)
		if m.group.Changes() != changes || m.answers != answers {
			if m.now-began < margin || ends-m.now < margin {
				m.t.Errorf("%s: after %v something happens by itself, in a step from %v to %v; it must not be near their ends", m.script, m.now, began, ends)
			}
		}
	}
	m.now = ends
}
