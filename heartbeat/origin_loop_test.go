package heartbeat_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// O4: first, a closed loop ends, for good.
func TestO4AClosedLoopEnds(t *testing.T) {
	r := turn(classic.Stable, looping|classic.LoopClosed|classic.LoopFailed, classic.HeartbeatTurnGuards{SessionExpired: true})
	require.Equal(t, classic.ResultHeartbeatTurnExit, r.Result)
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", static)
		a.join()
		require.NoError(t, a.Close(t.Context()))
		w.diary.take()
		w.pass(time.Hour)
		require.Empty(t, w.diary.take())
	})
}

// O5: then, one that is not enabled sleeps until it is; then it looks again from the top.
func TestO5ALoopThatIsNotEnabledSleeps(t *testing.T) {
	r := turn(classic.Stable, classic.LoopExists|classic.LoopFailed, classic.HeartbeatTurnGuards{SessionExpired: true, HeartbeatDue: true})
	require.Equal(t, classic.ResultHeartbeatTurnSleep, r.Result)
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", static)
		w.hold(kmsg.JoinGroup)
		go func() { _ = a.Poll(context.Background()) }()
		w.pass(4 * time.Minute)
		_, texts := requests(w)
		require.Len(t, texts, 2+4*6-1)
		for i, text := range texts {
			require.Equal(t, i == 1, text == "JoinGroup instance=i", text)
			require.Equal(t, i != 1, text == "FindCoordinator", "the loop `check` asks each 10 s whether the coordinator is another")
		}
		require.NoError(t, w.release(kmsg.JoinGroup, answer{}))
		w.pass(10 * time.Second)
		_, texts = requests(w)
		require.Len(t, slices.DeleteFunc(texts, func(s string) bool { return s != "Heartbeat member=m1 generation=1 instance=i" }), 3)
	})
}

// O6: then, one whose member has not joined, or which has failed, disables itself.
func TestO6ALoopWithoutAMemberDisablesItself(t *testing.T) {
	all := classic.HeartbeatTurnGuards{SessionExpired: true, PollExpired: true, HeartbeatDue: true, LookupDue: true}
	for _, r := range []*classic.Rule{
		turn(classic.Unjoined, looping, all),
		turn(classic.PreparingRebalance, looping, all),
		turn(classic.Stable, looping|classic.LoopFailed, all),
	} {
		require.Equal(t, classic.LoopEnabled, r.Clears, r.Name)
		require.Equal(t, classic.ResultHeartbeatTurnTurn, r.Result, r.Name)
	}
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.join()
		w.kick(a)
		w.pass(4 * time.Second)
		require.Equal(t, classic.Unjoined, a.State())
		require.False(t, a.Status().Flags.Has(classic.LoopEnabled))
		w.diary.take()
		w.pass(time.Hour)
		require.Empty(t, w.diary.take(), "a member without a group has something to do")
	})
}

// O7: requests under way are not interrupted by a caller that comes or goes; and time is read once for each turn.
func TestO7CallersDoNotInterruptRequests(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.join()
		w.hold(kmsg.Heartbeat)
		w.pass(3 * time.Second)
		w.diary.take()
		for range 50 {
			_ = a.Poll(within(t, time.Millisecond))
			_ = a.commitUntil(within(t, time.Millisecond))
			w.pass(10 * time.Millisecond)
		}
		require.NoError(t, w.release(kmsg.Heartbeat, answer{}))
		w.pass(time.Second)
		require.Equal(t, []string{"Heartbeat/NONE/not stale/STABLE/not lease_awaited/not rejoin_needed"}, decided(w, classic.InputHeartbeat))
		require.Zero(t, a.Status().Heartbeats)
	})
	core, err := heartbeat.NewCore(heartbeat.Config{Group: "g", ProtocolType: "p", Protocols: []heartbeat.Protocol{{Name: "p"}}})
	require.NoError(t, err)
	const sentAt = 7777 * time.Millisecond
	core.Step(0, heartbeat.Poll{})
	core.Step(0, heartbeat.Response{ID: 1, Node: 1})
	core.Step(0, heartbeat.Response{ID: 2, Member: "m", Generation: 1, Leader: "l"})
	core.Step(0, heartbeat.Response{ID: 3})
	core.Step(sentAt, heartbeat.Tick{})
	next, ok := core.Deadline()
	require.True(t, ok)
	require.Equal(t, sentAt+3*time.Second, next, "all of a turn happens at its one time")
}

// O8: a lookup that is remembered is forgotten, for it has failed or hangs, and after a backoff another is sent, whatever the
// application does. The specification deviates: one that is merely slow goes on until its own limit, and the backoff grows.
func TestO8ALookupIsForgottenWhenItHasFailed(t *testing.T) {
	r := turn(classic.Stable, looping|classic.LookupInFlight, classic.HeartbeatTurnGuards{LookupDue: true, HeartbeatDue: true})
	require.Equal(t, classic.ResultHeartbeatTurnWait, r.Result)
	require.Contains(t, r.Deviates, "slow")
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.join()
		w.answer(kmsg.Heartbeat, code(classic.CodeNotCoordinator))
		w.hold(kmsg.FindCoordinator)
		w.diary.take()
		w.pass(3300 * time.Millisecond)
		_, texts := requests(w)
		require.Equal(t, []string{"Heartbeat member=m1 generation=1", "FindCoordinator"}, texts, "a second lookup beside one that is slow")
		w.answer(kmsg.FindCoordinator, answer{way: byCut}) // the transport asks at the broker's other address
		require.NoError(t, w.release(kmsg.FindCoordinator, answer{way: byCut}))
		w.pass(time.Second)
		at, texts := requests(w)
		require.Equal(t, []string{"FindCoordinator", "FindCoordinator", "Heartbeat member=m1 generation=1"}, texts, "and one backoff after it has failed the next")
		require.InDelta(t, 0.2, (at[1] - at[0]).Seconds(), 0.06)
	})
	pause := classic.DecideFindCoordinator(classic.Memory{State: classic.Stable}, classic.CodeCoordinatorNotAvailable, classic.FindCoordinatorGuards{})
	require.True(t, pause.Starts.Has(classic.TimerLookupRetry))
	require.Equal(t, fsm.ClassBackoff, pause.Result.Class())
	require.Greater(t, classic.TimerLookupRetry.Spec().Most, classic.TimerLookupRetry.Spec().Default, "the pause that grows overrides O8")
	inWorld(t, func(t *testing.T, w *world) {
		var failed []time.Duration
		began := time.Now()
		a := w.app("a", nil, heartbeat.WithObserver(func(f heartbeat.Fired) {
			if f.Rule == pause {
				failed = append(failed, time.Since(began))
			}
		}))
		a.join()
		w.answer(kmsg.FindCoordinator, answer{way: byCode, code: classic.CodeCoordinatorNotAvailable, forever: true})
		w.answer(kmsg.Heartbeat, code(classic.CodeNotCoordinator))
		w.pass(20 * time.Second)
		gaps := gaps(failed)
		require.GreaterOrEqual(t, len(gaps), 6)
		for i, gap := range gaps {
			own := min(200*time.Millisecond<<i, 2*time.Second)       // ± 20 %
			carrier := carriersPauses[min(i, len(carriersPauses)-1)] // which begin with the first answer that differs from the join's
			require.GreaterOrEqual(t, gap, max(own*4/5, carrier), "pause %d", i+1)
			require.LessOrEqual(t, gap, max(own*6/5, carrier)+10*time.Millisecond, "pause %d", i+1)
		}
	})
}

// carriersPauses are the transport's, between lookups of one group that follow each other.
var carriersPauses = []time.Duration{0, 500 * time.Millisecond, 1250 * time.Millisecond, 2 * time.Second}

// O9: coordinator unknown, and no lookup remembered: one is started.
func TestO9WithoutACoordinatorTheLoopLooksUp(t *testing.T) {
	r := turn(classic.Stable, looping, classic.HeartbeatTurnGuards{LookupDue: true, PollExpired: true, HeartbeatDue: true})
	require.Contains(t, r.Do, classic.Do{Effect: classic.EffectLookUp})
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.join()
		w.answer(kmsg.Heartbeat, answer{way: byCut})
		w.diary.take()
		w.pass(4 * time.Second)
		at, texts := requests(w)
		require.Equal(t, []string{"Heartbeat member=m1 generation=1", "FindCoordinator", "Heartbeat member=m1 generation=1"}, texts)
		require.Equal(t, 4*time.Millisecond, at[1]-at[0], "at once when it is known to be lost")
	})
}

// O10: session timeout passed without an answer: coordinator unknown, with that as the reason, and looked up. What the member
// was assigned stays its own.
func TestO10TheSessionEnds(t *testing.T) {
	r := turn(classic.Stable, looping|classic.CoordinatorKnown, classic.HeartbeatTurnGuards{SessionExpired: true, PollExpired: true, HeartbeatDue: true})
	require.True(t, r.Clears.Has(classic.CoordinatorKnown))
	require.Empty(t, r.To)
	require.Equal(t, []classic.Do{{Effect: classic.EffectLoseCoordinator}}, r.Do)
	require.Equal(t, classic.ResultHeartbeatTurnSessionOver, r.Result)
	inWorld(t, func(t *testing.T, w *world) {
		var mu sync.Mutex
		var ended []heartbeat.Fired
		var over time.Duration
		a := w.app("a", session(10*time.Second), heartbeat.WithObserver(func(f heartbeat.Fired) {
			mu.Lock()
			defer mu.Unlock()
			if f.Rule == r {
				ended, over = append(ended, f), w.diary.now()
			}
		}))
		s := a.join()
		w.answer(kmsg.Heartbeat, answer{way: byCode, code: classic.CodeCoordinatorLoadInProgress, forever: true})
		w.diary.take()
		w.pass(9900 * time.Millisecond)
		mu.Lock()
		require.Empty(t, ended)
		mu.Unlock()
		w.pass(200 * time.Millisecond)
		mu.Lock()
		require.Len(t, ended, 1)
		require.ErrorIs(t, ended[0].Err, classic.CodeCoordinatorLoadInProgress, "why the heartbeats have failed")
		mu.Unlock()
		longest := carriersPauses[len(carriersPauses)-1]
		w.pass(longest)
		mu.Lock()
		require.Len(t, ended, 1)
		lookups := slices.DeleteFunc(requestsOf(w, "FindCoordinator"), func(at time.Duration) bool { return at < over })
		require.NotEmpty(t, lookups, "the next turn looks it up")
		require.LessOrEqual(t, lookups[0], over+longest, "which waits for no more than the pause after the last lookup")
		mu.Unlock()
		require.Equal(t, classic.Stable, a.State())
		require.NoError(t, s.Context().Err())
		w.relent(kmsg.Heartbeat)
		w.pass(5 * time.Second)
		require.ErrorIs(t, context.Cause(s.Context()), classic.CodeUnknownMemberID, "the coordinator decides; this one has counted too")
		a.join()
	})
}

// O11: poll timeout passed: the member leaves, with a reason that names the setting to change; the group is rebalanced.
func TestO11TheApplicationDoesNotPoll(t *testing.T) {
	r := turn(classic.Stable, looping|classic.CoordinatorKnown, classic.HeartbeatTurnGuards{PollExpired: true, HeartbeatDue: true})
	require.Equal(t, classic.EffectSendLeave, r.Do[0].Effect)
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.join()
		other := w.app("b", nil)
		other.run()
		w.pass(5 * time.Second)
		s := a.join()
		w.diary.take()
		began := time.Now()
		<-s.Context().Done()
		require.InDelta(t, 300, time.Since(began).Seconds(), 3, "max.poll.interval.ms is 5 minutes")
		require.ErrorIs(t, context.Cause(s.Context()), classic.ErrorPollExpired)
		w.pass(10 * time.Second)
		_, texts := requests(w)
		require.Contains(t, texts, `LeaveGroup member=m1 reason="the application did not poll within max.poll.interval.ms: raise it, or take less work at a time"`)
		require.Greater(t, other.Generation(), s.Generation(), "the others take over at once")
	})
}

// O12: no heartbeat due: the loop waits one backoff, or less when woken. Here it waits for the next thing that is due.
func TestO12WithNothingDueTheLoopWaits(t *testing.T) {
	r := turn(classic.Stable, looping|classic.CoordinatorKnown, classic.HeartbeatTurnGuards{})
	require.Equal(t, classic.ResultHeartbeatTurnWait, r.Result)
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.join()
		w.pass(time.Second)
		w.diary.take()
		w.pass(1900 * time.Millisecond)
		require.Empty(t, w.diary.take())
	})
}

// O13: else a heartbeat is sent, and due again an interval after that, not after its answer.
func TestO13HeartbeatsCountFromSending(t *testing.T) {
	r := turn(classic.CompletingRebalance, looping|classic.CoordinatorKnown, classic.HeartbeatTurnGuards{HeartbeatDue: true})
	require.Equal(t, []classic.Do{{Effect: classic.EffectSendHeartbeat}}, r.Do)
	require.True(t, r.Starts.Has(classic.TimerInterval))
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.join()
		w.diary.take()
		w.hold(kmsg.Heartbeat)
		w.pass(5 * time.Second)
		require.Equal(t, 1, a.Status().Heartbeats)
		require.NoError(t, w.release(kmsg.Heartbeat, answer{}))
		w.pass(5 * time.Second)
		at, _ := requests(w)
		require.Equal(t, []time.Duration{3 * time.Second, 3 * time.Second}, gaps(at))
	})
}
