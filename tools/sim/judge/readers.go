package judge

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kbeat/kbeat/heartbeat"
)

// Metadata is who has read up to an offset, as an application writes it beside each one that it commits. It goes wherever the
// offset goes, so that whoever sees a commit sees whose it is, whatever the request says of its sender.
func (i Identity) Metadata() string { return fmt.Sprintf("%d %s", i.Generation, i.MemberID) }

// ReaderOf is who Metadata was made of. What it has not made is of nobody who could be known.
func ReaderOf(metadata string) Identity {
	number, id, _ := strings.Cut(metadata, " ")
	generation, err := strconv.ParseInt(number, 10, 32)
	if err != nil {
		return Identity{metadata, heartbeat.NoGeneration}
	}
	return Identity{id, int32(generation)}
}

// Readers are those of several offsets, each once.
func Readers(metadata ...string) (list []Identity) {
	for _, m := range metadata {
		if r := ReaderOf(m); !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	return list
}

// checkOffsets: the coordinator compares the generation in a commit's request with the present one, and knows no other, so
// that offsets count in that generation, whenever they were read.
func (j *Judge) checkOffsets(l *life, e Event, how string) {
	for _, r := range e.Read {
		if r != e.Who {
			j.broken(OffsetsFenced, l.name, "offsets %s as those of %s, and they were read by %s", how, e.Who, r)
		}
	}
}
