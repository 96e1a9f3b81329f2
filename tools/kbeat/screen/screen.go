// Package screen shows events to a person: what is about to happen, which rule decides about it and why, and who owns
// what then. It writes lines and never goes back, so that what it has written can be scrolled, copied and piped.
//
//	log := event.NewLog(screen.New(os.Stdout, screen.Coloured(os.Stdout, os.Getenv)).Show)
//
// Decisions about an everyday answer, such as a heartbeat's, are left out; --json has them all.
package screen

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/tools/kbeat/event"
)

// width of all that is written: a terminal of 100 columns shows it without breaking a line.
const width = 99

// indent is where everything begins that belongs to an act.
const indent = "        "

// Screen is what a person looks at. It belongs to one goroutine.
type Screen struct {
	out      *bufio.Writer
	coloured bool

	start    time.Time // of the first event
	acts     int
	colours  map[string]int // of members, in order of appearance
	topics   map[string]bool
	owned    map[string]event.Partitions // by members that live, as they see it
	owners   map[string]event.Partitions // as it was settled last
	told     map[*classic.Rule]bool      // whose reason has been shown
	everyday everyday                    // decisions of the act that are shown when it is over
	decided  decided                     // all decisions about errors
	ends     []event.Event
}

// New makes a screen that writes to w.
func New(w io.Writer, coloured bool) *Screen {
	return &Screen{
		out: bufio.NewWriter(w), coloured: coloured,
		colours: map[string]int{}, topics: map[string]bool{}, owned: map[string]event.Partitions{},
		told: map[*classic.Rule]bool{},
	}
}

// Show writes what there is to be said of an event, at once. The error is the writer's.
func (s *Screen) Show(e event.Event) error {
	if s.start.IsZero() {
		s.start = e.Time
	}
	switch e.Kind {
	case event.Act:
		s.act(e)
	case event.Member:
		s.begins(e)
	case event.Rule:
		s.rule(e)
	case event.Assigned, event.Revoked, event.Lost:
		s.changed(e)
	case event.Error:
		s.failed(e)
	case event.Settled:
		s.settled(e)
	case event.End:
		delete(s.owned, e.Member)
		s.ends = append(s.ends, e)
	case event.Result:
		s.result(e)
	}
	return s.out.Flush()
}

// act is a heading.
func (s *Screen) act(e event.Event) {
	s.showEveryday()
	s.acts++
	s.line("")
	for i, l := range wrap(e.Text, width-4) {
		number := ""
		if i == 0 {
			number = fmt.Sprintf("%2d", s.acts)
		}
		s.line(s.paint(bold, pad(number, 4)+l))
	}
}

// begins is a member that is new.
func (s *Screen) begins(e event.Event) {
	for _, topic := range e.Topics {
		s.topics[topic] = true
	}
	s.owned[e.Member] = nil
	if s.acts > 0 {
		return // the act has said so
	}
	static := ""
	if e.Instance != "" {
		static = fmt.Sprintf(", as instance %q", e.Instance)
	}
	s.about(e, fmt.Sprintf("begins: group %q, topics %s%s", e.Group, strings.Join(e.Topics, ", "), static))
}

// changed is partitions that come or go. In an act what is not lost is shown when it is over.
func (s *Screen) changed(e event.Event) {
	s.owned[e.Member] = e.Owned
	switch {
	case e.Kind == event.Lost:
		s.about(e, s.paint(red, "has lost "+s.brief(e.Partitions)))
		return
	case s.acts > 0:
		return
	}
	text := "takes up "
	if e.Kind == event.Revoked {
		text = "lets go of "
	}
	text += fmt.Sprintf("%s in generation %d", e.Partitions, e.Generation)
	if owned := e.Owned.String(); e.Kind == event.Revoked || owned != e.Partitions.String() {
		text += "; owns " + owned
	}
	s.about(e, text)
}

// failed is a member that gives up.
func (s *Screen) failed(e event.Event) {
	if e.Code == "" {
		s.about(e, s.paint(red, "its poll fails: "+e.Error))
		return
	}
	s.about(e, s.paint(red, "its poll fails with "+e.Code+": the application ends"))
}

// about is a line on one member.
func (s *Screen) about(e event.Event, text string) {
	s.line(s.clock(e) + s.name(e.Member) + text)
}

// clock is how long the run has gone on.
func (s *Screen) clock(e event.Event) string {
	return s.paint(faint, fmt.Sprintf("%6.2f  ", e.Time.Sub(s.start).Seconds()))
}

func (s *Screen) line(text string) {
	fmt.Fprintln(s.out, strings.TrimRight(text, " "))
}
