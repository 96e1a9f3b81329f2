package live

import (
	"fmt"
	"sync"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/tools/kbeat/event"
)

// watch remembers the last thing that has gone wrong for each member, on the events' way to their reader.
type watch struct {
	next func(event.Event)

	mu   sync.Mutex
	last map[string]event.Event
}

func newWatch(next func(event.Event)) *watch {
	return &watch{next: next, last: map[string]event.Event{}}
}

func (w *watch) emit(e event.Event) {
	if e.Fired != nil && e.Kind == event.Rule {
		w.mu.Lock()
		if e.Fired.Code != classic.CodeNone {
			w.last[e.Member] = e
		}
		w.mu.Unlock()
	}
	w.next(e)
}

// of is what a member's joining has come to.
func (w *watch) of(member string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	e, ok := w.last[member]
	switch {
	case !ok:
		return "the group waits for another member, or for its leader"
	case e.Error != "":
		return fmt.Sprintf("%s ended with %s (%s)", e.Input, e.Code, e.Error)
	default:
		return fmt.Sprintf("%s was answered with %s", e.Input, e.Code)
	}
}
