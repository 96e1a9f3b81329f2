package screen

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kbeat/kbeat/tools/kbeat/event"
)

// mostColumns of partitions fit beside a member's name.
const mostColumns = 20

// settled shows who owns what.
func (s *Screen) settled(e event.Event) {
	s.showEveryday()
	legend := ""
	if s.owners == nil {
		legend = "   who owns which partition; + is new to its owner"
	}
	s.line(s.clock(e) + s.paint(green, fmt.Sprintf("settled in generation %d after %.1f s", e.Generation, e.Took)) + s.paint(faint, legend))
	row := s.rows(e.Owners)
	for _, member := range byAge(slices.Collect(maps.Keys(e.Owners))) {
		s.line(indent + s.name(member) + row(member, e.Owners[member]))
	}
	for _, member := range byAge(slices.Collect(maps.Keys(s.owned))) {
		if _, lives := e.Owners[member]; !lives && len(s.owned[member]) > 0 {
			s.line(indent + s.name(member) + s.paint(red, fmt.Sprintf("still works on %s, and does not know better", s.brief(s.owned[member]))))
		}
	}
	s.owners = e.Owners
}

// rows is how to show what a member owns: in columns, if there is one topic with few partitions.
func (s *Screen) rows(owners map[string]event.Partitions) func(member string, owned event.Partitions) string {
	topics, last := map[string]bool{}, int32(-1)
	for _, owned := range owners {
		for topic, partitions := range owned {
			topics[topic] = true
			last = max(last, slices.Max(partitions))
		}
	}
	if len(topics) != 1 || last >= mostColumns {
		return func(_ string, owned event.Partitions) string { return owned.String() }
	}
	topic := slices.Collect(maps.Keys(topics))[0]
	return func(member string, owned event.Partitions) string {
		return s.columns(member, owned[topic], topic, last)
	}
}

// columns has a column for each partition; a sign marks those that are new to their owner.
func (s *Screen) columns(member string, owned []int32, topic string, last int32) string {
	var b strings.Builder
	for p := range last + 1 {
		switch {
		case !slices.Contains(owned, p):
			b.WriteString(s.paint(faint, "   ·"))
		case slices.Contains(s.owners[member][topic], p):
			b.WriteString(s.paint(s.colourOf(member), fmt.Sprintf("%4d", p)))
		default:
			b.WriteString(s.paint(s.colourOf(member)+";"+bold, fmt.Sprintf("%4s", fmt.Sprintf("+%d", p))))
		}
	}
	return b.String()
}

// brief leaves the topic out where there is only one.
func (s *Screen) brief(p event.Partitions) string {
	if len(s.topics) != 1 {
		return p.String()
	}
	for topic := range s.topics {
		if len(p[topic]) > 0 {
			return event.Ranges(p[topic])
		}
	}
	return "nothing"
}

// byAge sorts members in the order in which they began: m2 before m10.
func byAge(members []string) []string {
	slices.SortFunc(members, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return members
}
