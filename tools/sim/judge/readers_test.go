package judge

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

// What stands beside an offset is whose it is; what else stands there is nobody's.
func TestReaders(t *testing.T) {
	own, other := Identity{"m 1", 4}, Identity{"", -1}
	require.Equal(t, own, ReaderOf(own.Metadata()))
	require.Equal(t, []Identity{own, other, {"free text", -1}}, Readers(own.Metadata(), other.Metadata(), own.Metadata(), "free text"))
	require.NotEqual(t, own, ReaderOf(""))
}

// Offsets are committed as who has read them: by whoever sends them, and where the coordinator takes them, also of a member
// that has ended meanwhile.
func TestOffsetsAreOfWhoHasReadThem(t *testing.T) {
	for _, kind := range []Kind{Sent, Stored} {
		for read, want := range map[Identity][]Invariant{{"a", 4}: nil, {"a", 3}: {OffsetsFenced}, {"b", 4}: {OffsetsFenced}, ReaderOf(""): {OffsetsFenced}} {
			s := newScene("m1")
			s.joins("m1", "a", 4, 0)
			if kind == Stored {
				s.see(Event{Member: "m1", Kind: Killed})
			}
			s.see(Event{Member: "m1", Kind: kind, API: classic.InputOffsetCommit, Request: 2, Who: Identity{"a", 4}, Read: []Identity{{"a", 4}, read}})
			require.Equal(t, want, s.invariants(), "%s: %v", kind, read)
		}
	}
}
