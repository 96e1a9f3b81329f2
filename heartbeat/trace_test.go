package heartbeat

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

// full are inputs with all that they can carry.
func full() []Input {
	hard := "ünï\n\u2028<&>\"\\\x00"
	return []Input{
		Poll{}, PollGivenUp{}, Tick{}, CloseAsked{},
		Response{
			ID: math.MaxUint64, Code: classic.CodeRebalanceInProgress, Err: errors.New("why"), Node: 3, Generation: math.MaxInt32, Member: hard,
			Leader: "\xff", Members: []JoinMember{{ID: "a", Instance: "b", Metadata: []byte{0, 1}}, {}}, SkipAssignment: true,
			ProtocolType: new(""), Protocol: new("base64:"), Assignment: []byte("all of it"),
			Partitions: []PartitionError{{Topic: "t", Partition: 9, Code: classic.Code(999)}, {Code: classic.CodeMalformed}},
		},
		Assigned{Join: 7, Assignments: []Assignment{{Member: "a", Data: []byte{}}, {Data: []byte("base64:")}, {Data: []byte("\ufffd")}}},
		AssignmentFailed{Join: 8, Err: errors.New("")},
		CallbackEnded{Err: errors.New("one\ntwo")},
		RejoinAsked{Reason: "\xf0"},
		ProtocolsChanged{Protocols: []Protocol{{Name: "range", Metadata: []byte("é")}}},
		LeaveAsked{Mode: LeaveNever, Reason: "base64:!", Last: true},
		CommitAsked{ID: 1, Member: "m", Generation: -1, Offsets: []Offset{{Topic: "t", Partition: -1, Offset: math.MinInt64, LeaderEpoch: -1, Metadata: hard}}},
		LoopBroke{Err: errors.New("\xff")},
	}
}

// Whatever an input carries is the same when it is read back.
func TestTraceKeepsInputs(t *testing.T) {
	all := append(full(),
		Response{}, Response{Err: unsent{errors.New("why")}}, Response{ID: mostExact}, Response{ID: mostExact + 1}, CommitAsked{Offsets: []Offset{{Offset: -mostExact - 1}, {Offset: -mostExact}}}, Assigned{Assignments: []Assignment{}}, AssignmentFailed{}, CallbackEnded{}, ProtocolsChanged{}, LeaveAsked{Mode: 9}, CommitAsked{Offsets: []Offset{}})
	for _, in := range all {
		for _, now := range []time.Duration{0, 1, time.Hour, 3009*time.Millisecond + 250*time.Microsecond, math.MaxInt64, -1, math.MinInt64} {
			line := encodeInput(nil, now, in)
			var fields map[string]json.RawMessage
			require.NoError(t, json.Unmarshal(line, &fields), "%s", line)
			back, read, err := decodeInput(fields)
			require.NoError(t, err, "%s", line)
			require.Equal(t, now, back, "%s", line)
			require.Equal(t, in, read, "%s", line)
		}
	}
	require.Equal(t, `{"t":0,"in":"tick"}`, string(encodeInput(nil, 0, nil)), "what a Core does not know is time that passes")
}

// A kind of input, or a field, that is new must be in full, in inputs and in TRACE.md.
func TestTraceHasAllInputs(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "input.go", nil, 0)
	require.NoError(t, err)
	declared := map[string]bool{}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "input" {
			declared[f.Recv.List[0].Type.(*ast.Ident).Name] = true
		}
	}
	text, err := os.ReadFile("TRACE.md")
	require.NoError(t, err)
	known, filled := map[string]bool{}, map[string]bool{}
	for _, in := range inputs() {
		known[reflect.TypeOf(in).Name()] = true
	}
	for _, in := range full() {
		v := reflect.ValueOf(in)
		filled[v.Type().Name()] = true
		_, row, ok := strings.Cut(string(text), "\n| `"+kindName(in)+"` |")
		require.True(t, ok, "TRACE.md has no row for %s", kindName(in))
		row, _, _ = strings.Cut(row, "\n")
		for i := range v.NumField() {
			require.False(t, v.Field(i).IsZero(), "%T.%s is not tried", in, v.Type().Field(i).Name)
			require.Contains(t, row, "`"+snakeCase(v.Type().Field(i).Name)+"`", "TRACE.md, %s", kindName(in))
		}
	}
	require.Equal(t, declared, known)
	require.Equal(t, declared, filled)
}

// The fields of Config and of outputs are in TRACE.md too.
func TestTraceIsDocumented(t *testing.T) {
	text, err := os.ReadFile("TRACE.md")
	require.NoError(t, err)
	for _, v := range []any{traceHeader{}, Config{}, Request{}, Callback{}, RunAssignment{}, AssignmentInput{}, PollEnded{}, CommitEnded{}, Left{}, AssignmentAbandoned{}, Abandoned{}, Offset{}, JoinMember{}} {
		for i := range reflect.TypeOf(v).NumField() {
			if f := reflect.TypeOf(v).Field(i); f.Type != reflect.TypeFor[*Turn]() { // which a Core does not give
				require.Contains(t, string(text), "`"+snakeCase(f.Name)+"`", "%T", v)
			}
		}
	}
	for _, o := range []Output{Request{}, Callback{}, RunAssignment{}, PollEnded{}, AssignmentAbandoned{}, Abandoned{}, CommitEnded{}, Left{}} {
		require.Contains(t, string(text), "\n| `"+kindName(o)+"` |")
	}
}

// The lines are those of the example, so that a change of the format shows. What a spec's sum and lines are does not matter.
// Where it is the specification that has changed, `go test -run TestTraceFormat ./heartbeat -rewrite` renews the example.
func TestTraceFormat(t *testing.T) {
	const name = "testdata/trace/example.ndjson"
	example, err := os.ReadFile(name)
	require.NoError(t, err)
	report, err := Replay(bytes.NewReader(example))
	require.NoError(t, err)

	var again bytes.Buffer
	w := NewTraceWriter(&again, report.Config)
	core, err := NewCore(report.Config)
	require.NoError(t, err)
	for line := range bytes.Lines(example) {
		var fields map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(line, &fields))
		if fields["in"] != nil {
			now, in, err := decodeInput(fields)
			require.NoError(t, err)
			require.NoError(t, w.Record(now, in, core.Step(now, in)))
		}
	}
	if Rewriting() {
		require.NoError(t, os.WriteFile(name, again.Bytes(), 0o644))
		return
	}
	require.Equal(t, settled(string(example)), settled(again.String()), "if it is not the rules that have changed, raise traceVersion")
	require.Nil(t, report.Difference, "%v", report.Difference)
	require.False(t, report.Cut)
	require.Equal(t, [2]int{8, 22}, [2]int{report.Inputs, report.Outputs})
}

// settled is a trace without what each change of the specification changes.
func settled(trace string) string {
	lines := strings.SplitAfter(trace, "\n")
	header := generic(lines[0]).(map[string]any)
	header["spec"] = nil
	first, _ := json.Marshal(header)
	return string(first) + withoutPlaces(strings.Join(lines[1:], ""))
}

// failingWriter takes so many writes.
type failingWriter struct {
	takes  int
	short  bool
	writes []string
}

func (w *failingWriter) Write(b []byte) (int, error) {
	w.writes = append(w.writes, string(b))
	switch {
	case len(w.writes) <= w.takes:
		return len(b), nil
	case w.short:
		return len(b) / 2, nil
	}
	return 0, errors.New("the disk is full")
}

// A trace that cannot be written says so once, and then no more is written.
func TestTraceWriterFails(t *testing.T) {
	for _, short := range []bool{false, true} {
		w := &failingWriter{takes: 2, short: short}
		trace := NewTraceWriter(w, Config{Group: "g"})
		require.Empty(t, w.writes, "nothing has happened yet")
		require.NoError(t, trace.Record(0, Poll{}, []Output{PollEnded{}, Left{}}))
		require.NoError(t, trace.Record(time.Millisecond, Tick{}, nil))
		err := trace.Record(2, Tick{}, nil)
		require.Error(t, err)
		require.Equal(t, short, errors.Is(err, io.ErrShortWrite))
		require.NoError(t, trace.Record(3, Tick{}, nil))
		require.Len(t, w.writes, 3, "one write a step, and none after the one that failed")
		require.Equal(t, 4, strings.Count(w.writes[0], "\n"), "the header, the input, two outputs")
		require.Equal(t, "{\"t\":1,\"in\":\"tick\"}\n", w.writes[1])
	}
}
