package heartbeat

import (
	"context"
	"time"
)

// The first warning about what has not returned comes this long after its context has ended; each further one after
// twice the pause, up to the most.
const firstOverdue, mostOverdue = time.Second, time.Minute

// watch logs, at growing intervals, that a task goes on though its context has ended, or that it was told to end, until stop is called, which waits for
// the warning that is being logged. late, unless nil, is called before the first warning.
func (m *Member) watch(ctx context.Context, t *task, late func()) (stop func()) {
	returned, ended := make(chan struct{}), make(chan struct{})
	unlink := context.AfterFunc(ctx, func() {
		defer close(ended)
		for pause := firstOverdue; ; pause = min(2*pause, mostOverdue) {
			select {
			case <-returned:
				return
			case <-time.After(pause):
			}
			if late != nil {
				late()
				late = nil
			}
			if m.options.log != nil {
				message := "abandoned call did not return"
				if t.stopped {
					message = "work did not return" // and the group waits
				}
				_ = guard("logger", func() {
					m.options.log.Warn(message, "group", m.config.Group, "call", m.underway.describe(t))
				})
			}
		}
	})
	return func() {
		close(returned)
		if !unlink() {
			<-ended
		}
	}
}
