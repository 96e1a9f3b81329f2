package heartbeat_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// logScenario is what happens to a member, the log of which is on record in testdata/log.
type logScenario struct {
	name   string
	config func(*heartbeat.Config)
	most   int // lines, where that is the point
	play   func(t *testing.T, w *world, a *app)
}

var logScenarios = []logScenario{
	{name: "join", play: func(_ *testing.T, w *world, a *app) {
		a.join()
		w.pass(time.Minute)
	}},
	{name: "rebalance", play: func(_ *testing.T, w *world, a *app) {
		a.join()
		a.run()
		w.app("b", nil).run()
		w.pass(10 * time.Second)
		a.Rejoin("orders: 6 → 12 partitions")
		w.pass(10 * time.Second)
	}},
	{name: "member_unknown", play: func(_ *testing.T, w *world, a *app) {
		a.join()
		a.run()
		w.pass(time.Second)
		w.kick(a)
		w.pass(10 * time.Second)
	}},
	{name: "fenced", config: func(c *heartbeat.Config) { c.InstanceID = "i" }, play: func(t *testing.T, w *world, a *app) {
		a.join()
		w.answer(kmsg.Heartbeat, code(classic.CodeFencedInstanceID))
		w.answer(kmsg.JoinGroup, answer{way: byCode, code: classic.CodeFencedInstanceID, forever: true})
		w.pass(4 * time.Second)
		require.ErrorIs(t, a.Poll(t.Context()), classic.CodeFencedInstanceID)
		require.ErrorIs(t, a.Poll(t.Context()), classic.CodeFencedInstanceID)
		require.ErrorIs(t, a.Status().Failure, classic.CodeFencedInstanceID)
	}},
	{name: "session_expired", play: func(_ *testing.T, w *world, a *app) {
		a.join()
		w.answer(kmsg.Heartbeat, answer{way: byNothing, forever: true})
		w.pass(50 * time.Second) // the coordinator's clock is over as well
		w.relent(kmsg.Heartbeat)
		a.join()
		w.pass(time.Minute)
	}},
	{name: "poll_expired", config: func(c *heartbeat.Config) { c.MaxPollInterval = time.Minute }, play: func(_ *testing.T, w *world, a *app) {
		a.join()
		w.pass(2 * time.Minute)
		a.join()
		w.pass(10 * time.Second)
	}},
	{name: "coordinator_away_for_60s", most: 12, play: func(t *testing.T, w *world, a *app) {
		a.join()
		a.attend()
		w.pass(10 * time.Second)
		keys := []kmsg.Key{kmsg.Heartbeat, kmsg.FindCoordinator, kmsg.JoinGroup, kmsg.SyncGroup}
		for _, key := range keys {
			w.answer(key, answer{way: byCut, forever: true})
		}
		w.pass(30 * time.Second)
		s := a.Status()
		require.Error(t, s.Failure)
		require.InDelta(t, 28, time.Since(s.FailingSince).Seconds(), 2)
		w.pass(30 * time.Second)
		for _, key := range keys {
			w.relent(key)
		}
		w.pass(30 * time.Second)
		require.NoError(t, a.Status().Failure)
	}},
	{name: "coordinator_refuses_joins", most: 12, play: func(_ *testing.T, w *world, a *app) {
		w.answer(kmsg.JoinGroup, answer{way: byCode, code: classic.CodeNotCoordinator, forever: true})
		a.attend()
		w.pass(2 * time.Minute)
		w.relent(kmsg.JoinGroup)
		w.pass(10 * time.Second)
	}},
	{name: "joins_again_and_again", most: 12, play: func(_ *testing.T, w *world, a *app) {
		w.answer(kmsg.JoinGroup, answer{way: byCode, code: classic.CodeUnknownMemberID, forever: true})
		a.attend()
		w.pass(5 * time.Second)
		w.relent(kmsg.JoinGroup)
		w.pass(10 * time.Second)
	}},
	{name: "commit_refused", play: func(t *testing.T, w *world, a *app) {
		a.join()
		w.answer(kmsg.OffsetCommit, code(classic.CodeTopicAuthorizationFailed), code(classic.CodeTopicAuthorizationFailed))
		require.Error(t, a.commit())
		require.Error(t, a.commit())
		require.NoError(t, a.commit())
	}},
	{name: "callback_failed", play: func(t *testing.T, _ *world, a *app) {
		a.on(heartbeat.CallbackAssigned, func(context.Context) error { return errApp })
		require.Error(t, a.Poll(t.Context()))
	}},
	{name: "leave", play: func(t *testing.T, w *world, a *app) {
		a.join()
		a.on(heartbeat.CallbackRevoked, func(context.Context) error {
			time.Sleep(212 * time.Millisecond)
			return nil
		})
		require.NoError(t, a.Leave(t.Context(), heartbeat.LeaveAlways, "scaled down"))
		w.pass(time.Minute)
		a.join()
	}},
	{name: "leave_in_outage", play: func(t *testing.T, w *world, a *app) {
		require.ErrorIs(t, a.commit(), classic.ErrorCommitFailed)
		a.join()
		for _, key := range []kmsg.Key{kmsg.Heartbeat, kmsg.FindCoordinator} {
			w.answer(key, answer{way: byCut, forever: true})
		}
		w.pass(5 * time.Second)
		require.Error(t, a.Leave(t.Context(), heartbeat.LeaveAlways, "scaled down"))
		require.NoError(t, a.Close(t.Context())) // it has left already
	}},
	{name: "close", play: func(t *testing.T, _ *world, a *app) {
		a.join()
		require.NoError(t, a.Close(t.Context()))
	}},
	{name: "close_static", config: func(c *heartbeat.Config) { c.InstanceID = "i" }, play: func(t *testing.T, _ *world, a *app) {
		a.join()
		require.NoError(t, a.Close(t.Context()))
	}},
}

// What an operator reads is an event in each line; a healthy rebalance says why it began, what came and went, and how long it
// took; an outage of any length is a handful of lines.
func TestLogScenarios(t *testing.T) {
	for _, s := range logScenarios {
		t.Run(s.name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				var log bytes.Buffer
				a := w.app("a", s.config, heartbeat.WithLogger(w.logger(&log)))
				s.play(t, w, a)
				text := w.diary.named(log.String())
				path := filepath.Join("testdata", "log", s.name)
				if heartbeat.Rewriting() {
					require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
				}
				want, err := os.ReadFile(path)
				require.NoError(t, err)
				require.Equal(t, string(want), text, "if this is meant: %s", heartbeat.Renew)
				if s.most > 0 {
					require.LessOrEqual(t, strings.Count(text, "\n"), s.most)
				}
			})
		})
	}
	files, err := filepath.Glob("testdata/log/*")
	require.NoError(t, err)
	for _, f := range files {
		known := slices.ContainsFunc(logScenarios, func(s logScenario) bool { return s.name == filepath.Base(f) })
		require.True(t, known, "%s belongs to no scenario: remove it", f)
	}
}

// logger logs as text, with the time since the beginning, and without what changes with each edit of the specification.
func (w *world) logger(to io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(to, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch a.Key {
		case slog.TimeKey:
			return slog.String("time", fmt.Sprintf("%.3f", w.diary.now().Seconds()))
		case "at", "message":
			return slog.Attr{}
		case "last", "err":
			return slog.String(a.Key, lineOfSpec.ReplaceAllString(a.Value.String(), "classic.yaml"))
		}
		return a
	}}))
}

var lineOfSpec = regexp.MustCompile(`classic\.yaml:\d+`)

// A program without a logger sees the same in Status.
func TestStatusHasTheLastFailure(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		require.Zero(t, a.Status().LastHeartbeat)
		w.answer(kmsg.FindCoordinator, answer{way: byCode, code: classic.CodeCoordinatorNotAvailable, forever: true})
		began := time.Now()
		require.Error(t, a.Poll(within(t, 5*time.Second)))
		require.ErrorIs(t, a.Status().Failure, classic.CodeCoordinatorNotAvailable)
		require.WithinDuration(t, began, a.Status().FailingSince, 10*time.Millisecond, "it is the first failure's")
		w.relent(kmsg.FindCoordinator)
		a.join()
		require.NoError(t, a.Status().Failure)
		require.Zero(t, a.Status().FailingSince)
		w.pass(4 * time.Second)
		require.WithinDuration(t, time.Now(), a.Status().LastHeartbeat, 2*time.Second)
		w.answer(kmsg.Heartbeat, answer{way: byCode, code: classic.CodeUnknownServerError, forever: true})
		w.pass(3 * time.Second)
		require.ErrorIs(t, a.Status().Failure, classic.ErrorUnexpected)
		w.relent(kmsg.Heartbeat)
		w.pass(3 * time.Second)
		require.NoError(t, a.Status().Failure)
	})
}
