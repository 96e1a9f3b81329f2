package wire

import "slices"

// gate holds a process up until it is closed: its application, its member's goroutine, or both.
type gate struct {
	closed      <-chan struct{}
	app, member bool
}

// hold lets the process stand still until the gate is closed: whatever it does next waits.
func (p *process) hold(g gate) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gates = append(p.gates, g)
}

// stand returns when nothing holds the application.
func (p *process) stand() { p.pass(gate.holdsApp) }

// standAsMember returns when nothing holds the member.
func (p *process) standAsMember() { p.pass(gate.holdsMember) }

// held reports whether something does.
func (p *process) held() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.gates, gate.holdsMember)
}

func (g gate) holdsApp() bool { return g.app }

func (g gate) holdsMember() bool { return g.member }

func (p *process) pass(holds func(gate) bool) {
	for {
		p.mu.Lock()
		i := slices.IndexFunc(p.gates, holds)
		if i < 0 {
			p.mu.Unlock()
			return
		}
		g := p.gates[i]
		p.mu.Unlock()
		select {
		case <-g.closed:
		case <-p.dying:
			return
		}
		p.mu.Lock()
		p.gates = slices.DeleteFunc(p.gates, func(o gate) bool { return o == g })
		p.mu.Unlock()
	}
}
