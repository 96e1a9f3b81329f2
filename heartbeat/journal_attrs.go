package heartbeat

//kbeat:pure

import (
	"strings"
	"time"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
)

func (j *journal) info(message string, attrs ...eventAttr) {
	j.add(event{message: message}, j.past(), attrs)
}

func (j *journal) warn(message string, attrs ...eventAttr) {
	j.add(event{message: message, failure: true}, j.past(), attrs)
}

func (j *journal) add(e event, before identity, attrs []eventAttr) {
	e.attrs = append(j.identity(before), attrs...)
	j.events = append(j.events, e)
}

// past is what the member was known by before the step.
func (j *journal) past() identity {
	return identity{member: j.before.Member, generation: j.before.Generation}
}

// identity is what every line has: the group, and who the member was before and is after. The coordinator is the one that
// was lost where there is none any more.
func (j *journal) identity(before identity) []eventAttr {
	attrs := []eventAttr{{"group", j.config.Group}}
	if j.config.InstanceID != "" {
		attrs = append(attrs, eventAttr{"instance", j.config.InstanceID})
	}
	attrs = append(attrs,
		eventAttr{"member", j.after.Member}, eventAttr{"member_before", before.member},
		eventAttr{"generation", j.after.Generation}, eventAttr{"generation_before", before.generation})
	node := j.after.Coordinator
	if node == AnyBroker {
		node = j.before.Coordinator
	}
	if node != AnyBroker {
		attrs = append(attrs, eventAttr{"coordinator", node})
	}
	return attrs
}

// rule is the rule that has decided, and what it has decided about. A code is one that the transport has brought: of a request
// that the member has abandoned there is only what that means.
func (j *journal) rule(f Fired) []eventAttr {
	attrs := []eventAttr{{"rule", ruleName(f)}, {"at", f.Rule.At()}}
	if e := f.Rule.Result.Error(); e.Kind == fsm.ErrorNamed {
		attrs = append(attrs, eventAttr{"error", e.Name.String()})
	}
	if f.Code != classic.CodeNone {
		if f.Code != classic.CodeAbandoned {
			attrs = append(attrs, eventAttr{"code", f.Code.String()})
		}
		if message := f.Code.Message(); message != "" {
			attrs = append(attrs, eventAttr{"message", message})
		}
	}
	return append(attrs, errOf(f)...)
}

// errOf is what lies behind a rule: behind the answer that it decides about, or what the application has raised.
func errOf(f Fired) []eventAttr {
	if f.Err == nil {
		return nil
	}
	return []eventAttr{{"err", f.Err}}
}

// failure is a rule that has fired as the error that Status shows.
func (j *journal) failure(f Fired) *Error { return failureOf(f, j.config.Group, j.past()) }

// failureOf is a rule that has fired as an error of a member of group.
func failureOf(f Fired, group string, who identity) *Error {
	name := errorName(f.Rule, f.Code)
	if name == "" {
		name = f.Rule.Name
	}
	return &Error{
		Name: name, Input: f.Rule.Input, Code: f.Code, Group: group, Node: f.Node, Member: who.member,
		Generation: who.generation, State: f.From, Rule: f.Rule, Err: f.Err,
	}
}

// decision is a rule that has decided, for who wants to see each.
func (j *journal) decision(f Fired) []eventAttr {
	attrs := append(j.identity(j.past()), eventAttr{"state", f.To.String()}, eventAttr{"state_before", f.From.String()})
	return append(append(attrs, j.rule(f)...), why(f)...)
}

func why(f Fired) []eventAttr {
	if f.Rule.Why == "" {
		return nil
	}
	return []eventAttr{{"why", f.Rule.Why}}
}

// sum is an outage so far.
func (j *journal) sum() []eventAttr {
	return []eventAttr{
		{"failing_for", (j.now - j.outage.since).Round(time.Millisecond)}, {"failures", j.outage.total()},
		{"codes", j.outage.codes()},
	}
}

// reason is why the member joins anew. JoinGroup names the error, as Kafka's client does; the log names no code that was not
// received.
func (j *journal) reason(reason string) []eventAttr {
	if reason == "" {
		return nil
	}
	if j.implied != classic.CodeNone {
		reason = strings.ReplaceAll(reason, j.implied.String(), plain(j.implied.Message()))
	}
	return []eventAttr{{"reason", reason}}
}

func took(d time.Duration) eventAttr { return eventAttr{"took", d.Round(time.Millisecond)} }

// ruleName is the name of a rule that has fired. Of the codes that the rule is for it has the one that was received: who
// searches for a code does not find where another one came.
func ruleName(f Fired) string {
	if f.Rule.Input.Kind() != fsm.KindResponse {
		return f.Rule.Name
	}
	way := strings.Split(f.Rule.Name, "/")
	switch {
	case f.Code == classic.CodeAbandoned:
		way[1] = "abandoned"
	case strings.Contains(way[1], ", "):
		way[1] = f.Code.String()
	}
	return strings.Join(way, "/")
}

// nameOf is what a rule that has fired is, for a count: an error of the rule's result, the answer's code, or the rule itself.
func nameOf(f Fired) string {
	switch e := f.Rule.Result.Error(); {
	case e.Kind == fsm.ErrorNamed:
		return e.Name.String()
	case f.Code != classic.CodeNone:
		return f.Code.String()
	}
	return ruleName(f)
}
