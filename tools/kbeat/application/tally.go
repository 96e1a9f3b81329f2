package application

import (
	"maps"
	"sync"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/kbeat/event"
)

// tally counts what the member went through.
type tally struct {
	mu sync.Mutex
	event.Tally
}

// Unanswered reports whether a code stands for the lack of an answer: the catalogue gives those numbers below -1, which no
// broker sends.
func Unanswered(c classic.Code) bool { return c.Number() < -1 }

func (t *tally) count(f heartbeat.Fired) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, do := range f.Rule.Do {
		if do.Effect == classic.EffectSendHeartbeat {
			t.Sent++
		}
	}
	if f.Rule.Input == classic.InputHeartbeat && !Unanswered(f.Code) {
		t.Answered++
	}
	if f.From != classic.Stable && f.To == classic.Stable {
		t.Joined++
	}
	if f.Code != classic.CodeNone {
		if t.Errors == nil {
			t.Errors = map[string]int{}
		}
		t.Errors[f.Rule.Name]++
	}
}

func (t *tally) read() event.Tally {
	t.mu.Lock()
	defer t.mu.Unlock()
	copied := t.Tally
	copied.Errors = maps.Clone(t.Errors)
	return copied
}

func (t *tally) now() *event.Tally {
	copied := t.read()
	return &copied
}
