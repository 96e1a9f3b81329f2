package wire

import (
	"context"
	"time"

	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/sim/judge"
)

// call makes a call of the member that waits, and reports how long the caller has.
func (p *process) call(ctx context.Context, c judge.Call, limit time.Duration, f func(context.Context) error) error {
	p.mu.Lock()
	p.calls++
	id := p.calls
	p.mu.Unlock()
	p.see(judge.Event{Kind: judge.Called, Call: c, CallID: id, Limit: limit})
	err := f(ctx)
	if d := p.w.flaw.lingers; d > 0 {
		time.Sleep(d)
	}
	p.see(judge.Event{Kind: judge.Returned, Call: c, CallID: id, Err: err})
	return err
}

// lease is what an application with one may rely on.
type lease struct {
	session *heartbeat.Session // whose work it does; nil before the first
	until   time.Duration      // was reported last
}

// takeLease lets the application work as of a session. It may until the session's context ends, or its deadline has passed.
func (p *process) takeLease(s *heartbeat.Session) {
	if !p.config.Lease {
		return
	}
	p.mu.Lock()
	p.lease.session = s
	p.mu.Unlock()
	p.seeLease()
	context.AfterFunc(s.Context(), p.seeLease)
}

// seeLease reports until when the application may work, where that has changed.
func (p *process) seeLease() {
	p.mu.Lock()
	var until time.Duration
	if s := p.lease.session; s != nil && s.Valid() {
		if end, leased := s.Deadline(); leased {
			until = end.Sub(p.w.began)
		}
	}
	changed := p.lease.until != until
	p.lease.until = until
	p.mu.Unlock()
	if changed {
		p.see(judge.Event{Kind: judge.Leased, Until: until})
	}
}
