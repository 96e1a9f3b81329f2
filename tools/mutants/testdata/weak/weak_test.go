package weak

import "testing"

type bell struct{ rung int }

func (b *bell) Ring() { b.rung++ }

// TestSwitch never looks at what happens when the switch is on.
func TestSwitch(t *testing.T) {
	s, b := Off, &bell{}
	if HandleSwitch(&s, b); s != On || b.rung != 1 {
		t.Fatal(s, b.rung)
	}
}
