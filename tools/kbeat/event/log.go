package event

import (
	"sync"
	"time"
)

// Log hands events on, one after the other, in the order in which they were emitted. Emit never waits for whoever reads
// them: a member's goroutine that waited for a slow terminal would send no heartbeats.
type Log struct {
	now func() time.Time

	mu     sync.Mutex
	events []Event
	closed bool
	more   chan struct{} // holds something while there are events, or the end
	done   chan struct{}
	err    error // of the reader; when done is closed
}

// NewLog makes a Log whose events read gets, on one goroutine. After the first error of read it is not called again.
func NewLog(read func(Event) error) *Log {
	l := &Log{now: time.Now, more: make(chan struct{}, 1), done: make(chan struct{})}
	go l.run(read)
	return l
}

// Emit hands an event on, with the time of now. It never blocks. After Close it does nothing.
func (l *Log) Emit(e Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	e.Time = l.now() // under the lock, so that times never go back from one event to the next
	l.events = append(l.events, e)
	l.wake()
}

// Close returns when all events have been read, with the reader's first error.
func (l *Log) Close() error {
	l.mu.Lock()
	l.closed = true
	l.wake()
	l.mu.Unlock()
	<-l.done
	return l.err
}

func (l *Log) wake() {
	select {
	case l.more <- struct{}{}:
	default:
	}
}

func (l *Log) run(read func(Event) error) {
	defer close(l.done)
	for range l.more {
		l.mu.Lock()
		events, closed := l.events, l.closed
		l.events = nil
		l.mu.Unlock()
		for _, e := range events {
			if l.err == nil {
				l.err = read(e)
			}
		}
		if closed {
			return
		}
	}
}
