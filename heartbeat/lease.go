package heartbeat

import (
	"sync/atomic"
	"time"
)

// lease is until when a session's work is the member's alone.
type lease struct {
	start time.Time    // of the member's clock
	end   atomic.Int64 // on it, in nanoseconds; none for a member without a lease
}

// none is the end of a lease that was never taken.
const none = -1

// newLease begins as the member's is: a session begins when its first heartbeat has been answered.
func (m *Member) newLease() *lease {
	l := &lease{start: m.start}
	l.end.Store(none)
	l.renew(m.core)
	return l
}

// renew takes note of an answer that has prolonged the lease. One that has ended, or was given up, stays as it was.
func (l *lease) renew(core *Core) {
	if end, held := core.LeaseEnd(); held {
		l.end.Store(int64(end))
	}
}

// Deadline is when the partitions may be given to another member, unless an answer of the coordinator comes before and
// prolongs it. It is false where Config.Lease is not set: then the coordinator decides, and the session ends when it says so.
//
// The time has a monotonic reading: compare it with time.Now, and do not store it.
func (s *Session) Deadline() (time.Time, bool) {
	end := s.lease.end.Load()
	if end == none {
		return time.Time{}, false
	}
	return s.lease.start.Add(time.Duration(end)), true
}

// Valid reports whether the partitions are still this session's: its context has not ended, and its deadline, if it has one,
// has not passed. Check it before each write that must not happen twice: a process that was stopped, or has not been
// scheduled, finds the deadline passed before it learns of anything else. Between the check and the write there is still
// time; where that matters, let what is written to compare Generation.
func (s *Session) Valid() bool {
	if s.ctx.Err() != nil {
		return false
	}
	end, leased := s.Deadline()
	return !leased || time.Now().Before(end)
}
