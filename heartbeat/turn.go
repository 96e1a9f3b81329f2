package heartbeat

import (
	"context"
	"sync"
	"sync/atomic"
)

// Turn is a request's place among those of a Member that must not overtake each other on their way: its OffsetCommits, in the
// order in which they were asked for. Send runs on a goroutine of its own for each, so that the order of the calls says
// nothing. A nil Turn has no place: a Core gives none.
type Turn struct {
	before  atomic.Pointer[Turn] // none but those that are over lies between
	written chan struct{}
	once    sync.Once
}

// Next is the turn after t, which is nil for the first one.
func (t *Turn) Next() *Turn {
	n := &Turn{written: make(chan struct{})}
	n.before.Store(t)
	return n
}

// Wait returns when all requests before have been written or have ended, or with the cause of ctx when that ends first.
func (t *Turn) Wait(ctx context.Context) error {
	if t == nil {
		return nil
	}
	for p := t.nearest(); p != nil; p = t.nearest() {
		select {
		case <-p.written:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// Written lets the requests after this one go. A Transport calls it when the request is on its way, and cannot be overtaken by
// one that is sent after it; the Member calls it when Send has returned. Only the first call counts.
func (t *Turn) Written() {
	if t == nil {
		return
	}
	t.once.Do(func() { close(t.written) })
	t.nearest()
}

// nearest is the nearest turn before t that is not over; nil where all are. Those that are over it forgets.
func (t *Turn) nearest() *Turn {
	p := t.before.Load()
	for p != nil && p.over() {
		p = p.before.Load()
	}
	t.before.Store(p)
	return p
}

func (t *Turn) over() bool {
	select {
	case <-t.written:
		return true
	default:
		return false
	}
}
