package heartbeat_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

func (s *script) begin() {
	s.end()
	s.world, s.carrier = newWorld(s.t), &faults{}
	carrier := s.carrier
	s.world.between = func(ctx context.Context, r heartbeat.Request, inner heartbeat.Transport) heartbeat.Response {
		carrier.strike("transport")
		return inner.Send(ctx, r)
	}
	s.apps, s.order, s.since = map[string]*app{}, nil, 0
	s.add("a")
	if s.has("joined") {
		s.poll()
		synctest.Wait()
		s.world.diary.take()
		s.since = s.now()
	}
}

func (s *script) member() { s.add(s.arg(0)) }

func (s *script) add(name string) {
	f := &faults{world: s.world, who: name, logs: s.has("log")}
	a := s.world.app(name, func(c *heartbeat.Config) {
		c.SessionTimeout = s.duration("session", 0)
		c.MaxPollInterval = s.duration("poll", 0)
		c.RequestTimeout = s.duration("request", 0)
		c.Lease = s.has("lease")
		s.d.MaybeScanArgs(s.t, "instance", &c.InstanceID)
	}, f.options()...)
	a.faults = f
	s.apps[name] = a
	s.order = append(s.order, name)
}

// move lets the embedded broker, which keeps the state of groups for all its nodes, name another node as the coordinator.
func (s *script) move() {
	cluster := s.world.cluster
	before := cluster.CoordinatorFor("g")
	if len(cluster.ListenAddrs()) == 1 {
		_, _, err := cluster.AddNode(-1, 9093)
		require.NoError(s.t, err)
	}
	for cluster.CoordinatorFor("g") == before {
		cluster.RehashCoordinators()
	}
}

func (s *script) show() string {
	s.shown = nil
	for _, a := range s.d.CmdArgs {
		if rank(kind(a.Key)) < 0 {
			s.d.Fatalf(s.t, "%s is no kind of entry", a.Key)
		}
		s.shown = append(s.shown, kind(a.Key))
	}
	return ""
}

func (s *script) poll() {
	s.call("poll", func(a *app, ctx context.Context) error { return a.Poll(ctx) })
}

func (s *script) commit() {
	offset := someOffsets[0]
	s.d.MaybeScanArgs(s.t, "partition", &offset.Partition)
	s.call("commit", func(a *app, ctx context.Context) error { return a.Commit(ctx, []heartbeat.Offset{offset}) })
}

func (s *script) leave() {
	s.call("leave", func(a *app, ctx context.Context) error { return a.Leave(ctx, heartbeat.LeaveIfDynamic, "enough") })
}

func (s *script) close() {
	s.call("close", func(a *app, ctx context.Context) error { return a.Close(ctx) })
}

// call calls the member, and lets time pass until that has ended, or long enough.
func (s *script) call(what string, f func(*app, context.Context) error) {
	a, limit, cancelled := s.app(), s.duration("ctx", 0), s.duration("cancel", 0)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		if limit > 0 {
			ctx, cancel = context.WithTimeout(ctx, limit)
			defer cancel()
		}
		if cancelled > 0 {
			defer time.AfterFunc(cancelled, cancel).Stop()
		}
		defer func() {
			if p := recover(); p != nil {
				a.note(ended, "%s: panic: %v", what, p)
			}
		}()
		a.note(ended, "%s: %s", what, outcome(f(a, ctx)))
	}()
	timer := time.NewTimer(s.duration("for", 100*time.Millisecond))
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		a.note(ended, "%s has not ended", what)
	}
}

func (s *script) run() {
	s.app().attend()
	time.Sleep(100 * time.Millisecond)
}

func (s *script) work() {
	a, takes := s.app(), s.duration("takes", time.Millisecond)
	go func() {
		err := a.Run(context.Background(), func(ctx context.Context, session *heartbeat.Session) error {
			a.note(told, "work begins member=%s generation=%d", session.MemberID(), session.Generation())
			<-ctx.Done()
			a.note(told, "work is to end generation=%d: %s", session.Generation(), outcome(context.Cause(ctx)))
			time.Sleep(takes)
			a.note(told, "work has ended generation=%d", session.Generation())
			return nil
		})
		a.note(ended, "run: %s", outcome(err))
	}()
	time.Sleep(100 * time.Millisecond)
}

func (s *script) rejoin() {
	var words []string
	for _, a := range s.d.CmdArgs {
		if len(s.order) == 1 || !slices.Contains(s.order, a.Key) {
			words = append(words, a.Key)
		}
	}
	s.app().Rejoin(strings.Join(words, " "))
}

func (s *script) protocols() {
	var offered []heartbeat.Protocol
	for _, a := range s.d.CmdArgs {
		if len(a.Vals) > 0 {
			offered = append(offered, heartbeat.Protocol{Name: a.Key, Metadata: []byte(a.Vals[0])})
		}
	}
	if err := s.app().SetProtocols(offered); err != nil {
		s.d.Fatalf(s.t, "%v", err)
	}
}

func (s *script) advance() { time.Sleep(s.parse(s.arg(0))) }

// key is the API that the first argument names.
func (s *script) key() kmsg.Key {
	for key := range ways {
		if key.Name() == s.arg(0) {
			return key
		}
	}
	s.d.Fatalf(s.t, "%q is no API of a group", s.arg(0))
	return 0
}

// whose is the member that a command is about, or "" for any.
func (s *script) whose() string {
	for _, name := range s.order {
		if len(s.order) > 1 && s.has(name) {
			return name
		}
	}
	return ""
}

// given is the answer that a word names: a code, or what is no answer.
func given(word string) (answer, error) {
	for w, way := range map[string]way{"": byCoordinator, "cut": byCut, "garbage": byGarbage, "nothing": byNothing} {
		if w == word {
			return answer{way: way}, nil
		}
	}
	code, err := classic.ParseCode(word)
	if err == nil && code.Number() < -1 {
		err = errors.New(word + " is no answer of a broker")
	}
	return answer{way: byCode, code: code}, err
}

func (s *script) given(word string) answer {
	if word == s.whose() {
		word = ""
	}
	a, err := given(word)
	if err != nil {
		s.d.Fatalf(s.t, "%v", err)
	}
	return a
}

func (s *script) answer() {
	a, times := s.given(s.arg(1)), 1
	a.who = s.whose()
	s.d.MaybeScanArgs(s.t, "times", &times)
	if times == 0 {
		a.forever, times = true, 1
	}
	s.world.broker.answer(s.key(), slices.Repeat([]answer{a}, times)...)
}

func (s *script) hold() { s.world.answer(s.key(), answer{gate: make(chan struct{}), who: s.whose()}) }

func (s *script) delay() {
	s.world.answer(s.key(), answer{gate: make(chan struct{}), back: true, who: s.whose()})
}

func (s *script) release() {
	if err := s.world.release(s.key(), s.given(s.arg(1))); err != nil {
		s.d.Fatalf(s.t, "%v", err)
	}
	time.Sleep(100 * time.Millisecond)
}

func (s *script) relent() { s.world.relent(s.key()) }

func (s *script) kick() { s.world.kick(s.app()) }

func (s *script) forget() { s.world.forget() }

// callback says what the next callback of a kind does.
func (s *script) callback() {
	kinds := map[string]heartbeat.CallbackKind{
		"assigned": heartbeat.CallbackAssigned, "revoked": heartbeat.CallbackRevoked, "lost": heartbeat.CallbackLost,
	}
	kind, ok := kinds[s.arg(0)]
	if !ok {
		s.d.Fatalf(s.t, "%q is no callback", s.arg(0))
	}
	a, name, conduct, commits := s.app(), s.arg(0), s.conduct(), s.has("commits")
	a.on(kind, func(ctx context.Context) error {
		if commits {
			a.note(ended, "commit in %s: %s", name, outcome(a.commitUntil(ctx)))
		}
		return conduct(ctx)
	})
}

func (s *script) assignor() { s.app().faults.dividing(s.conduct()) }

// conduct is what something of the application's does when it is called.
func (s *script) conduct() func(context.Context) error {
	takes, fails, panics, heeds := s.duration("takes", time.Millisecond), s.has("fails"), s.has("panics"), s.has("heeds")
	return func(ctx context.Context) error {
		if !heeds {
			ctx = context.Background()
		}
		select {
		case <-time.After(takes):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if panics {
			panic("the application is broken")
		}
		if fails {
			return fmt.Errorf("the application fails")
		}
		return nil
	}
}
