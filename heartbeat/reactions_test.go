package heartbeat

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/spec"
)

// Each file of testdata/reactions brings a Core into situations in which few members ever are, and tries what can come in
// each. README.md there says how it is written. `-rewrite` renews what is printed; the diff is to be reviewed. What cannot be
// rewritten is that the member recovers: whatever has come, it is in its group again when those around it do their part.
func TestReactions(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "reactions", "*"))
	require.NoError(t, err)
	files = slices.DeleteFunc(files, func(f string) bool { return filepath.Ext(f) == ".md" })
	require.NotEmpty(t, files)
	machine, err := spec.Load("../spec/classic.yaml")
	require.NoError(t, err)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			s := &situation{t: t, machine: machine}
			datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string {
				s.t = t
				line := d.Cmd
				for _, a := range d.CmdArgs {
					line += " " + a.String()
				}
				return s.do(line, d.Input)
			})
		})
	}
}

// situation is what has come since `begin`, one command after the other, so that it can be gone through again.
type situation struct {
	t       testing.TB
	machine *spec.Machine
	lines   []string
	now     *driven
}

func (s *situation) do(line, input string) string {
	words := strings.Fields(line)
	switch words[0] {
	case "begin":
		s.lines = []string{line}
		s.now = s.again()
		return ""
	case "each":
		return s.each(words[1], words[2:])
	case "try":
		return s.try(input)
	}
	s.lines = append(s.lines, line)
	return reaction(s.now, func() { command(s.now, words) })
}

// again is the member as it is in this situation.
func (s *situation) again() *driven {
	var d *driven
	for _, line := range s.lines {
		words := strings.Fields(line)
		if words[0] != "begin" {
			command(d, words)
			continue
		}
		var changes []func(*Config)
		if slices.Contains(words, "static") {
			changes = append(changes, static)
		}
		if d = drive(s.t, changes...); slices.Contains(words, "joined") {
			d.join()
		}
	}
	return d
}

// command lets one thing come.
func command(d *driven, words []string) {
	d.t.Helper()
	switch rest := words[1:]; words[0] {
	case "poll":
		d.step(Poll{})
	case "given-up":
		d.step(PollGivenUp{})
	case "answer":
		answerTo(d, rest)
	case "ended":
		d.step(CallbackEnded{})
	case "failed":
		d.step(CallbackEnded{fmt.Errorf("the application fails")})
	case "assigned":
		d.step(Assigned{Join: d.core.join.id, Assignments: []Assignment{{Member: d.core.who.member}}})
	case "unassigned":
		d.step(AssignmentFailed{Join: d.core.join.id, Err: fmt.Errorf("the assignor fails")})
	case "rejoin":
		d.step(RejoinAsked{strings.Join(rest, " ")})
	case "commit":
		in := CommitAsked{ID: 1, Member: d.core.who.member, Generation: d.core.who.generation}
		if slices.Contains(rest, "outdated") {
			in.Generation--
		}
		d.step(in)
	case "leave":
		in := LeaveAsked{Reason: "enough"}
		if len(rest) > 0 {
			require.NoError(d.t, in.Mode.UnmarshalText([]byte(rest[0])))
		}
		d.step(in)
	case "close":
		d.step(CloseAsked{})
	case "broke":
		d.step(LoopBroke{fmt.Errorf("the loop fails")})
	case "beat":
		d.beat()
	case "idle":
		idle(d, rest[0])
	case "after":
		pause, err := time.ParseDuration(rest[0])
		require.NoError(d.t, err)
		d.after(pause)
	default:
		d.t.Fatalf("%s is no command", words[0])
	}
}

// idle lets time pass in which heartbeats are answered, and takes what else is done for that of one step.
func idle(d *driven, text string) {
	d.t.Helper()
	pause, err := time.ParseDuration(text)
	require.NoError(d.t, err)
	var out []Output
	for until := d.now + pause; d.now < until; {
		d.now = until
		if deadline, ok := d.core.Deadline(); ok {
			d.now = min(deadline, until)
		}
		d.step(Tick{})
		if d.core.underway(classic.InputHeartbeat) {
			d.answer(classic.InputHeartbeat, classic.CodeNone)
			continue
		}
		out = append(out, d.out...)
	}
	d.out = out
}

// answerTo ends a request: `answer API [CODE] [oldest] [leads] [skips] [type=NAME] [protocol=NAME]`.
func answerTo(d *driven, words []string) {
	d.t.Helper()
	api, err := classic.ParseInput(words[0])
	require.NoError(d.t, err)
	code, request := classic.CodeNone, d.sent(api)
	var changes []func(*Response)
	for _, word := range words[1:] {
		switch key, value, _ := strings.Cut(word, "="); key {
		case "oldest":
			request = d.open[slices.IndexFunc(d.open, func(r Request) bool { return r.API == api })]
		case "quiet":
		case "leads":
			changes = append(changes, leads)
		case "skips":
			changes = append(changes, leads, func(r *Response) { r.SkipAssignment = true })
		case "type":
			changes = append(changes, func(r *Response) { r.ProtocolType = new(value) })
		case "protocol":
			changes = append(changes, func(r *Response) { r.Protocol = new(value) })
		default:
			code, err = classic.ParseCode(word)
			require.NoError(d.t, err)
		}
	}
	d.end(request, code, changes...)
}
