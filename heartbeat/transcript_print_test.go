package heartbeat_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// print writes entries down. What is not shown is kept for expect.
func (s *script) print(entries []entry) string {
	var shown []entry
	for _, e := range entries {
		s.fired[e.rule] = true
		if len(s.apps) == 1 {
			e.who = ""
		}
		text := fmt.Sprintf("%s %s", e.kind, e.text)
		if e.who != "" {
			text = fmt.Sprintf("%s %s: %s", e.kind, e.who, e.text)
		}
		s.lines = append(s.lines, line{e.at, text})
		if len(s.shown) == 0 || slices.Contains(s.shown, e.kind) {
			shown = append(shown, e)
		}
	}
	return written(shown)
}

// mostRepeated is how many entries are taken for one pattern that comes again: a heartbeat of two members, with its rules.
const mostRepeated = 6

// written is entries, one a line; those that come again at one pace, three times or more, are written once.
func written(entries []entry) string {
	var b strings.Builder
	for i := 0; i < len(entries); {
		length, times := 1, 1
		for n := 1; n <= mostRepeated; n++ {
			if t := repeated(entries[i:], n); t >= 3 && t*n > length*times {
				length, times = n, t
			}
		}
		for _, e := range entries[i : i+length] {
			b.WriteString(e.String() + "\n")
		}
		if times > 1 {
			fmt.Fprintf(&b, "%8s and so on, each %s: %d times in all\n", "", entries[i+length].at-entries[i].at, times)
		}
		i += length * times
	}
	return b.String()
}

// repeated is how often the first n entries come, one time after the other at one pace.
func repeated(entries []entry, n int) int {
	times := 1
	for ; (times+1)*n <= len(entries); times++ {
		pace := entries[n].at - entries[0].at
		for i := range n {
			e, first := entries[times*n+i], entries[i]
			if pace == 0 || e.at-first.at != pace*time.Duration(times) || e.kind != first.kind || e.who != first.who || e.text != first.text {
				return times
			}
		}
	}
	return times
}

// members says what each member is now.
func (s *script) members() string {
	var b strings.Builder
	for _, name := range s.order {
		text := s.world.diary.named(status(s.apps[name].Status()))
		if len(s.apps) > 1 {
			text = name + ": " + text
		}
		fmt.Fprintf(&b, "%8s %-4s %s\n", "", "now", text)
		s.lines = append(s.lines, line{s.now(), "now " + text})
	}
	return b.String()
}

func status(st heartbeat.Status) string {
	text := st.State.String()
	if st.Member != "" {
		text += " member=" + st.Member
	}
	if st.Generation != heartbeat.NoGeneration {
		text += fmt.Sprintf(" generation=%d", st.Generation)
	}
	if st.Flags.Has(classic.RejoinNeeded) {
		text += fmt.Sprintf(" rejoin=%q", st.Reason)
	}
	if st.Heartbeats > 0 {
		text += fmt.Sprintf(" heartbeats=%d", st.Heartbeats)
	}
	if !st.Flags.Has(classic.CoordinatorKnown) {
		text += " coordinator=unknown"
	}
	return text
}
