package heartbeat_test

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/heartbeat"
)

// realTime runs what cannot be shown in virtual time, where there is no wall clock beside the other one.
type realTime struct {
	errands chan func()
	done    chan struct{}
	over    sync.WaitGroup
}

func newRealTime() *realTime {
	r := &realTime{errands: make(chan func()), done: make(chan struct{})}
	r.over.Go(func() {
		for f := range r.errands {
			func() {
				defer func() { r.done <- struct{}{} }() // also when it fails the test
				f()
			}()
		}
	})
	return r
}

func (r *realTime) run(f func()) {
	r.errands <- f
	<-r.done
}

func (r *realTime) close() {
	close(r.errands)
	r.over.Wait()
}

// heartbeatsAfterStep is how many show that the member goes on.
const heartbeatsAfterStep = 10

// wall steps the wall clock under a member in its group, and prints which rules about heartbeats decide until one has been
// answered some times after that: `wall -1h`.
func (s *script) wall() string {
	step := s.parse(s.arg(0))
	var text string
	s.real.run(func() { text = s.stepWall(step) })
	for l := range strings.Lines(text) {
		s.lines = append(s.lines, line{0, strings.TrimSpace(l)})
	}
	return text
}

func (s *script) stepWall(step time.Duration) string {
	w := newWorld(s.t)
	defer w.cluster.Close()
	var beats atomic.Int64
	var joined atomic.Bool
	rules, enough := map[string]bool{}, make(chan struct{})
	var member *app
	member = w.app("a", func(c *heartbeat.Config) { c.HeartbeatInterval = 50 * time.Millisecond },
		heartbeat.WithObserver(func(f heartbeat.Fired) { // on the member's goroutine
			about, _, _ := strings.Cut(f.Rule.Name, "/")
			if n := beats.Load(); n > 0 && n <= heartbeatsAfterStep && strings.EqualFold(about, "heartbeat") { // a busy machine looks silent
				rules[f.Rule.Name] = true
			}
			if joined.Load() && strings.HasPrefix(f.Rule.Name, "Heartbeat/NONE") {
				switch beats.Add(1) {
				case 1:
					stepWallSince(s.t, member.Member, step)
				case 1 + heartbeatsAfterStep:
					close(enough)
				}
			}
		}))
	defer w.ends[0]()
	require.NoError(s.t, member.Poll(context.Background()))
	joined.Store(true)
	select {
	case <-enough:
	case <-time.After(20 * time.Second):
	}
	state := member.State()
	over, cancel := context.WithCancel(context.Background())
	cancel()
	_ = member.Close(over) // then nothing writes rules any more
	got := min(heartbeatsAfterStep, beats.Load()-1)
	return fmt.Sprintf("%d heartbeats answered after a step of %s, in %s\n    by %s\n", got, step, state, strings.Join(slices.Sorted(maps.Keys(rules)), ", "))
}

// stepWallSince makes what a member counts time from look as it does when the wall clock has stepped since: its wall
// reading and its monotonic one do not fit together any more.
func stepWallSince(t assert.TestingT, m *heartbeat.Member, step time.Duration) {
	field := reflect.ValueOf(m).Elem().FieldByName("start")
	start := (*time.Time)(unsafe.Pointer(field.UnsafeAddr()))
	before := *start
	wall := (*uint64)(unsafe.Pointer(start)) // a bit, 33 bits of seconds, 30 of nanoseconds
	*wall -= uint64(step/time.Second) << 30
	assert.Equal(t, step, before.Round(0).Sub(start.Round(0)), "time.Time does not keep its wall reading where it did: see what it is now")
	assert.Zero(t, start.Sub(before), "the monotonic reading has changed")
}
