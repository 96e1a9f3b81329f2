package wire

import (
	"slices"
	"sync"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
)

// wanted are the requests that the rules of a process have sent, by its member's trace. Each may be seen on the wire as often
// as a transport may send it, until the member has its end. What is seen there and was not wanted, the judge is told.
type wanted struct {
	mu   sync.Mutex
	by   map[sent][]*outgoing // of those that look alike
	open map[uint64]sent      // those whose end is not known, by their ids
}

// outgoing is a request that may leave.
type outgoing struct {
	id          uint64
	since, over time.Duration // over: when the member has its end; never while it waits
	seen        time.Duration // when it was seen; never if it was not
}

const never = time.Duration(-1)

// want notes that a request may leave so many times.
func (w *wanted) want(id uint64, what sent, times int, now time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.by == nil {
		w.by, w.open = map[sent][]*outgoing{}, map[uint64]sent{}
	}
	if !slices.ContainsFunc(w.by[what], func(o *outgoing) bool { return o.lasts(now) }) {
		delete(w.by, what)
	}
	for range times {
		w.by[what] = append(w.by[what], &outgoing{id, now, never, never})
	}
	w.open[id] = what
}

// slowly is how long after its end a FindCoordinator may leave at most: the longest RequestTimeout. One that waits for a
// connection is sent when that is there, and its answer counts for the member's next lookup.
const slowly = 30 * time.Second

// end notes that the member knows how a request has ended. In the same instant it may still be seen.
func (w *wanted) end(id uint64, now time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, o := range w.by[w.open[id]] {
		if o.id == id {
			o.over = now
		}
		if o.id == id && w.open[id].api == classic.InputFindCoordinator {
			o.over = o.since + slowly
		}
	}
	delete(w.open, id)
}

// take reports whether a request that is seen now was to leave.
func (w *wanted) take(what sent, now time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return place(w.by[what], now, map[*outgoing]bool{})
}

// place takes one of the requests that look alike for what was seen at a time. Where all that could be were seen already,
// those that were seen earlier may have been others: a heartbeat that waits for a connection can leave after the next one.
func place(alike []*outgoing, at time.Duration, tried map[*outgoing]bool) bool {
	for _, o := range alike {
		if tried[o] || !o.lasts(at) {
			continue
		}
		tried[o] = true
		if o.seen == never || place(alike, o.seen, tried) {
			o.seen = at
			return true
		}
	}
	return false
}

func (o *outgoing) lasts(at time.Duration) bool {
	return o.since <= at && (o.over == never || at <= o.over)
}
