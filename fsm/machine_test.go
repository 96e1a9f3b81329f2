package fsm_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kbeat/kbeat/fsm"
)

func TestFire(t *testing.T) {
	var told []string
	m := machine(t, fsm.Hooks[light]{
		Leave:      func(l light) { told = append(told, "leave "+l.String()) },
		Transition: func(from, to light, event string) { told = append(told, fmt.Sprintf("%s: %s to %s", event, from, to)) },
		Enter:      func(l light) { told = append(told, "enter "+l.String()) },
	})
	require.Equal(t, []string{"go", "test"}, m.Available())
	require.NoError(t, m.Fire("go"))
	require.Equal(t, []string{"leave red", "go: red to green", "enter green"}, told)
	require.Equal(t, []string{"warn"}, m.Available())

	told = nil
	var illegal *fsm.IllegalEventError
	require.ErrorAs(t, m.Fire("stop"), &illegal)
	require.Equal(t, fsm.IllegalEventError{Event: "stop", State: "green"}, *illegal)
	require.EqualError(t, illegal, "no way leads from state green by stop")
	err := m.Fire("fly")
	require.ErrorIs(t, err, fsm.ErrUnknownEvent)
	require.EqualError(t, err, "unknown event: fly")
	require.Empty(t, told)
	require.Equal(t, green, m.State())
}

func TestNewDefinitionRefuses(t *testing.T) {
	names := func(l light) string { return map[light]string{red: "red", green: "green", yellow: "red"}[l] }
	for _, c := range []struct {
		initial light
		edge    fsm.Edge[light]
		want    string
	}{
		{red, fsm.Edge[light]{From: red, To: green}, `an edge from "red" to "green" has no event`},
		{red, fsm.Edge[light]{Event: "go", From: red, To: "blue"}, "the state blue has no name"},
		{"blue", fsm.Edge[light]{Event: "go", From: red, To: green}, "the state blue has no name"},
		{red, fsm.Edge[light]{Event: "go", From: yellow, To: green}, `the states red and yellow are both called "red"`},
	} {
		_, err := fsm.NewDefinition(c.initial, names, []fsm.Edge[light]{c.edge})
		require.ErrorIs(t, err, fsm.ErrUndefined)
		require.ErrorContains(t, err, c.want)
	}
}

func TestEdgesAreACopy(t *testing.T) {
	given := slices.Clone(ways)
	d, err := fsm.NewDefinition(red, light.String, given)
	require.NoError(t, err)
	given[0].To = yellow
	d.Edges()[1].To = red
	require.Equal(t, ways, d.Edges())
}

// TestMachineIsItsEdges walks random machines along random events, and looks each step up in the edges.
func TestMachineIsItsEdges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		state := rapid.IntRange(0, 4)
		event := rapid.SampledFrom([]string{"a", "b", "c", "d"})
		edges := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) fsm.Edge[int] {
			return fsm.Edge[int]{Event: event.Draw(t, "event"), From: state.Draw(t, "from"), To: state.Draw(t, "to")}
		}), 0, 20, func(e fsm.Edge[int]) string { return fmt.Sprint(e.Event, e.From) }).Draw(t, "edges")
		d, err := fsm.NewDefinition(0, strconv.Itoa, edges)
		require.NoError(t, err)
		machines := []*fsm.Machine[int]{d.Machine(fsm.Hooks[int]{}), d.Machine(fsm.Hooks[int]{})}
		at := []int{0, 0}
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			i, fired := rapid.IntRange(0, 1).Draw(t, "machine"), event.Draw(t, "fired")
			leads := slices.IndexFunc(edges, func(e fsm.Edge[int]) bool { return e.Event == fired && e.From == at[i] })
			require.Equal(t, leads >= 0, machines[i].Can(fired))
			require.Equal(t, leads >= 0, slices.Contains(machines[i].Available(), fired))
			require.Equal(t, leads >= 0, machines[i].Fire(fired) == nil)
			if leads >= 0 {
				at[i] = edges[leads].To
			}
			require.Equal(t, at, []int{machines[0].State(), machines[1].State()})
		}
	})
}
