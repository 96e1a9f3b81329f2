package fsmtest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/fsmtest"
)

// A lamp with one switch: it answers ON and OFF, and a code that it does not know as otherwise; a lamp that is broken stays dark.
var space = &fsmtest.Space{
	States: []string{"DARK", "LIT"},
	Flags:  []string{"broken", "warm"},
	Codes:  []string{"ON", "OFF", "DIM", "UNKNOWN(9)"},
}

func lamp() *fsmtest.Table {
	return &fsmtest.Table{
		Input: "Switch",
		Kind:  "response",
		Asks:  []fsmtest.Ask{{Name: "broken"}, {Name: "hand", Answers: []string{"left", "right", "none"}}},
		Rules: []fsmtest.Rule{
			{Name: "Switch/ON", Line: 1, Cells: []string{"ON | * | 0-"}, To: []string{"DARK", "LIT"}, Do: []string{"glow"}, Sets: "warm", Result: "done"},
			{Name: "Switch/ON/broken", Line: 2, Cells: []string{"ON | * | 1-"}, Result: "failed"},
			{Name: "Switch/OFF", Line: 3, Cells: []string{"OFF | LIT | --"}, To: []string{"DARK"},
				Do: []string{"cool: slowly"}, Clears: "warm", Starts: "rest", Result: "done"},
			{Name: "Switch/OFF/dark", Line: 4, Cells: []string{"OFF | not LIT | -0", "OFF | DARK | -1", "OFF | DARK | -2"}},
			{Name: "Switch/otherwise", Line: 5, Cells: []string{"otherwise | * | --"}, Result: "failed"},
		},
	}
}

// work does what the table says, written down once more by hand.
func work(p fsmtest.Point) fsmtest.Outcome {
	out := fsmtest.Outcome{State: p.State}
	flags := map[string]bool{"broken": p.Is("broken"), "warm": p.Is("warm")}
	rule := func(name, result string) { out.Decided, out.Handled, out.Result = name, name, result }
	switch {
	case p.Code == "ON" && !p.Is("broken"):
		rule("Switch/ON", "done")
		out.State, out.Calls, flags["warm"] = "LIT", []string{"glow"}, true
	case p.Code == "ON":
		rule("Switch/ON/broken", "failed")
	case p.Code == "OFF" && p.State == "LIT":
		rule("Switch/OFF", "done")
		out.State, out.Calls, flags["warm"] = "DARK", []string{"start rest", "cool: slowly"}, false
	case p.Code == "OFF":
		rule("Switch/OFF/dark", "none")
	default:
		rule("Switch/otherwise", "failed")
	}
	out.Machine = out.State
	var set []string
	for _, f := range space.Flags {
		if flags[f] {
			set = append(set, f)
		}
	}
	if out.Flags = strings.Join(set, "|"); set == nil {
		out.Flags = "none"
	}
	return out
}

func TestEveryPointIsSeen(t *testing.T) {
	var points []string
	require.NoError(t, space.Points(lamp(), func(p fsmtest.Point, _ int) { points = append(points, p.String()) }))
	require.Len(t, points, 4*2*2*3*2, "codes, states, yes or no, three hands, and the other flag set or not")
	require.Contains(t, points, "Switch: UNKNOWN(9), in LIT, not broken, right, all other flags set")
	slices.Sort(points)
	require.Len(t, slices.Compact(points), 4*2*2*3*2, "each once")
	require.Empty(t, space.Differences(lamp(), work))
}

func TestPoint(t *testing.T) {
	seen := 0
	require.NoError(t, space.Points(lamp(), func(p fsmtest.Point, _ int) {
		require.Equal(t, p.Others, p.Is("warm"), "a flag that is not asked for is as the others")
		require.Equal(t, strings.Contains(p.String(), "right"), p.Answer("hand") == 1)
		require.Zero(t, p.Answer("foot"))
		seen++
	}))
	require.NotZero(t, seen)
}

// TestEachAspectIsSeen changes one aspect of what is done at one point.
func TestEachAspectIsSeen(t *testing.T) {
	for aspect, change := range map[string]func(*fsmtest.Outcome){
		"the rule that Decide finds is other":                           func(o *fsmtest.Outcome) { o.Decided = "other" },
		"the rule that Handle returns is other":                         func(o *fsmtest.Outcome) { o.Handled = "other" },
		"the result of Switch/ON (line 1) is odd":                       func(o *fsmtest.Outcome) { o.Result = "odd" },
		"the state after Switch/ON (line 1) is DARK, and LIT is wanted": func(o *fsmtest.Outcome) { o.State = "DARK" },
		"the memory after Switch/ON (line 1) is none, and warm":         func(o *fsmtest.Outcome) { o.Flags = "none" },
		"the state of the machine after Switch/ON (line 1) is stuck":    func(o *fsmtest.Outcome) { o.Machine = "stuck" },
		`what is done by Switch/ON (line 1) is ["glow" "glow"]`:         func(o *fsmtest.Outcome) { o.Calls = append(o.Calls, "glow") },
		"the handler is called before the memory has moved":             func(o *fsmtest.Outcome) { o.Early = true },
	} {
		differences := space.Differences(lamp(), func(p fsmtest.Point) fsmtest.Outcome {
			o := work(p)
			if p.String() == "Switch: ON, in DARK, not broken, none" {
				change(&o)
			}
			return o
		})
		require.Len(t, differences, 1, aspect)
		require.Contains(t, differences[0], "Switch: ON, in DARK, not broken, none: "+aspect)
	}
}

func TestDifferencesEnd(t *testing.T) {
	calls := 0
	differences := space.Differences(lamp(), func(fsmtest.Point) fsmtest.Outcome {
		calls++
		return fsmtest.Outcome{}
	})
	require.NotEmpty(t, differences)
	require.Less(t, len(differences), 40, "nobody reads more")
	require.Less(t, calls, 40)
}

func TestTableThatIsWrong(t *testing.T) {
	for want, change := range map[string]func(*fsmtest.Table){
		"Switch: ON, in DARK, broken, left: no line of the table has this cell": func(t *fsmtest.Table) { t.Rules[1].Cells = nil },
		"both Switch/ON (line 1) and Switch/ON/broken (line 2) have this cell":  func(t *fsmtest.Table) { t.Rules[1].Cells = []string{"ON | * | --"} },
		`Switch/ON (line 1): "ON | *": 2 columns`:                               func(t *fsmtest.Table) { t.Rules[0].Cells = []string{"ON | *"} },
		"no code RED":              func(t *fsmtest.Table) { t.Rules[0].Cells = []string{"RED | * | 0-"} },
		"no state GREY":            func(t *fsmtest.Table) { t.Rules[0].Cells = []string{"ON | GREY | 0-"} },
		"1 marks for 2 questions":  func(t *fsmtest.Table) { t.Rules[0].Cells = []string{"ON | * | 0"} },
		"2 is no answer to broken": func(t *fsmtest.Table) { t.Rules[0].Cells = []string{"ON | * | 2-"} },
		"3 is no answer to hand":   func(t *fsmtest.Table) { t.Rules[0].Cells = []string{"ON | * | 03"} },
	} {
		table := lamp()
		change(table)
		differences := space.Differences(table, work)
		require.NotEmpty(t, differences, want)
		require.Contains(t, differences[len(differences)-1], want)
		_, err := space.StatesOf(table, 0)
		if !strings.Contains(want, "no line of the table") {
			require.ErrorContains(t, err, want)
		}
	}
}

func TestStatesOf(t *testing.T) {
	for rule, want := range [][]string{{"DARK", "LIT"}, {"DARK", "LIT"}, {"LIT"}, {"DARK"}, {"DARK", "LIT"}} {
		have, err := space.StatesOf(lamp(), rule)
		require.NoError(t, err)
		require.Equal(t, want, have)
	}
}

func TestCompareRow(t *testing.T) {
	want := lamp().Rules[2]
	have := want
	have.Cells = nil
	require.Empty(t, fsmtest.CompareRow(want, have))
	for aspect, change := range map[string]func(*fsmtest.Rule){
		"the name":          func(r *fsmtest.Rule) { r.Name += "!" },
		"the line":          func(r *fsmtest.Rule) { r.Line++ },
		"the way":           func(r *fsmtest.Rule) { r.To = nil },
		"what is done":      func(r *fsmtest.Rule) { r.Do = []string{"cool: at once"} },
		"what is set":       func(r *fsmtest.Rule) { r.Sets = "warm" },
		"what is cleared":   func(r *fsmtest.Rule) { r.Clears = "none" },
		"what is started":   func(r *fsmtest.Rule) { r.Starts = "none" },
		"what is forgotten": func(r *fsmtest.Rule) { r.Forgets = "rest" },
		"the result":        func(r *fsmtest.Rule) { r.Result = "none" },
	} {
		other := have
		change(&other)
		differences := fsmtest.CompareRow(want, other)
		require.Len(t, differences, 1, aspect)
		require.Contains(t, differences[0], "Switch/OFF (line 3): "+aspect+" is ")
	}
}

func TestNames(t *testing.T) {
	require.Empty(t, fsmtest.Names(fsm.ClassNone, fsm.ParseClass, "none", "ok", "pending", "retry", "backoff", "fatal", "ignored"))
	for _, wrong := range [][]string{
		{"none", "ok", "pending", "retry", "backoff", "fatal"},
		{"none", "ok", "pending", "retry", "backoff", "fatal", "ignored", "more"},
		{"none", "pending", "ok", "retry", "backoff", "fatal", "ignored"},
	} {
		require.NotEmpty(t, fsmtest.Names(fsm.ClassNone, fsm.ParseClass, wrong...))
	}
	require.NotEmpty(t, fsmtest.Names(fsm.ClassOK, fsm.ParseClass, "none"))
}
