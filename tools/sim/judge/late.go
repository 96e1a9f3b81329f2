package judge

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Reading is who has read up to an offset that is committed, and in which generation.
type Reading struct {
	MemberID   string
	Generation int32
}

// Metadata is the reading as an application writes it beside each offset that it commits. It goes wherever the offset goes,
// so that whoever sees a commit sees whose it is, whatever the request says of its sender.
func (r Reading) Metadata() string { return fmt.Sprintf("%d %s", r.Generation, r.MemberID) }

// ReadingOf is what Metadata was made of. What it has not made is nobody's reading.
func ReadingOf(metadata string) Reading {
	number, id, _ := strings.Cut(metadata, " ")
	generation, err := strconv.ParseInt(number, 10, 32)
	if err != nil {
		return Reading{metadata, nobody.generation}
	}
	return Reading{id, int32(generation)}
}

// Readings are those of several offsets, each once.
func Readings(metadata ...string) (list []Reading) {
	for _, m := range metadata {
		if r := ReadingOf(m); !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	return list
}

// checkOffsets: the coordinator compares the generation in a commit's request with the present one, and knows no other, so
// that offsets count in that generation, whenever they were read.
func (j *Judge) checkOffsets(l *life, e Event, how string) {
	for _, r := range e.Read {
		if r != (Reading{e.MemberID, e.Generation}) {
			j.broken(OffsetsFenced, l.name, "offsets %s as those of %q in generation %d, and %q has read them in generation %d",
				how, e.MemberID, e.Generation, r.MemberID, r.Generation)
		}
	}
}

// checkLate: what is answered to a request is about who has sent it, and the member is somebody else by now.
func (j *Judge) checkLate(l *life, e Event, asked, before identity) {
	if l.who != before || e.From != e.To {
		j.broken(LateAnswersIgnored, l.name, "rule %s decided about an answer to %q in generation %d, and has made %q in generation %d, %s, into %q in generation %d, %s",
			e.Rule, asked.id, asked.generation, before.id, before.generation, e.From, l.who.id, l.who.generation, e.To)
	}
}
