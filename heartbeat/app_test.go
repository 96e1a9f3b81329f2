package heartbeat_test

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/heartbeat/franz"
)

// app is an application with a member of the group "g".
type app struct {
	*heartbeat.Member
	w      *world
	name   string // of its client, with which its member ids begin
	client *kgo.Client
	faults *faults // of a transcript; else nil

	mu   sync.Mutex
	next map[heartbeat.CallbackKind]func(context.Context) error // what its next callback does
	last *heartbeat.Session
}

// app makes an application whose member joins by a protocol in which each member is assigned its own id.
func (w *world) app(name string, change func(*heartbeat.Config), opts ...heartbeat.Option) *app {
	a := &app{w: w, name: name, next: map[heartbeat.CallbackKind]func(context.Context) error{}}
	a.client = w.client(name, w.dial(name))
	config := heartbeat.Config{Group: "g", ProtocolType: "echo", Protocols: []heartbeat.Protocol{{Name: "echo"}}, Seed: 1}
	if change != nil {
		change(&config)
	}
	var err error
	var transport heartbeat.Transport = franz.New(a.client, franz.WithSeed(1))
	if w.between != nil {
		transport = through{transport, w.between}
	}
	assignor := heartbeat.Assignor(a.assign)
	if w.assignor != nil {
		assignor = func(ctx context.Context, in heartbeat.AssignmentInput) ([]heartbeat.Assignment, error) {
			return w.assignor(ctx, a, in)
		}
	}
	a.Member, err = heartbeat.NewMember(config, transport, assignor, append([]heartbeat.Option{
		heartbeat.WithObserver(a.observe),
		heartbeat.WithCallbacks(heartbeat.Callbacks{
			Assigned: a.callback(heartbeat.CallbackAssigned),
			Revoked:  a.callback(heartbeat.CallbackRevoked),
			Lost:     a.callback(heartbeat.CallbackLost),
		}),
	}, opts...)...)
	require.NoError(w.t, err)
	w.ends = append(w.ends, func() {
		over, cancel := context.WithCancel(context.Background())
		cancel()
		_ = a.Close(over)
		a.client.Close()
	})
	return a
}

// through is a transport with something before it.
type through struct {
	inner heartbeat.Transport
	send  func(context.Context, heartbeat.Request, heartbeat.Transport) heartbeat.Response
}

func (t through) Send(ctx context.Context, r heartbeat.Request) heartbeat.Response {
	return t.send(ctx, r, t.inner)
}

func (a *app) observe(f heartbeat.Fired) {
	a.w.diary.write(entry{kind: ruled, who: a.name, rule: f.Rule.Name, text: fired(f)})
	if a.faults != nil {
		a.faults.see()
	}
}

func (a *app) note(kind kind, format string, args ...any) {
	a.w.diary.add(kind, a.name, format, args...)
}

// run polls as an application does: again and again, whatever comes of it, until the world ends.
func (a *app) run() {
	select {
	case <-a.Wants(): // a moment later, lest all that a test begins goes on at one time
	default:
	}
	go func() {
		for {
			select {
			case <-a.Done():
				return
			case <-a.Wants():
			case <-time.After(100 * time.Millisecond):
			}
			_ = a.Poll(context.Background())
		}
	}()
}

// attend polls whenever there is something to do, and often enough, whatever comes of it, until the world ends.
func (a *app) attend() {
	go func() {
		for {
			_ = a.Poll(context.Background())
			select {
			case <-a.Done():
				return
			case <-a.Wants():
			case <-time.After(time.Minute):
			}
		}
	}()
}

// commit commits an offset.
func (a *app) commit() error { return a.commitUntil(context.Background()) }

func (a *app) commitUntil(ctx context.Context) error {
	return a.Commit(ctx, someOffsets)
}

// join polls until the member has what it should have.
func (a *app) join() *heartbeat.Session {
	a.w.t.Helper()
	require.NoError(a.w.t, a.Poll(a.w.t.Context()))
	require.Equal(a.w.t, classic.Stable, a.State())
	return a.session()
}

// session is the last one that the application was told of.
func (a *app) session() *heartbeat.Session {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.last
}

// on says what the next callback of a kind does.
func (a *app) on(kind heartbeat.CallbackKind, f func(context.Context) error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.next[kind] = f
}

// quick is what a callback does when nothing else is said: it takes a moment, so that what it causes comes after it.
func quick(context.Context) error {
	time.Sleep(time.Millisecond)
	return nil
}

func (a *app) callback(kind heartbeat.CallbackKind) func(context.Context, *heartbeat.Session) error {
	return func(ctx context.Context, s *heartbeat.Session) error {
		a.note(told, "%s member=%s generation=%d", kind, s.MemberID(), s.Generation())
		a.mu.Lock()
		f := a.next[kind]
		delete(a.next, kind)
		a.last = s
		a.mu.Unlock()
		if f == nil {
			f = quick
		}
		return f(ctx)
	}
}

// assign gives each member its own id.
func (a *app) assign(ctx context.Context, in heartbeat.AssignmentInput) ([]heartbeat.Assignment, error) {
	a.note(told, "assigns generation=%d members=%d", in.Generation, len(in.Members))
	if a.faults != nil {
		if err := a.faults.beforeAssignment(ctx); err != nil {
			return nil, err
		}
	}
	time.Sleep(time.Millisecond)
	var plan []heartbeat.Assignment
	for _, m := range in.Members {
		plan = append(plan, heartbeat.Assignment{Member: m.ID, Data: []byte(m.ID)})
	}
	return plan, nil
}

// someOffsets are offsets to commit.
var someOffsets = []heartbeat.Offset{{Topic: "t", Offset: 1, LeaderEpoch: -1}}

// causeOf is why a generation has ended.
func causeOf(ctx context.Context) *heartbeat.Error {
	var e *heartbeat.Error
	errors.As(context.Cause(ctx), &e)
	return e
}
