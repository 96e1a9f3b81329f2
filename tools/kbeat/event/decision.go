package event

import (
	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// Of fills in what a decision says.
func (e Event) Of(f heartbeat.Fired) Event {
	e.From, e.State = f.From.String(), f.To.String()
	e.Rule, e.At, e.Input = f.Rule.Name, f.Rule.At(), f.Rule.Input.String()
	e.Why, e.Deviates = f.Rule.Why, f.Rule.Deviates
	if f.Rule.Result != classic.ResultNone {
		e.Result, e.Class = f.Rule.Result.Name(), f.Rule.Result.Class().String()
	}
	if f.Request != 0 {
		e.Code = f.Code.String()
	}
	if f.Err != nil {
		e.Error = f.Err.Error()
	}
	for _, do := range f.Rule.Do {
		e.Do = append(e.Do, do.Effect.String())
		if e.Reason == "" {
			e.Reason = reason(do.Text, f)
		}
	}
	e.Fired = &f
	return e
}

// reason is what an effect tells, or "" where that depends on more than the decision.
func reason(t fsm.Text, f heartbeat.Fired) string {
	known := true
	text := t.Expand(func(placeholder string) string {
		switch placeholder {
		case "code":
			return f.Code.String()
		case "api":
			return f.Rule.Input.String()
		}
		known = false
		return ""
	})
	if !known {
		return ""
	}
	return text
}
