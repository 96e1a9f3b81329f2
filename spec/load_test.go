package spec_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/spec"
)

// TestMachines reads machines of very different protocols. Their sizes are those of an independent model of the notation.
func TestMachines(t *testing.T) {
	for _, x := range []struct {
		file, name                                   string
		rules, cells, states, guards, flags, effects int
	}{
		{"consumer", "consumer", 111, 7860, 10, 21, 8, 35},
		{"lcp", "lcp", 82, 160, 10, 0, 0, 13},
		{"grpc", "connectivity", 18, 45, 5, 1, 0, 5},
	} {
		t.Run(x.name, func(t *testing.T) {
			m, err := spec.Load("testdata/machines/" + x.file + ".yaml")
			require.NoError(t, err)
			require.Equal(t, x.name, m.Name)
			rules := 0
			for _, in := range m.Inputs() {
				rules += len(in.Rules())
			}
			require.Equal(t, []int{x.rules, x.cells, x.states, x.guards, x.flags, x.effects},
				[]int{rules, len(m.Cells()), len(m.States), len(m.Guards), len(m.Flags), len(m.Effects)}, "rules, cells, states, guards, flags, effects")
		})
	}
}
