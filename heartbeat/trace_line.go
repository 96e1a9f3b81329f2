package heartbeat

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
)

// inputs are all kinds of Input, for the names by which a trace calls them.
func inputs() []Input {
	return []Input{
		Poll{}, PollGivenUp{}, Tick{}, Response{}, Assigned{}, AssignmentFailed{}, CallbackEnded{}, RejoinAsked{},
		ProtocolsChanged{}, LeaveAsked{}, CloseAsked{}, CommitAsked{}, LoopBroke{},
	}
}

// encodeInput writes {"t":MS,"in":KIND,…}. What a Core does not know it takes for the time that passes; so does the trace.
func encodeInput(b []byte, now time.Duration, in Input) []byte {
	known := func(i Input) bool { return reflect.TypeOf(i) == reflect.TypeOf(in) }
	if !slices.ContainsFunc(inputs(), known) {
		in = Tick{}
	}
	b = append(appendMillis(append(b, `{"t":`...), now), `,"in":"`...)
	b = append(append(b, kindName(in)...), '"')
	b = traceEncoder{}.fields(b, reflect.ValueOf(in))
	if r, ok := in.(Response); ok && notSent(r.Err) {
		b = append(b, `,"not_sent":true`...)
	}
	return append(b, '}')
}

// decodeInput reads what encodeInput wrote.
func decodeInput(fields map[string]json.RawMessage) (now time.Duration, in Input, err error) {
	var line struct {
		T       time.Duration
		In      string
		NotSent bool
	}
	if fields["t"] == nil {
		return 0, nil, errors.New("it has no time (t)")
	}
	if err := decodeFields(fields, reflect.ValueOf(&line).Elem()); err != nil {
		return 0, nil, err
	}
	i := slices.IndexFunc(inputs(), func(in Input) bool { return kindName(in) == line.In })
	if i < 0 {
		return 0, nil, fmt.Errorf("unknown input %q", line.In)
	}
	v := reflect.New(reflect.TypeOf(inputs()[i])).Elem()
	if err := decodeObject(fields, v); err != nil {
		return 0, nil, fmt.Errorf("%s: %w", line.In, err)
	}
	in = v.Interface().(Input)
	switch r, ok := in.(Response); {
	case ok && line.NotSent && r.Err != nil:
		r.Err = unsent{r.Err}
		in = r
	case line.NotSent:
		return 0, nil, fmt.Errorf("%s: not_sent stands beside the err of a response", line.In)
	}
	return line.T, in, nil
}

// unsent is why a request has not left, as a trace tells it.
type unsent struct{ error }

// NotSent is true.
func (unsent) NotSent() bool { return true }

// encodeOutput writes {"t":MS,"out":KIND,…}.
func encodeOutput(b []byte, now time.Duration, out Output) []byte {
	b = append(appendMillis(append(b, `{"t":`...), now), `,"out":"`...)
	var fields any = out
	kind := kindName(out)
	if f, ok := out.(Fired); ok {
		kind, fields = firedLine(f)
	}
	b = append(append(b, kind...), '"')
	return append(traceEncoder{numbers: true}.fields(b, reflect.ValueOf(fields)), '}')
}

// answer is the response that a rule has decided about.
type answer struct {
	Request uint64
	Code    classic.Code
	Err     error
}

// firedLine is what a trace says of a rule: "state" where the state has changed, else "rule".
func firedLine(f Fired) (kind string, fields any) {
	var about *answer
	if f.Request != 0 {
		about = &answer{f.Request, f.Code, f.Err}
	}
	if f.From == f.To {
		return "rule", struct {
			State classic.State
			Rule  *classic.Rule
			About *answer
		}{f.To, f.Rule, about}
	}
	return "state", struct {
		From, To classic.State
		Rule     *classic.Rule
		About    *answer
	}{f.From, f.To, f.Rule, about}
}

// kindName is the name of v's type: "poll_given_up".
func kindName(v any) string { return snakeCase(reflect.TypeOf(v).Name()) }
