package heartbeat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
)

// RunOption changes how Run does its work.
type RunOption func(*runner)

// RequireProgress makes the poll deadline the application's own: unless Session.Progress, or Session.Commit, is called
// within each MaxPollInterval, the application is taken for stuck, and the member leaves the group. Without it Run polls
// for the application as long as its function runs.
func RequireProgress() RunOption { return func(r *runner) { r.required = true } }

// Run keeps the member in the group, and calls work once for each generation, on a goroutine of its own. The context that
// work gets ends with the generation; work must then return, because the group waits for that, MaxPollInterval at most.
// Offsets can be committed until it has returned, unless the generation is lost already: context.Cause says which rule has
// ended it, and why. A commit after that end needs a context of its own, such as context.WithoutCancel with a timeout.
// Heartbeats go on all the while. A panic of work is the application's, and ends the process as that of any goroutine does.
//
// Run returns, when work has returned: what work has returned before its context ended, also nil; an error that work has
// returned after that, unless it is that end, or an *Error of a commit that came too late (REBALANCE_IN_PROGRESS,
// COMMIT_FAILED) or was not answered in its generation (COMMIT_UNKNOWN); the cause of ctx, when that ends, with the last
// failure if the member has one then (see Status.Failure); ErrClosed or ErrLeft after Close or Leave; an *Error that the
// rules do not repeat by themselves. The member is then still in the group: Close it, or Run it again.
func (m *Member) Run(ctx context.Context, work func(ctx context.Context, s *Session) error, opts ...RunOption) error {
	if work == nil {
		return errors.New("run: work is nil: give the function that does the member's part")
	}
	if slices.ContainsFunc(opts, func(o RunOption) bool { return o == nil }) {
		return errors.New("run: an option is nil: leave it out")
	}
	if err := m.mayWait(ctx, "run", "return; what runs it goes on by itself"); err != nil {
		return err
	}
	if !m.polling.TryLock() {
		return ErrBusy
	}
	defer m.polling.Unlock()
	r := &runner{member: m, work: work, leaves: m.countLeaves()}
	for _, o := range opts {
		o(r)
	}
	m.setHandler(handler{r.callback, runsWork})
	defer m.setHandler(handler{call: m.callback})
	err := r.run(ctx)
	if failed := r.stop(err); failed != nil {
		return failed
	}
	return err
}

// runsWork is what errors and logs call it.
const runsWork = "Run's work"

// runner is one Run.
type runner struct {
	member   *Member
	work     func(context.Context, *Session) error
	required bool
	ctx      context.Context
	job      atomic.Pointer[job] // the last one; nil before the first
	leaves   int                 // of the member when it began
}

// job is one call of work.
type job struct {
	session *Session
	stop    context.CancelCauseFunc
	done    chan struct{}
	early   bool  // it has returned before its generation ended; when done is closed
	err     error // that Run is to return; when done is closed
}

// run polls until something ends it.
func (r *runner) run(ctx context.Context) error {
	r.ctx = ctx
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		if err := r.member.poll(ctx, r); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return r.member.overWith(ctx)
		}
		r.resume()
		timer.Reset(r.member.config.MaxPollInterval / 3)
		if over, err := r.await(ctx, timer.C); over {
			return err
		}
	}
}

// resume calls work for a generation that the application received before this Run.
func (r *runner) resume() {
	if s := r.member.live.Load(); s != nil && s.ctx.Err() == nil && r.job.Load() == nil {
		r.begin(s)
	}
}

// await returns when it is time to poll, or when Run is over.
func (r *runner) await(ctx context.Context, timer <-chan time.Time) (over bool, err error) {
	var progress, done <-chan struct{}
	j := r.job.Load()
	if j != nil {
		progress, done = j.session.progress, j.done
		if r.required {
			timer = nil
		}
	}
	for {
		select {
		case <-ctx.Done():
			return true, r.member.overWith(ctx)
		case <-r.member.over:
			return true, ErrClosed
		case <-r.member.wants:
			return false, nil
		case <-progress:
			return false, nil
		case <-timer:
			return false, nil
		case <-done:
			if j.early || j.err != nil {
				return true, j.err
			}
			done = nil
		}
	}
}

// callback begins and ends work. Leave and Close call it too, from their own goroutine; they wait for work no longer than
// their context allows. A poll waits on when its context has ended, lest the member joins while work still goes on.
func (r *runner) callback(ctx context.Context, c sessionCall) error {
	if c.Kind == CallbackAssigned {
		r.begin(c.session)
		return nil
	}
	j := r.job.Load()
	if j == nil {
		return nil
	}
	j.stop(context.Cause(j.session.ctx))
	if !c.leaving {
		ctx = r.member.ctx
	}
	select {
	case <-j.done:
		return j.err // ends the poll, so that no other work begins
	case <-ctx.Done():
		return fmt.Errorf("run: work has not returned: %w", context.Cause(ctx))
	}
}

// progress is what notifies Run that its work goes on, where RequireProgress asks for that and work runs; else nil.
func (r *runner) progress() <-chan struct{} {
	if r == nil || !r.required {
		return nil
	}
	j := r.job.Load()
	if j == nil {
		return nil
	}
	select {
	case <-j.done:
		return nil
	default:
		return j.session.progress
	}
}

// begin calls work for a generation.
func (r *runner) begin(s *Session) {
	ctx, stop := context.WithCancelCause(r.member.mark(r.ctx, runsWork))
	unlink := context.AfterFunc(s.ctx, func() { stop(context.Cause(s.ctx)) })
	j := &job{session: s, stop: stop, done: make(chan struct{})}
	r.job.Store(j)
	go func() {
		returned := false
		defer func() {
			if !returned {
				j.early, j.err = true, errors.New("run: work has ended without returning, by runtime.Goexit")
			}
			close(j.done)
		}()
		defer unlink()
		defer stop(nil)
		err := r.work(ctx, s)
		returned = true
		if late := isLate(err); late || ctx.Err() != nil {
			if late || errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx)) {
				err = nil
			}
		} else {
			j.early = true
		}
		j.err = err
	}()
}

// isLate reports whether an error says no more than that a commit came after its generation, or that the generation ended
// before the commit was answered. The context that ends with the generation may not have ended yet when a commit returns.
func isLate(err error) bool {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Rule == nil { // nil in an Error that the application has made
		return false
	}
	switch e.Rule.Result {
	case classic.ResultOffsetCommitRejoining, classic.ResultOffsetCommitTooLate, classic.ResultOffsetCommitUnknown:
		return true
	}
	return false
}

// stop ends work, and returns what it has failed with.
func (r *runner) stop(cause error) error {
	j := r.job.Load()
	if j == nil {
		return nil
	}
	j.stop(cause)
	<-j.done
	return j.err
}

// overWith is the cause of ctx, with what has failed last while the coordinator cannot be reached, say.
func (m *Member) overWith(ctx context.Context) error {
	if last := m.Status().Failure; last != nil {
		return fmt.Errorf("%w; the last failure: %w", context.Cause(ctx), last)
	}
	return context.Cause(ctx)
}

// countLeaves is how often Leave was called.
func (m *Member) countLeaves() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.leaves
}

// setHandler sets what callbacks call.
func (m *Member) setHandler(h handler) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.handle = h
}

func (m *Member) handler() handler {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.handle
}
