package heartbeat

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/spec"
)

// each answers a request by each code that has a line in the specification, and by three that have none. Codes that have the
// same consequences stand together. `quiet`: nobody polls after it.
func (s *situation) each(api string, words []string) string {
	var order []string
	codes := map[string][]string{}
	for _, code := range codesOf(s.machine, api) {
		text := s.tried(strings.Join(slices.Concat([]string{"answer", api, code}, words), " "))
		text = strings.ReplaceAll(text, code, "CODE")
		if codes[text] == nil {
			order = append(order, text)
		}
		codes[text] = append(codes[text], code)
	}
	var b strings.Builder
	for _, text := range order {
		for chunk := range slices.Chunk(codes[text], 4) {
			fmt.Fprintf(&b, "%s\n", strings.Join(chunk, ", "))
		}
		b.WriteString(text)
	}
	return b.String()
}

// try lets each line of the input come in the same situation.
func (s *situation) try(input string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(input, "\n") {
		b.WriteString(line + "\n" + s.tried(line))
	}
	return b.String()
}

// tried is what comes of a command, at once and later.
func (s *situation) tried(line string) string {
	d := s.again()
	at := reaction(d, func() { command(d, strings.Fields(line)) })
	text := "  " + strings.ReplaceAll(strings.TrimSuffix(at, "\n"), "\n", "\n  ") + "\n"
	if strings.HasSuffix(line, " quiet") {
		later := strings.TrimSuffix(reaction(d, func() { idle(d, "10s") }), "\n")
		recovery(d) // as soon as somebody polls again
		return text + "  then " + strings.ReplaceAll(later, "\n", "\n       ") + "\n"
	}
	if later := recovery(d); later != "" {
		text += "  then " + later + "\n"
	}
	return text
}

// codesOf are the codes that a response has lines for, a code without one that a repetition may mend, one that it does not,
// and one that no catalogue has.
func codesOf(machine *spec.Machine, api string) []string {
	var names []string
	for _, in := range machine.Responses {
		for _, c := range in.Cases {
			if in.Name != api {
				continue
			}
			without := map[bool]string{}
			for _, code := range c.Codes {
				if !c.Otherwise {
					names = append(names, code.Name)
				} else if without[code.Retriable] == "" {
					without[code.Retriable] = code.Name
				}
			}
			if c.Otherwise {
				names = append(names, without[true], without[false], "UNKNOWN(999)")
			}
		}
	}
	return names
}

// reaction is what an input does at once, what the member is then, and which of its timers it has moved.
func reaction(d *driven, happens func()) string {
	clocks := d.core.clocks
	happens()
	text := ""
	if did := said(d.out); did != "" {
		text = did + "\n"
	}
	return text + "now " + standing(d.core) + moved(d.core, clocks) + "\n"
}

// said is what a Core wants to be done, with reasons, and what an operator should know.
func said(out []Output) string {
	var all []string
	for _, o := range out {
		text := deed(o)
		reason := ""
		switch o := o.(type) {
		case Fired:
			text = warning(o)
		case Request:
			reason = o.Reason
		case Callback:
			reason = o.Reason
		case CommitEnded:
			if isLate(o.Err) {
				text += " (late)"
			} else if e, ok := o.Err.(*Error); ok && e.Retriable {
				text += " (retriable)"
			}
		}
		if reason != "" {
			text += fmt.Sprintf(" %q", reason)
		}
		if text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, ", ")
}

// warning is a failure that a member logs at Warn, by a line of its own or in the summary of an outage.
func warning(f Fired) string {
	if !failed(f) {
		return ""
	}
	if name := nameOf(f); name != f.Rule.Name {
		return "warns of " + f.Rule.Input.String() + " " + name
	}
	return "warns of " + f.Rule.Name
}

// standing is what a member is: its state, its identity, and what it is about to do.
func standing(c *Core) string {
	s := c.Status()
	text := fmt.Sprintf("%s %s/%d", s.State, s.Member, s.Generation)
	if s.Flags.Has(classic.RejoinNeeded) {
		text += fmt.Sprintf(" rejoin=%q", s.Reason)
	}
	if s.Coordinator == AnyBroker {
		text += " coordinator=unknown"
	}
	if c.polling {
		text += " polling"
	}
	return text
}

// moved are the timers that do not end where they would have, and the pauses that have become longer or begin anew.
func moved(c *Core, before clocks) string {
	text := ""
	seen := map[uint8]bool{}
	for t := classic.Timer(1); int(t) <= classic.NumTimers; t++ {
		if end := c.clocks.end(t); end != before.end(t) && !seen[uint8(t.Clock())] {
			seen[uint8(t.Clock())] = true
			text += fmt.Sprintf(" %s=%s", t, (end - c.now).Round(time.Millisecond))
		}
		if n := c.clocks.attempts[t]; n != before.attempts[t] {
			text += fmt.Sprintf(" %s-attempts=%d", t, n)
		}
	}
	return text
}

// recovery lets a coordinator answer all that waits, and an application do what it is asked to and poll when it should, until
// the member is in its group and has shown by a heartbeat that it is; and says what is done meanwhile, and when.
func recovery(d *driven) string {
	var happened []string
	from, shown, beaten := d.now, d.now, false
	for range 100 {
		c := d.core
		switch {
		case c.closed:
			return strings.Join(happened, ", ")
		case c.has(classic.CallbackRunning):
			d.now += time.Millisecond
			d.step(CallbackEnded{})
		case c.Wants(): // before what is under way is answered
			d.step(Poll{})
		case len(d.open) > 0:
			d.now += time.Millisecond
			beaten = d.open[0].API == classic.InputHeartbeat && d.open[0].Generation == c.who.generation
			d.end(d.open[0], classic.CodeNone)
		case c.has(classic.AssignmentRunning):
			d.now += time.Millisecond
			d.step(Assigned{Join: c.join.id})
		case beaten && c.memory.State == classic.Stable && !c.has(classic.RejoinNeeded) && !c.polling:
			return strings.Join(happened, ", ")
		default:
			deadline, ok := c.Deadline()
			require.True(d.t, ok, "the member waits for nothing, in %s", standing(c))
			d.now = deadline
			d.step(Tick{})
		}
		did := said(d.out)
		if did == "" {
			continue
		}
		if d.now > shown+time.Millisecond {
			did = fmt.Sprintf("at %.3f %s", (d.now - from).Seconds(), did)
		}
		happened, shown = append(happened, did), d.now
	}
	d.t.Errorf("the member does not recover: %s\n%s", standing(d.core), strings.Join(happened, ", "))
	d.t.FailNow()
	return ""
}
