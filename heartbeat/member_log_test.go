package heartbeat_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// on is a handler that calls f for each record whose message begins with prefix, and ignores all others.
type on struct {
	slog.Handler
	prefix string
	f      func()
}

func (on) Enabled(context.Context, slog.Level) bool { return true }

func (h on) Handle(_ context.Context, r slog.Record) error {
	if strings.HasPrefix(r.Message, h.prefix) {
		h.f()
	}
	return nil
}

// fullDisk is a writer that fails as soon as it is set.
type fullDisk struct{ atomic.Bool }

func (d *fullDisk) Write(b []byte) (int, error) {
	if d.Load() {
		return 0, errors.New("the disk is full")
	}
	return len(b), nil
}

// A logger that panics when it is to log that the trace has ended fails the loop, as at any other line, and not the process.
func TestALoggerThatPanicsAtTheEndOfTheTrace(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		full := new(fullDisk)
		a := w.app("a", nil, heartbeat.WithTrace(full), heartbeat.WithLogger(slog.New(on{
			prefix: "trace ended", f: func() { panic("the logger is broken") },
		})))
		a.join()
		full.Store(true)
		w.pass(time.Minute)
		err := a.Poll(t.Context())
		require.ErrorIs(t, err, classic.ErrorLoop)
		require.ErrorContains(t, err, "logger: panic: the logger is broken")
		require.NoError(t, a.Poll(t.Context()))
		require.Equal(t, classic.Stable, a.State())
	})
}

// Done is not closed while a handler still runs that was called for the member, also on another goroutine than the member's.
func TestDoneWaitsForTheLogger(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		stuck, logs, logged := make(chan struct{}), make(chan struct{}), make(chan struct{})
		w.between = func(context.Context, heartbeat.Request, heartbeat.Transport) heartbeat.Response {
			<-stuck
			return heartbeat.Response{Code: classic.CodeDisconnect}
		}
		first := true
		a := w.app("a", nil, heartbeat.WithLogger(slog.New(on{prefix: "abandoned call", f: func() {
			if first {
				first = false
				close(logs)
				<-logged
			}
		}})))
		go func() { _ = a.Poll(context.Background()) }()
		w.pass(time.Second)
		require.Error(t, a.Close(within(t, time.Second)))
		<-logs
		close(stuck)
		w.pass(time.Minute)
		select {
		case <-a.Done():
			require.Fail(t, "the member is done, and its logger's handler still runs")
		default:
		}
		close(logged)
		<-a.Done()
	})
}
