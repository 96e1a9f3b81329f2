package spec_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/spec"
)

func machine(t *testing.T, name string) *spec.Machine {
	t.Helper()
	m, err := spec.Load(filepath.Join("testdata", "machines", name+".yaml"))
	require.NoError(t, err)
	return m
}

// TestMachines holds the sizes of machines of very different protocols against what they are known to be.
func TestMachines(t *testing.T) {
	for _, x := range []struct {
		file                                         string
		rules, cells, states, guards, flags, effects int
	}{
		{"consumer", 118, 7860, 10, 21, 8, 36},
		{"lcp", 82, 160, 10, 0, 0, 13},
		{"grpc", 18, 45, 5, 1, 0, 5},
	} {
		t.Run(x.file, func(t *testing.T) {
			m := machine(t, x.file)
			rules := 0
			for _, in := range m.Inputs() {
				rules += len(in.Rules())
			}
			require.Equal(t, []int{x.rules, x.cells, x.states, x.guards, x.flags, x.effects},
				[]int{rules, len(m.Cells()), len(m.States), len(m.Guards), len(m.Flags), len(m.Effects)}, "rules, cells, states, guards, flags, effects")
		})
	}
}

// lcpTable is the transition table of RFC 1661, section 4.1, states 0 to 9 from left to right: actions, then the next state. A
// dash cannot happen. The footnotes r, p and x say no more than the text of the specification.
const lcpTable = `
Up   | 2     | irc,scr/6 | -         | -           | -      | -      | -         | -         | -         | -
Down | -     | -         | 0         | tls/1       | 0      | 1      | 1         | 1         | 1         | tld/1
Open | tls/1 | 1         | irc,scr/6 | 3r          | 5r     | 5r     | 6         | 7         | 8         | 9r
Close| 0     | tlf/0     | 2         | 2           | 4      | 4      | irc,str/4 | irc,str/4 | irc,str/4 | tld,irc,str/4
TO+  | -     | -         | -         | -           | str/4  | str/5  | scr/6     | scr/6     | scr/8     | -
TO-  | -     | -         | -         | -           | tlf/2  | tlf/3  | tlf/3p    | tlf/3p    | tlf/3p    | -
RCR+ | -     | -         | sta/2     | irc,scr,sca/8 | 4    | 5      | sca/8     | sca,tlu/9 | sca/8     | tld,scr,sca/8
RCR- | -     | -         | sta/2     | irc,scr,scn/6 | 4    | 5      | scn/6     | scn/7     | scn/6     | tld,scr,scn/6
RCA  | -     | -         | sta/2     | sta/3       | 4      | 5      | irc/7     | scr/6x    | irc,tlu/9 | tld,scr/6x
RCN  | -     | -         | sta/2     | sta/3       | 4      | 5      | irc,scr/6 | scr/6x    | irc,scr/8 | tld,scr/6x
RTR  | -     | -         | sta/2     | sta/3       | sta/4  | sta/5  | sta/6     | sta/6     | sta/6     | tld,zrc,sta/5
RTA  | -     | -         | 2         | 3           | tlf/2  | tlf/3  | 6         | 6         | 8         | tld,scr/6
RUC  | -     | -         | scj/2     | scj/3       | scj/4  | scj/5  | scj/6     | scj/7     | scj/8     | scj/9
RXJ+ | -     | -         | 2         | 3           | 4      | 5      | 6         | 6         | 8         | 9
RXJ- | -     | -         | tlf/2     | tlf/3       | tlf/2  | tlf/3  | tlf/3     | tlf/3     | tlf/3     | tld,irc,str/5
RXR  | -     | -         | 2         | 3           | 4      | 5      | 6         | 7         | 8         | ser/9
`

// TestLCP reads the table of RFC 1661 out of the cells of a specification that has it by events and conditions.
func TestLCP(t *testing.T) {
	m := machine(t, "lcp")
	got := map[string]string{}
	for _, c := range m.Cells() {
		got[c.Input.Name+" in "+c.State.Name] = lcpCell(c)
	}
	compared := 0
	for line := range strings.Lines(strings.TrimSpace(lcpTable)) {
		columns := strings.Split(strings.TrimSpace(line), "|")
		require.Len(t, columns, 1+len(m.States))
		for i, want := range columns[1:] {
			where := strings.TrimSpace(columns[0]) + " in " + m.States[i].Name
			require.Equal(t, strings.TrimRight(strings.TrimSpace(want), "rpx"), got[where], where)
			compared++
		}
	}
	require.Equal(t, 160, compared)
	require.Len(t, got, 160)
}

func lcpCell(c spec.Cell) string {
	if c.Rule.Result != nil && c.Rule.Result.Name == "illegal" {
		return "-"
	}
	var actions []string
	for _, d := range c.Rule.Effects() {
		actions = append(actions, d.Effect.Name)
	}
	end := c.State
	for _, s := range c.Rule.To {
		end = s
	}
	if len(actions) == 0 {
		return fmt.Sprint(end.Index)
	}
	return fmt.Sprintf("%s/%d", strings.Join(actions, ","), end.Index)
}

// TestConnectivity holds the transitions of a gRPC channel against those that its document lists as legal.
func TestConnectivity(t *testing.T) {
	want := []string{
		"IDLE -> CONNECTING", "IDLE -> SHUTDOWN",
		"CONNECTING -> READY", "CONNECTING -> TRANSIENT_FAILURE", "CONNECTING -> IDLE", "CONNECTING -> SHUTDOWN",
		"READY -> TRANSIENT_FAILURE", "READY -> IDLE", "READY -> SHUTDOWN",
		"TRANSIENT_FAILURE -> CONNECTING", "TRANSIENT_FAILURE -> SHUTDOWN",
	}
	require.ElementsMatch(t, want, transitions(machine(t, "grpc")))
}

// TestMemberStates holds the transitions of a KIP-848 member against the edges that Kafka's MemberState declares: all are
// known, and 28 of the 34 are taken.
func TestMemberStates(t *testing.T) {
	m := machine(t, "consumer")
	var declared, used []string
	for _, e := range m.Edges() {
		name := e.From.Name + " -> " + e.To.Name
		if declared = append(declared, name); !e.Unused {
			used = append(used, name)
		}
	}
	require.Len(t, declared, 34)
	taken := transitions(m)
	require.Len(t, taken, 27)
	require.ElementsMatch(t, append(taken, "RECONCILING -> RECONCILING"), used, "a new target while the last one is applied enters the state anew")
}

// transitions lists the edges that rules take, self-edges left out.
func transitions(m *spec.Machine) []string {
	var out []string
	for _, c := range m.Cells() {
		here := c.State
		for _, s := range c.Rule.To {
			if edge := here.Name + " -> " + s.Name; s != here && !slices.Contains(out, edge) {
				out = append(out, edge)
			}
			here = s
		}
	}
	return out
}

// TestNearestReason says whose reason a rule gives: its own, else that of the nearest decision around it.
func TestNearestReason(t *testing.T) {
	m := machine(t, "consumer")
	reasons := map[string]string{}
	for _, in := range m.Inputs() {
		for _, r := range in.Rules() {
			reasons[r.Name] = r.Why
		}
	}
	require.Equal(t, "the member stays, an ACL may be added", reasons["ConsumerGroupHeartbeat/TOPIC_AUTHORIZATION_FAILED/UNSUBSCRIBED"])
	require.Equal(t, "Kafka declares no way from here to FATAL", reasons["ConsumerGroupHeartbeat/otherwise/FENCED, STALE"])
	require.Empty(t, reasons["ConsumerGroupHeartbeat/otherwise/member"])
}

// TestRepeatedCase says what `A: as B` is: the same decision, for other codes.
func TestRepeatedCase(t *testing.T) {
	m := machine(t, "consumer")
	var otherwise, repeated *spec.Case
	for _, c := range m.Responses[0].Cases {
		if c.Otherwise {
			otherwise = c
		}
		if c.As != nil && c.Codes[0].Name == "GROUP_AUTHORIZATION_FAILED" {
			repeated = c
		}
	}
	require.NotNil(t, repeated)
	require.Same(t, otherwise, repeated.As)
	require.Equal(t, otherwise.Decision, repeated.Decision)
	require.NotContains(t, otherwise.Codes, repeated.Codes[0])
}
