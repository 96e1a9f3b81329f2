package wire

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/tools/sim/judge"
)

// wanted are the requests that the rules of a process have sent, by its member's trace. Each may be seen on the wire once,
// until the member has its end. What is seen there and was not wanted, the judge is told.
type wanted struct {
	mu    sync.Mutex
	by    map[sent][]*leaver // of those that look alike
	alike map[uint64]sent    // by the ids of those whose end is not known
}

// leaver is a request that may leave.
type leaver struct {
	id          uint64
	since, over time.Duration // over: when the member has its end; never while it waits
	seen        time.Duration // when it was seen; never if it was not
}

const never = time.Duration(-1)

// sent is what the wire and a trace have in common of a request.
type sent struct {
	api        classic.Input
	member     string
	generation int32 // of those that have one
}

// want notes that a request may leave.
func (w *wanted) want(id uint64, what sent, now time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.by == nil {
		w.by, w.alike = map[sent][]*leaver{}, map[uint64]sent{}
	}
	if !slices.ContainsFunc(w.by[what], func(l *leaver) bool { return l.lasts(now) }) {
		delete(w.by, what)
	}
	w.by[what] = append(w.by[what], &leaver{id, now, never, never})
	w.alike[id] = what
}

// end notes that the member knows how a request has ended. In the same instant it may still be seen.
func (w *wanted) end(id uint64, now time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.by[w.alike[id]] {
		if l.id == id {
			l.over = now
		}
	}
	delete(w.alike, id)
}

// take says whether a request that is seen now was to leave.
func (w *wanted) take(what sent, now time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return place(w.by[what], now, map[*leaver]bool{})
}

// place takes one of the requests that look alike for what was seen at a time. Where all that could be were seen already,
// those that were seen earlier may have been others: a heartbeat that waits for a connection can leave after the next one.
func place(alike []*leaver, at time.Duration, tried map[*leaver]bool) bool {
	for _, l := range alike {
		if tried[l] || !l.lasts(at) {
			continue
		}
		tried[l] = true
		if l.seen == never || place(alike, l.seen, tried) {
			l.seen = at
			return true
		}
	}
	return false
}

func (l *leaver) lasts(at time.Duration) bool {
	return l.since <= at && (l.over == never || at <= l.over)
}

// wrote notes that a request has left. The judge has heard of it by the member's trace; of what nobody there has sent it
// hears now.
func (p *process) wrote(r request) {
	what := onWire(r.Request)
	if !p.wanted.take(what, p.w.now()) {
		p.see(judge.Event{Kind: judge.Sent, API: what.api, MemberID: what.member, Generation: what.generation})
	}
}

// onWire is what a request says of its sender.
func onWire(r kmsg.Request) sent {
	switch r := r.(type) {
	case *kmsg.FindCoordinatorRequest:
		return sent{api: classic.InputFindCoordinator}
	case *kmsg.JoinGroupRequest:
		return sent{api: classic.InputJoinGroup, member: r.MemberID}
	case *kmsg.SyncGroupRequest:
		return sent{classic.InputSyncGroup, r.MemberID, r.Generation}
	case *kmsg.HeartbeatRequest:
		return sent{classic.InputHeartbeat, r.MemberID, r.Generation}
	case *kmsg.OffsetCommitRequest:
		return sent{classic.InputOffsetCommit, r.MemberID, r.Generation}
	case *kmsg.LeaveGroupRequest:
		if len(r.Members) > 0 { // since version 3
			return sent{api: classic.InputLeaveGroup, member: r.Members[0].MemberID}
		}
		return sent{api: classic.InputLeaveGroup, member: r.MemberID}
	}
	panic(r) // is none of a group's
}

// sent is the same by a line of a trace.
func (l traceLine) sent() sent {
	s := sent{l.API, l.Member, l.Generation}
	switch l.API {
	case classic.InputFindCoordinator:
		s.member, s.generation = "", 0
	case classic.InputJoinGroup, classic.InputLeaveGroup:
		s.generation = 0
	}
	return s
}

// A request leaves once, between its time and its end; which of two that look alike it was, nobody can see.
func TestARequestLeavesOnceAndInTime(t *testing.T) {
	beat := sent{classic.InputHeartbeat, "m", 8}
	var w wanted
	require.False(t, w.take(beat, 1), "nobody wanted one")
	w.want(1, beat, 1)
	require.False(t, w.take(sent{classic.InputHeartbeat, "m", 7}, 1), "not in that generation")
	w.want(2, beat, 4)
	w.want(3, beat, 7)
	require.True(t, w.take(beat, 7), "the third, or one before it")
	w.end(3, 8)
	require.True(t, w.take(beat, 9), "the first or the second")
	w.end(1, 10)
	require.True(t, w.take(beat, 11), "the second; the first has left at 9")
	require.False(t, w.take(beat, 12), "all have left")
	w.end(2, 13)
	w.want(4, beat, 14)
	w.end(4, 15)
	require.False(t, w.take(beat, 16), "its time is over")
	w.want(5, beat, 17)
	w.end(5, 18)
	require.True(t, w.take(beat, 18), "in the instant of its end it may still be seen")
	require.False(t, w.take(beat, 18), "twice")
}
