package heartbeat

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

// exampleLines are those of the example, as under this specification.
func exampleLines(t testing.TB) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/trace/example.ndjson")
	require.NoError(t, err)
	return slices.Collect(strings.Lines(string(text)))
}

func replayLines(lines []string) (ReplayReport, error) {
	return Replay(strings.NewReader(strings.Join(lines, "")))
}

// The trace of any life, replayed, is the same life.
func TestReplayOfAnyLife(t *testing.T) {
	for seed := range uint64(200) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			l := newLife(t, newDice(seed, 400))
			l.run()
			outputs := 0
			for _, s := range l.steps {
				outputs += len(s.out)
			}
			report, err := Replay(l.trace())
			require.NoError(t, err)
			require.Nil(t, report.Difference, "%v", report.Difference)
			require.Equal(t, ReplayReport{Spec: classic.Sum, Config: l.config, Inputs: len(l.steps), Outputs: outputs}, report)
		})
	}
}

// Each way in which a trace can differ from what the Core does is found, at its line.
func TestReplayFindsTheFirstDifference(t *testing.T) {
	lines := exampleLines(t)
	at := func(part string) int {
		i := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, part) })
		require.Positive(t, i, part)
		return i
	}
	request, state, last := at(`"api":"SyncGroup"`), at(`"to":"STABLE"`), len(lines)-1
	for name, c := range map[string]struct {
		change      func(lines []string) []string
		line        int
		wanted, got string
		rule        string
	}{
		"another value": {
			func(l []string) []string { l[request] = strings.Replace(l[request], "m-1", "m-2", 1); return l },
			request, `"member":"m-2"`, `"member":"m-1"`, "JoinGroup/NONE/else",
		},
		"another rule": {
			func(l []string) []string {
				l[state] = strings.Replace(l[state], "NONE/else", "NONE/stale", 1)
				return l
			},
			state, "NONE/stale", "NONE/else", "SyncGroup/NONE/else/not leased",
		},
		"an output less": {
			func(l []string) []string { return slices.Delete(l, request, request+1) },
			request, "", `"api":"SyncGroup"`, "JoinGroup/NONE/else",
		},
		"an output more": {
			func(l []string) []string { return slices.Insert(l, request+1, l[request]) },
			request + 1, `"api":"SyncGroup"`, "", "",
		},
		"two outputs in another order": {
			func(l []string) []string { l[request-1], l[request] = l[request], l[request-1]; return l },
			request - 1, `"api":"SyncGroup"`, `"to":"COMPLETING_REBALANCE"`, "JoinGroup/NONE/else",
		},
		"an output that nobody knows": {
			func(l []string) []string { return append(l, `{"t":3014,"out":"sing"}`) },
			last + 1, `"out":"sing"`, "", "",
		},
		"an output before the first input": {
			func(l []string) []string { return slices.Insert(l, 1, `{"t":0,"out":"left"}`+"\n") },
			1, `"out":"left"`, "", "",
		},
		"another time": {
			func(l []string) []string { l[request] = strings.Replace(l[request], `"t":12`, `"t":12.5`, 1); return l },
			request, `"t":12.5`, `"t":12,`, "JoinGroup/NONE/else",
		},
	} {
		t.Run(name, func(t *testing.T) {
			report, err := replayLines(c.change(slices.Clone(lines)))
			require.NoError(t, err)
			d := report.Difference
			require.NotNil(t, d)
			require.Equal(t, c.line+1, d.Line)
			for _, x := range []struct{ wanted, got string }{{c.wanted, d.Wanted}, {c.got, d.Got}} {
				if x.wanted == "" {
					require.Empty(t, x.got)
				}
				require.Contains(t, x.got, x.wanted)
			}
			if c.rule == "" {
				require.Nil(t, d.Rule)
			} else {
				require.Equal(t, c.rule, d.Rule.Name)
				require.Contains(t, d.String(), c.rule+" at classic.yaml:")
			}
			require.Contains(t, d.String(), "line "+strconv.Itoa(d.Line)+" differs")
		})
	}
}

// What says the same is the same: under another specification the places of rules, always the order of fields.
func TestReplayComparesWhatIsSaid(t *testing.T) {
	lines := exampleLines(t)
	for i, line := range lines {
		lines[i] = strings.Replace(strings.Replace(line, `"at":"classic.yaml:`, `"at":"classic.yaml:9`, 1), `"spec":"`, `"spec":"9`, 1)
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), `{"t":`); ok {
			now, rest, _ := strings.Cut(rest, ",")
			lines[i] = "\n { " + strings.TrimSuffix(rest, "}") + ` , "t" : ` + now + " }\r\n"
		}
	}
	report, err := replayLines(lines)
	require.NoError(t, err)
	require.Nil(t, report.Difference, "%v", report.Difference)
	require.NotEqual(t, classic.Sum, report.Spec)
	require.Equal(t, 22, report.Outputs)
}

// A member that was killed leaves a trace that ends anywhere: what there is of it is compared.
func TestReplayOfATraceThatWasCutOff(t *testing.T) {
	text := strings.Join(exampleLines(t), "")
	header := strings.Index(text, "\n")
	for end := range len(text) {
		report, err := Replay(strings.NewReader(text[:end]))
		require.Nil(t, report.Difference, "cut off at %d: %v", end, report.Difference)
		if end < header {
			var problem *TraceError
			require.ErrorAs(t, err, &problem, "cut off at %d", end)
			require.Equal(t, 1, problem.Line)
			continue
		}
		require.NoError(t, err, "cut off at %d", end)
		if text[end-1] != '\n' && text[end] != '\n' {
			require.True(t, report.Cut, "cut off at %d, in a line", end)
		}
		require.Equal(t, strings.Count(text[:end+1], "\n"), 1+report.Inputs+report.Outputs, "cut off at %d", end)
	}
	report, err := replayLines(exampleLines(t)[:2])
	require.NoError(t, err)
	require.True(t, report.Cut, "the poll has led to something")
}

func TestReplayRefuses(t *testing.T) {
	header := exampleLines(t)[0]
	for name, c := range map[string]struct{ text, problem string }{
		"nothing":                  {"", "line 1: the trace is empty"},
		"blank lines":              {"\n\n", "the trace is empty"},
		"garbage":                  {"\x00\x01\n", "line 1: it is not a line of JSON: invalid character"},
		"half a header":            {header[:40], "line 1: it ends in the middle: the trace was cut off while it was written"},
		"a list":                   {"[]\n", "line 1: it is not a line of JSON"},
		"null":                     {"null\n", "line 1: null is not a line of a trace"},
		"no header":                {`{"t":0,"in":"poll"}` + "\n", `line 1: it does not begin with {"trace":"kbeat","version":1`},
		"another kind of trace":    {`{"trace":"x","version":1}`, `line 1: a trace of "x", not of "kbeat"`},
		"another version":          {`{"trace":"kbeat","version":2,"new":1}`, "line 1: the trace is of version 2, and this program reads version 1"},
		"no version":               {`{"trace":"kbeat"}`, "line 1: it does not begin with"},
		"a field in the header":    {`{"trace":"kbeat","version":1,"new":1}`, `line 1: unknown field "new"`},
		"a field in the config":    {`{"trace":"kbeat","version":1,"config":{"group":"g","new":1}}`, `line 1: field "config": unknown field "new"`},
		"a config that cannot be":  {`{"trace":"kbeat","version":1,"config":{"protocol_type":"p"}}`, "line 1: config: Group is empty"},
		"neither in nor out":       {header + "\n" + `{"t":0}`, "line 3: it is neither an input (in) nor an output (out)"},
		"in and out":               {header + `{"t":0,"in":"tick","out":"left"}`, "line 2: it is neither"},
		"an unknown input":         {header + `{"t":0,"in":"sing"}`, `line 2: unknown input "sing"`},
		"an unknown field":         {header + `{"t":0,"in":"poll","id":1}`, `line 2: poll: unknown field "id"`},
		"no time":                  {header + `{"in":"poll"}`, "line 2: it has no time (t)"},
		"a time that is none":      {header + `{"t":"noon","in":"poll"}`, `line 2: field "t": "noon" is not a time in milliseconds`},
		"a time that is too long":  {header + `{"t":9223372036855,"in":"poll"}`, "is not a time in milliseconds"},
		"a time too exact":         {header + `{"t":1.0000001,"in":"poll"}`, "is not a time in milliseconds"},
		"a time in another form":   {header + `{"t":1e3,"in":"poll"}`, "is not a time in milliseconds"},
		"a number that is none":    {header + `{"t":0,"in":"response","id":"7"}`, `line 2: response: field "id": "7" is not a whole number for uint64`},
		"a number that is too big": {header + `{"t":0,"in":"response","node":4294967296}`, `field "node": 4294967296 is not a whole number for int32`},
		"a code that nobody knows": {header + `{"t":0,"in":"response","code":"ILLEGAL_GENERATIN"}`, `field "code": unknown code "ILLEGAL_GENERATIN"; did you mean ILLEGAL_GENERATION?`},
		"a text that is none":      {header + `{"t":0,"in":"rejoin_asked","reason":null}`, `field "reason": null is not a text`},
		"base64 that is none":      {header + `{"t":0,"in":"rejoin_asked","reason":"base64:!"}`, `field "reason": "base64:!": illegal base64 data`},
		"a list that is none":      {header + `{"t":0,"in":"assigned","assignments":{}}`, `field "assignments": {} is not a list`},
		"a wrong item":             {header + `{"t":0,"in":"assigned","assignments":[{},{"membre":"m"}]}`, `field "assignments": item 1: unknown field "membre"`},
		"a bool that is none":      {header + `{"t":0,"in":"response","skip_assignment":1}`, `1 is not true or false`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Replay(strings.NewReader(c.text))
			var problem *TraceError
			require.ErrorAs(t, err, &problem)
			require.ErrorContains(t, err, c.problem)
		})
	}
	broken := errors.New("the network is gone")
	_, err := Replay(iotest.ErrReader(broken))
	require.ErrorIs(t, err, broken)
}

// Whatever is given to Replay, it reports.
func FuzzReplay(f *testing.F) {
	f.Add([]byte(strings.Join(exampleLines(f), "")))
	f.Add(newLifeTrace(f, 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		report, err := Replay(bytes.NewReader(data))
		if err == nil && report.Difference == nil {
			again, err := Replay(bytes.NewReader(data))
			require.NoError(t, err)
			require.Equal(t, report, again)
		}
	})
}

func newLifeTrace(t testing.TB, seed uint64) []byte {
	l := newLife(t, newDice(seed, 120))
	l.run()
	return l.trace().Bytes()
}

// endless is a file without an end, and without an end of line.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

func TestReplayStopsReading(t *testing.T) {
	_, err := Replay(endless{})
	require.ErrorContains(t, err, "line 1: it has more than 134217728 bytes")
}
