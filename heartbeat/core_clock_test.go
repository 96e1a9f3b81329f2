package heartbeat

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

// kafkaBackoff is the formula of Kafka's ExponentialBackoff, in milliseconds, for a random factor.
func kafkaBackoff(initial, most float64, attempts int, factor float64) float64 {
	if most <= initial {
		return most
	}
	exponent := math.Min(float64(attempts), math.Log(most/math.Max(initial, 1))/math.Log(2))
	return math.Min(math.Trunc(factor*initial*math.Pow(2, exponent)), most)
}

// The pause after a failure is Kafka's, for all settings and however many failures came before; with jitter it is between
// the bounds of Kafka's.
func TestBackoff(t *testing.T) {
	settings := []time.Duration{1, 2, 3, 7, 50, 100, 1000, 1001, 60_000, 86_400_000, math.MaxInt32}
	for _, first := range settings {
		for _, most := range settings {
			if most < first {
				continue
			}
			for _, attempts := range []int{0, 1, 2, 3, 4, 5, 10, 20, 29, 30, 31, 32, 33, 62, 63, 64, 1000, math.MaxInt} {
				name := fmt.Sprintf("first %dms, most %dms, %d failures before", first, most, attempts)
				kafka := func(factor float64) float64 { return kafkaBackoff(float64(first), float64(most), attempts, factor) }
				exact := backoff(first*time.Millisecond, most*time.Millisecond, attempts, 0, nil)
				require.InDelta(t, kafka(1), float64(exact/time.Millisecond), 1, name)
				if attempts > 1000 {
					continue
				}
				j := jitter(attempts)
				for range 20 {
					pause := backoff(first*time.Millisecond, most*time.Millisecond, attempts, 0.2, &j)
					require.Zero(t, pause%time.Millisecond, name)
					require.LessOrEqual(t, pause, most*time.Millisecond, name)
					if most > first { // Kafka does not vary a pause that does not grow
						require.GreaterOrEqual(t, float64(pause/time.Millisecond)+1, kafka(0.8), name)
						require.LessOrEqual(t, float64(pause/time.Millisecond), kafka(1.2)+1, name)
					}
				}
			}
		}
	}
}

// 100, 200, 400, 800 ms, and then a second: what classic's timers say by default.
func TestBackoffByDefault(t *testing.T) {
	var pauses []time.Duration
	spec := classic.TimerHeartbeatRetry.Spec()
	for attempts := range 6 {
		pauses = append(pauses, backoff(spec.Default, spec.Most, attempts, 0, nil)/time.Millisecond)
	}
	require.Equal(t, []time.Duration{100, 200, 400, 800, 1000, 1000}, pauses)
}

// The sequence of a seed is SplitMix64's, and stays so: a trace is replayed by later versions too.
func TestJitterIsSplitMix64(t *testing.T) {
	j := jitter(1234567)
	for _, number := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		require.Equal(t, float64(number>>11)/(1<<53), j.next())
	}
}

// Jitter spreads over its whole width, differs from seed to seed, and is the same for the same seed.
func TestJitter(t *testing.T) {
	a, b, c := jitter(1), jitter(1), jitter(2)
	var tenths [10]int
	same := 0
	for range 10_000 {
		x := a.next()
		require.Equal(t, x, b.next())
		if x == c.next() {
			same++
		}
		tenths[int(x*10)]++
	}
	require.Zero(t, same)
	for i, n := range tenths {
		require.InDelta(t, 1000, n, 150, "tenth %d", i)
	}
}

// The retries of heartbeat, lookup and join each count their own failures, and a success forgets them.
func TestFailuresAreCountedApart(t *testing.T) {
	d := drive(t).join()
	pause := func(timer classic.Timer) time.Duration { return d.core.clocks.end(timer) - d.now }
	grown := func(timer classic.Timer, failures int) {
		t.Helper()
		first := d.core.clocks.lengths[timer]
		nominal := backoff(first, 10*first, failures-1, 0, nil)
		require.InDelta(t, nominal.Seconds(), pause(timer).Seconds(), 0.2*nominal.Seconds(), "%s after %d failures", timer, failures)
	}
	for failures := 1; failures <= 6; failures++ {
		d.beat()
		d.answer(classic.InputHeartbeat, classic.CodeCoordinatorLoadInProgress)
		grown(classic.TimerHeartbeatRetry, failures)
	}
	d.beat()
	d.answer(classic.InputHeartbeat, classic.CodeNotCoordinator)
	for failures := 1; failures <= 5; failures++ {
		d.answer(classic.InputFindCoordinator, classic.CodeCoordinatorNotAvailable)
		grown(classic.TimerLookupRetry, failures)
		d.after(2 * time.Second)
	}
	d.answer(classic.InputFindCoordinator, classic.CodeNone)
	grown(classic.TimerLookupRetry, 6)
	d.end(d.beat(), classic.CodeNone)
	require.Zero(t, d.core.clocks.attempts[classic.TimerLookupRetry], "the coordinator has answered")
	d.end(d.beat(), classic.CodeCoordinatorLoadInProgress)
	grown(classic.TimerHeartbeatRetry, 1)

	d.step(RejoinAsked{})
	d.step(Poll{})
	d.step(CallbackEnded{})
	for failures := 1; failures <= 4; failures++ {
		d.answer(classic.InputJoinGroup, classic.CodeCoordinatorLoadInProgress)
		grown(classic.TimerJoinRetry, failures)
		d.after(time.Second)
	}
	d.rejoin()
	d.end(d.beat(), classic.CodeNotCoordinator)
	d.answer(classic.InputFindCoordinator, classic.CodeCoordinatorNotAvailable)
	grown(classic.TimerLookupRetry, 1)
}

// Pauses vary as those of Kafka's client do.
func TestPausesVaryAsKafkas(t *testing.T) {
	_, kafka := openFacts(t, "timers_backoff")
	for timer := classic.Timer(1); timer <= classic.NumTimers; timer++ {
		if timer.Spec().Most > 0 {
			require.Equal(t, kafka.Jitter, timer.Spec().Jitter, "%s has another jitter than the backoffs of Kafka's client", timer)
		}
	}
}

// What comes between two failures and is no success does not begin the pauses anew: the application is told of a lookup's
// failure, or lets go.
func TestOnlySuccessEndsAPausesGrowth(t *testing.T) {
	d := drive(t)
	d.core.clocks.even = true
	require.Equal(t, "FindCoordinator", d.step(Poll{}))
	for _, pause := range []time.Duration{200, 400, 800, 1600} {
		require.Equal(t, "poll ends: GROUP_AUTHORIZATION_FAILED", d.answer(classic.InputFindCoordinator, classic.CodeGroupAuthorizationFailed))
		require.Empty(t, d.step(Poll{}))
		require.Empty(t, d.after((pause-1)*time.Millisecond))
		require.Equal(t, "FindCoordinator", d.after(time.Millisecond))
	}

	d.answer(classic.InputFindCoordinator, classic.CodeNone)
	require.Empty(t, d.answer(classic.InputJoinGroup, classic.CodeNotCoordinator), "it has not answered since it was found")
	require.Empty(t, d.after(1999*time.Millisecond))
	require.Equal(t, "FindCoordinator", d.after(time.Millisecond))
	require.Equal(t, "poll ends: GROUP_AUTHORIZATION_FAILED", d.answer(classic.InputFindCoordinator, classic.CodeGroupAuthorizationFailed))
	require.Equal(t, 1, d.core.clocks.attempts[classic.TimerJoinRetry])
	d.step(Poll{})
	require.Equal(t, "FindCoordinator", d.after(2*time.Second))
	require.Equal(t, "JoinGroup /-1", d.answer(classic.InputFindCoordinator, classic.CodeNone))
	for _, pause := range []time.Duration{200, 400, 800} {
		require.Empty(t, d.answer(classic.InputJoinGroup, classic.CodeCoordinatorLoadInProgress))
		d.step(leaveNow)
		d.step(CallbackEnded{})
		d.step(Poll{})
		require.Empty(t, d.after((pause-1)*time.Millisecond))
		require.Equal(t, "JoinGroup /-1", d.after(time.Millisecond))
	}
}

// The deadline is the next timer's end, and never in the past; nothing is to be done between one and the next.
func TestDeadline(t *testing.T) {
	d := drive(t)
	_, ok := d.core.Deadline()
	require.False(t, ok, "a member that was never polled waits for no time")
	d.join()
	joined := d.now
	for beat := range 30 {
		due := joined + time.Duration(beat+1)*3*time.Second
		for {
			deadline, ok := d.core.Deadline()
			require.True(t, ok)
			require.Greater(t, deadline, d.now)
			require.LessOrEqual(t, deadline, due)
			if deadline == due {
				break
			}
			require.Empty(t, d.after(deadline-d.now))
		}
		require.Empty(t, d.after(due-1-d.now), "too early")
		require.Equal(t, "Heartbeat m-1/5", d.after(1))
		d.answer(classic.InputHeartbeat, classic.CodeNone)
	}
}

// Time that goes back is time that stands still.
func TestTimeDoesNotGoBack(t *testing.T) {
	d := drive(t).join()
	d.beat()
	d.now -= time.Hour
	require.Empty(t, d.step(Tick{}))
	require.Equal(t, 3*time.Second, d.core.now)
	d.answer(classic.InputHeartbeat, classic.CodeNone)
	deadline, _ := d.core.Deadline()
	require.Equal(t, 6*time.Second, deadline)
}

// A process that slept for longer than a session notices once, and does not send what it has missed. The coordinator decides
// what has become of its place, and with a lease it has lost its place.
func TestOneExpiryAfterALongSleep(t *testing.T) {
	d := drive(t).join()
	require.Equal(t, "FindCoordinator", d.after(24*time.Hour))
	require.Equal(t, []string{"check/loop_enabled in joined", "heartbeat/session_expired"}, d.rules())
	require.Equal(t, classic.Stable, d.state())
	require.Empty(t, d.after(time.Second))
	require.Equal(t, "LeaveGroup m-1/5", d.answer(classic.InputFindCoordinator, classic.CodeNone), "it was not polled either")
	require.Equal(t, "lost 5", d.step(Poll{}))
	require.Equal(t, "JoinGroup /-1", d.step(CallbackEnded{}))

	d = drive(t).join()
	d.now += 24 * time.Hour
	require.Equal(t, "FindCoordinator, poll ends", d.step(Poll{}), "the application is at work, and nobody has said that its place is lost")
	require.Equal(t, "Heartbeat m-1/5", d.answer(classic.InputFindCoordinator, classic.CodeNone))
	d.answer(classic.InputHeartbeat, classic.CodeUnknownMemberID)
	require.Equal(t, "lost 5", d.step(Poll{}))

	d = drive(t, leased).joinLeased()
	d.now += 24 * time.Hour
	require.Equal(t, "lost 5", d.step(Poll{}), "a poll that is the first to come does not go on with what is lost")
}
