package weak

import "testing"

type bell struct{ rung int }

func (b *bell) Ring() { b.rung++ }

// TestSwitch never looks at what happens when the switch is on.
func TestSwitch(t *testing.T) {
	m, b := Memory{}, &bell{}
	decided := DecideSwitch(m)
	if HandleSwitch(&m, b) != decided || m != (Memory{decided.To[0], 1}) || m.State != On || b.rung != 1 {
		t.Fatal(m, b.rung)
	}
}
