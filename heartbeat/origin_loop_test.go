package heartbeat_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

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
		require.Equal(t, []string{"FindCoordinator", "JoinGroup instance=i"}, texts)
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
		require.Equal(t, []string{"Heartbeat/NONE"}, decided(w, classic.InputHeartbeat))
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

// O8: a lookup that is remembered is forgotten, for it has failed or hangs. The specification deviates: a lookup that has
// failed is over, and one that is merely slow goes on until its own limit.
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
		w.pass(12 * time.Second)
		_, texts := requests(w)
		require.Equal(t, []string{"Heartbeat member=m1 generation=1", "FindCoordinator"}, texts, "a second lookup beside one that is slow")
		require.NoError(t, w.release(kmsg.FindCoordinator, answer{way: byCut}))
		w.pass(time.Second)
		at, texts := requests(w)
		require.Equal(t, []string{"FindCoordinator", "Heartbeat member=m1 generation=1"}, texts, "and one backoff after it has failed the next")
		require.InDelta(t, 12.11, at[0].Seconds(), 0.03)
	})
}

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

// O10: session timeout passed without an answer: coordinator unknown, and looked up. The specification deviates: what the
// member was assigned may belong to others by now, so it gives that up as well.
func TestO10TheSessionEnds(t *testing.T) {
	r := turn(classic.Stable, looping|classic.CoordinatorKnown, classic.HeartbeatTurnGuards{SessionExpired: true, PollExpired: true, HeartbeatDue: true})
	require.True(t, r.Clears.Has(classic.CoordinatorKnown))
	require.Equal(t, []classic.State{classic.Unjoined}, r.To)
	require.Contains(t, r.Deviates, "Kafka's only looks the coordinator up")
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", session(10*time.Second))
		s := a.join()
		began := time.Now()
		w.answer(kmsg.Heartbeat, answer{way: byNothing})
		<-s.Context().Done()
		require.InDelta(t, 10, time.Since(began).Seconds(), 0.01)
		require.ErrorIs(t, context.Cause(s.Context()), classic.ErrorSessionExpired)
		require.Equal(t, "no heartbeat was answered within session.timeout.ms", a.Status().Reason)
		require.Equal(t, heartbeat.AnyBroker, a.Status().Coordinator)
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
