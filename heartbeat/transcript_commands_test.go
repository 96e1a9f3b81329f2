package heartbeat_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

func (s *script) begin() {
	s.end()
	s.world = newWorld(s.t)
	s.apps, s.order = map[string]*app{}, nil
	s.add("a")
	if s.arg(0) == "joined" {
		s.poll()
		synctest.Wait()
		s.world.diary.take()
	}
}

func (s *script) member() { s.add(s.arg(0)) }

func (s *script) add(name string) {
	s.apps[name] = s.world.app(name, func(c *heartbeat.Config) {
		c.SessionTimeout = s.duration("session", 0)
		c.MaxPollInterval = s.duration("poll", 0)
		c.RequestTimeout = s.duration("request", 0)
		s.d.MaybeScanArgs(s.t, "instance", &c.InstanceID)
	})
	s.order = append(s.order, name)
}

func (s *script) poll() {
	s.call("poll", func(a *app, ctx context.Context) error { return a.Poll(ctx) })
}

func (s *script) commit() {
	s.call("commit", func(a *app, ctx context.Context) error { return a.commitUntil(ctx) })
}

func (s *script) leave() {
	s.call("leave", func(a *app, ctx context.Context) error { return a.Leave(ctx, heartbeat.LeaveIfDynamic, "enough") })
}

func (s *script) close() {
	s.call("close", func(a *app, ctx context.Context) error { return a.Close(ctx) })
}

// call calls the member, and lets time pass until that has ended, or long enough.
func (s *script) call(what string, f func(*app, context.Context) error) {
	a, limit := s.app(), s.duration("ctx", 0)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ctx, cancel := context.WithCancel(context.Background())
		if limit > 0 {
			ctx, cancel = context.WithTimeout(context.Background(), limit)
		}
		defer cancel()
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

func (s *script) rejoin() {
	var words []string
	for _, a := range s.d.CmdArgs {
		words = append(words, a.Key)
	}
	s.apps["a"].Rejoin(strings.Join(words, " "))
}

func (s *script) advance() {
	d, err := time.ParseDuration(s.arg(0))
	if err != nil {
		s.d.Fatalf(s.t, "%v", err)
	}
	time.Sleep(d)
}

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
	a, err := given(word)
	if err != nil {
		s.d.Fatalf(s.t, "%v", err)
	}
	return a
}

func (s *script) answer() {
	a, times := s.given(s.arg(1)), 1
	s.d.MaybeScanArgs(s.t, "times", &times)
	if times == 0 {
		a.forever, times = true, 1
	}
	s.world.broker.answer(s.key(), slices.Repeat([]answer{a}, times)...)
}

func (s *script) hold() { s.world.broker.hold(s.key()) }

func (s *script) delay() { s.world.broker.delay(s.key()) }

func (s *script) release() {
	if err := s.world.broker.release(s.key(), s.given(s.arg(1))); err != nil {
		s.d.Fatalf(s.t, "%v", err)
	}
	time.Sleep(100 * time.Millisecond)
}

func (s *script) kick() { s.world.kick(s.app()) }

func (s *script) forget() { s.world.forget() }

// callback says what the next callback of a kind does.
func (s *script) callback() {
	kinds := map[string]heartbeat.CallbackKind{
		"assigned": heartbeat.CallbackAssigned, "revoked": heartbeat.CallbackRevoked, "lost": heartbeat.CallbackLost,
	}
	a, takes, fails := s.apps["a"], s.duration("takes", time.Millisecond), s.arg(1) == "fails"
	a.on(kinds[s.arg(0)], func(context.Context) error {
		time.Sleep(takes)
		if fails {
			return errors.New("the application fails")
		}
		return nil
	})
}
