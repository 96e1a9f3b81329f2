package heartbeat

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/kbeat/kbeat/fsm/classic"
)

// ReplayReport says how a fresh Core fared with the inputs of a trace.
type ReplayReport struct {
	// Spec is the sum of the specification that the trace was written under. Where it is not classic.Sum differences are
	// to be expected; the lines of rules are not compared then.
	Spec    string
	Config  Config
	Inputs  int // that were replayed
	Outputs int // that were compared, and were the same

	// Difference is the first one; nil if there is none. Nothing is replayed after it.
	Difference *Difference

	// Cut says that the trace ends in the middle of a line, or of a step: not all that its last input has led to is in it.
	Cut bool
}

// Difference is an output of a replay that is not the trace's.
type Difference struct {
	Line   int           // of the trace
	Input  string        // the line that led to it
	Wanted string        // the trace's line; "" where the trace has nothing more
	Got    string        // what the Core has done; "" where it has done nothing more
	Rule   *classic.Rule // by which it has done so; nil where no rule has decided
}

// String is a few lines that show the difference.
func (d *Difference) String() string {
	or := func(line string) string {
		if line == "" {
			return "nothing more"
		}
		return line
	}
	text := fmt.Sprintf("line %d differs\nafter  %s\nwanted %s\ngot    %s", d.Line, d.Input, or(d.Wanted), or(d.Got))
	if d.Rule != nil {
		text += fmt.Sprintf("\nby     %s at %s", d.Rule.Name, d.Rule.At())
	}
	return text
}

// TraceError says why a trace cannot be read.
type TraceError struct {
	Line    int
	Problem string
}

func (e *TraceError) Error() string { return fmt.Sprintf("trace: line %d: %s", e.Line, e.Problem) }

// Replay gives the inputs of a trace to a fresh Core, and compares what it does with the outputs of the trace, up to the
// first difference. The error is a *TraceError, or that of r; the report then says how far it went.
func Replay(r io.Reader) (ReplayReport, error) {
	if r == nil {
		return ReplayReport{}, errors.New("replay: the trace is nil: give what reads it")
	}
	p := replay{lines: bufio.NewReader(r)}
	err := p.header()
	for err == nil && p.report.Difference == nil {
		err = p.next()
	}
	if errors.Is(err, io.EOF) {
		p.report.Cut = p.report.Cut || len(p.wants) > 0
		err = nil
	}
	return p.report, err
}

// replay is a Replay under way.
type replay struct {
	lines  *bufio.Reader
	line   int // the number of the last one that was read
	report ReplayReport
	core   *Core

	input string        // the last one
	wants []replayWants // what the Core has done on it, and the trace has not said yet
}

// replayWants is one output of the Core.
type replayWants struct {
	line string
	rule *classic.Rule
}

// mostLine is more than any line of a trace has: what a broker tells a leader of its group is bounded by its largest answer.
const mostLine = 128 << 20

// readLine reads up to the end of the line, and no more of it than shows that it is too long.
func (p *replay) readLine() ([]byte, error) {
	var line []byte
	for {
		part, err := p.lines.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > mostLine:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, err
		}
	}
}

// read returns the next line that is not blank, as text and by its fields.
func (p *replay) read() (string, map[string]json.RawMessage, error) {
	for {
		text, err := p.readLine()
		ended := err == nil
		if len(text) == 0 || err != nil && !errors.Is(err, io.EOF) {
			return "", nil, err
		}
		p.line++
		if len(text) > mostLine {
			return "", nil, p.problem("it has more than %d bytes, which no line of a trace has", mostLine)
		}
		text = bytes.TrimSpace(text)
		if len(text) == 0 {
			continue
		}
		var fields map[string]json.RawMessage
		switch err := json.Unmarshal(text, &fields); {
		case err != nil && !ended && p.core != nil:
			p.report.Cut = true
			return "", nil, io.EOF
		case err != nil && !ended:
			return "", nil, p.problem("it ends in the middle: the trace was cut off while it was written")
		case err != nil:
			return "", nil, p.problem("it is not a line of JSON: %v", err)
		case fields == nil:
			return "", nil, p.problem("null is not a line of a trace")
		}
		return string(text), fields, nil
	}
}

func (p *replay) problem(format string, args ...any) error {
	return &TraceError{p.line, fmt.Sprintf(format, args...)}
}

// header makes the Core that the first line describes.
func (p *replay) header() error {
	_, fields, err := p.read()
	switch {
	case errors.Is(err, io.EOF):
		return &TraceError{1, "the trace is empty"}
	case err != nil:
		return err
	}
	var h traceHeader
	v := reflect.ValueOf(&h).Elem()
	for _, name := range []string{"trace", "version"} { // other versions may have other fields
		if err := decodeFields(map[string]json.RawMessage{name: fields[name]}, v); fields[name] == nil || err != nil {
			return p.problem(`it does not begin with {"trace":%q,"version":%d: this is not a trace`, traceKind, traceVersion)
		}
	}
	switch {
	case h.Trace != traceKind:
		return p.problem("a trace of %q, not of %q", h.Trace, traceKind)
	case h.Version != traceVersion:
		return p.problem("the trace is of version %d, and this program reads version %d", h.Version, traceVersion)
	}
	if err := decodeObject(fields, v); err != nil {
		return p.problem("%v", err)
	}
	if p.core, err = NewCore(h.Config); err != nil {
		return p.problem("%v", err)
	}
	p.report.Spec, p.report.Config = h.Spec, h.Config
	return nil
}

// next takes the next line: an input for the Core, or an output to compare.
func (p *replay) next() error {
	text, fields, err := p.read()
	if err != nil {
		return err
	}
	switch in, out := fields["in"] != nil, fields["out"] != nil; {
	case in == out:
		return p.problem("it is neither an input (in) nor an output (out)")
	case in:
		return p.step(text, fields)
	default:
		p.compare(text)
		return nil
	}
}

// step gives an input to the Core, if nothing is missing of what the last one has led to.
func (p *replay) step(text string, fields map[string]json.RawMessage) error {
	now, in, err := decodeInput(fields)
	if err != nil {
		return p.problem("%v", err)
	}
	if len(p.wants) > 0 {
		p.differs("", p.wants[0])
		return nil
	}
	p.input = text
	p.report.Inputs++
	outputs := p.core.Step(now, in)
	for i, o := range outputs {
		p.wants = append(p.wants, replayWants{string(encodeOutput(nil, now, o)), ruleOf(outputs, i)})
	}
	return nil
}

// ruleOf is the rule that made the Core do one of its outputs: the last one that it has told of by then.
func ruleOf(outputs []Output, i int) *classic.Rule {
	for _, o := range slices.Backward(outputs[:i+1]) {
		if f, ok := o.(Fired); ok {
			return f.Rule
		}
	}
	return nil
}

func (p *replay) compare(text string) {
	switch {
	case len(p.wants) == 0:
		p.differs(text, replayWants{})
	case !p.same(text, p.wants[0].line):
		p.differs(text, p.wants[0])
	default:
		p.wants = p.wants[1:]
		p.report.Outputs++
	}
}

func (p *replay) differs(wanted string, got replayWants) {
	p.report.Difference = &Difference{Line: p.line, Input: p.input, Wanted: wanted, Got: got.line, Rule: got.rule}
}

// same reports whether two lines say the same; the order of fields and the space between them say nothing.
func (p *replay) same(a, b string) bool {
	if p.report.Spec != classic.Sum {
		a, b = withoutPlaces(a), withoutPlaces(b)
	}
	return a == b || reflect.DeepEqual(generic(a), generic(b))
}

// withoutPlaces takes from a text where in the specification rules stand.
func withoutPlaces(text string) string {
	return regexp.MustCompile(regexp.QuoteMeta(classic.File)+`:\d+`).ReplaceAllLiteralString(text, classic.File)
}

// generic is a line as values that can be compared.
func generic(line string) (v any) {
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}
