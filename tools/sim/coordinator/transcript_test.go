package coordinator_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kbeat/kbeat/fsm/classic"
)

// transcript is what a script has shown, a line for each step, and for each answer that it has released.
type transcript struct{ strings.Builder }

func (t *transcript) line(format string, args ...any) { fmt.Fprintf(&t.Builder, format+"\n", args...) }

// render is an answer with names for member ids. Of a failure only the code is shown, and of the rest what members use.
func (p *player) render(a said) string {
	if a.who == nil {
		return p.renderAdmin(a)
	}
	words := []string{a.Code.String()}
	switch {
	case a.Err != nil:
		return fmt.Sprintf("%s (%v)", a.Code, a.Err) // there was no answer
	case a.Code == classic.CodeMemberIDRequired:
		words = append(words, p.name(a.Member))
	case a.Code != classic.CodeNone:
	case a.api == classic.InputJoinGroup:
		words = append(words, fmt.Sprintf("%s generation=%d leader=%s", p.name(a.Member), a.Generation, p.name(a.Leader)),
			"protocol="+orNull(a.ProtocolType)+"/"+orNull(a.Protocol))
		if a.SkipAssignment {
			words = append(words, "skip")
		}
		var members []string
		for _, m := range a.Members {
			member := p.name(m.ID)
			if m.Instance != "" {
				member += "/" + m.Instance
			}
			members = append(members, member+":"+string(m.Metadata))
		}
		slices.Sort(members)
		if members != nil {
			words = append(words, "members="+strings.Join(members, ","))
		}
	case a.api == classic.InputSyncGroup:
		words = append(words, "protocol="+orNull(a.ProtocolType)+"/"+orNull(a.Protocol), "assignment="+string(a.Assignment))
	}
	return strings.Join(words, " ")
}

func (p *player) renderAdmin(a said) string {
	var words []string
	for _, c := range a.left {
		words = append(words, c.String())
	}
	if a.state != "" {
		words = append(words, a.state)
	}
	var names []string
	for _, id := range a.ids {
		names = append(names, p.name(id))
	}
	slices.Sort(names)
	return strings.Join(append(words, names...), " ")
}

func (p *player) name(id string) string {
	if name, ok := p.names[id]; ok {
		return name
	}
	return "?" // nobody was ever told it
}

func orNull(s *string) string {
	if s == nil {
		return "null"
	}
	return *s
}
