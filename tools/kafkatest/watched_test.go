//go:build kafka

package kafkatest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// watched is a member of this process, whose requests a test sees and can hold back. It is polled until the test ends.
type watched struct {
	*heartbeat.Member
	t         *testing.T
	name      string
	transport heartbeat.Transport
	began     time.Time
	pause     func() // ends its polls

	mu     sync.Mutex
	sent   []*sentRequest
	gates  map[classic.Input]chan struct{} // what is sent waits until it is closed
	failed []error                         // polls
}

// sentRequest is a request, and how it ended when that is known.
type sentRequest struct {
	heartbeat.Request
	at     time.Time
	code   classic.Code
	answer time.Time // zero while there is none
}

// newWatched makes a member. If assign is not nil, it is called before its group's work, of which there is none, is divided.
func newWatched(t *testing.T, name string, c heartbeat.Config, tr heartbeat.Transport, assign func(members int)) *watched {
	w := &watched{t: t, name: name, transport: tr, began: time.Now(), gates: map[classic.Input]chan struct{}{}}
	c.ProtocolType, c.Protocols = "work", []heartbeat.Protocol{{Name: "p"}}
	var err error
	w.Member, err = heartbeat.NewMember(c, w, func(_ context.Context, in heartbeat.AssignmentInput) ([]heartbeat.Assignment, error) {
		if assign != nil {
			assign(len(in.Members))
		}
		return nil, nil
	})
	require.NoError(t, err)
	return w
}

// Send is the transport's, seen.
func (w *watched) Send(ctx context.Context, r heartbeat.Request) heartbeat.Response {
	w.mu.Lock()
	gate := w.gates[r.API]
	w.mu.Unlock()
	s := &sentRequest{Request: r, at: time.Now()}
	w.mu.Lock()
	w.sent = append(w.sent, s)
	w.mu.Unlock()
	if gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
		}
	}
	a := w.transport.Send(ctx, r)
	w.mu.Lock()
	defer w.mu.Unlock()
	s.code, s.answer = a.Code, time.Now()
	return a
}

// hold holds back all requests of a kind from now on, until release is called.
func (w *watched) hold(api classic.Input) (release func()) {
	gate := make(chan struct{})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gates[api] = gate
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.gates, api)
		close(gate)
	}
}

// poll polls until pause is called, or the test ends, which closes the member.
func (w *watched) poll() {
	ctx, cancel := context.WithCancel(w.t.Context())
	var polls sync.WaitGroup
	polls.Go(func() {
		for ctx.Err() == nil {
			if err := w.Poll(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, heartbeat.ErrLeft) {
				w.mu.Lock()
				w.failed = append(w.failed, err)
				w.mu.Unlock()
			}
			select {
			case <-ctx.Done():
			case <-w.Wants():
			case <-time.After(100 * time.Millisecond):
			}
		}
	})
	w.pause = func() {
		cancel()
		polls.Wait()
	}
	w.t.Cleanup(func() {
		w.end()
		if w.t.Failed() {
			w.t.Log(w.history())
		}
	})
}

// end closes the member.
func (w *watched) end() {
	w.pause()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = w.Close(ctx) // the brokers may be gone
}

// requests is what it has sent of a kind since a time.
func (w *watched) requests(api classic.Input, since time.Time) (list []sentRequest) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.sent {
		if s.API == api && !s.at.Before(since) {
			list = append(list, *s)
		}
	}
	return list
}

// ended is how many of its requests of a kind, sent since a time, ended by a code.
func (w *watched) ended(api classic.Input, code classic.Code, since time.Time) (n int) {
	for _, s := range w.requests(api, since) {
		if !s.answer.IsZero() && s.code == code {
			n++
		}
	}
	return n
}

// failures is what its polls have failed with.
func (w *watched) failures() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return errors.Join(w.failed...)
}

func (w *watched) becomes(s classic.State) {
	w.t.Helper()
	require.Eventually(w.t, func() bool { return w.State() == s }, patience, 10*time.Millisecond, "%s does not become %s", w.name, s)
}

// history is all but the heartbeats that were well.
func (w *watched) history() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %+v\n", w.name, w.Status())
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.sent {
		if s.API == classic.InputHeartbeat && s.code == classic.CodeNone {
			continue
		}
		end := "not answered"
		if !s.answer.IsZero() {
			end = fmt.Sprintf("%s after %.2f s", s.code, s.answer.Sub(s.at).Seconds())
		}
		fmt.Fprintf(&text, "%7.2f %s to %d, member %q, generation %d: %s\n", s.at.Sub(w.began).Seconds(), s.API, s.Node, s.Member, s.Generation, end)
	}
	for _, err := range w.failed {
		fmt.Fprintf(&text, "poll: %v\n", err)
	}
	return text.String()
}
