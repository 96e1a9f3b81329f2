package heartbeat

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

// endsAt sees when a lease ends.
func endsAt(t *testing.T, d *driven, want time.Duration) {
	t.Helper()
	end, held := d.core.LeaseEnd()
	require.True(t, held)
	require.Equal(t, want, end)
}

// syncedLeased is a member with a lease whose SyncGroup is answered, and its first heartbeat not yet.
func syncedLeased(t *testing.T, changes ...func(*Config)) *driven {
	d := drive(t, append(changes, leased)...)
	d.step(Poll{})
	d.answer(classic.InputFindCoordinator, classic.CodeNone)
	d.answer(classic.InputJoinGroup, classic.CodeNone)
	d.now += 2 * time.Second
	require.Equal(t, "Heartbeat m-1/5", d.answer(classic.InputSyncGroup, classic.CodeNone))
	_, held := d.core.LeaseEnd()
	require.False(t, held)
	return d
}

// The work begins when the first heartbeat of the generation is answered, and the lease counts from its sending.
func TestLeaseBeginsWithTheFirstAnsweredHeartbeat(t *testing.T) {
	d := syncedLeased(t)
	sent := d.now
	d.now += time.Second
	require.Equal(t, "assigned 5", d.answer(classic.InputHeartbeat, classic.CodeNone))
	endsAt(t, d, sent+44550*time.Millisecond)
	require.Equal(t, "poll ends", d.step(CallbackEnded{}))
}

// A first heartbeat that fails is followed by another, and none of the work has begun.
func TestLeaseWaitsForAHeartbeat(t *testing.T) {
	for _, code := range []classic.Code{classic.CodeCoordinatorLoadInProgress, classic.CodeSendTimeout, classic.CodeNotCoordinator, classic.CodeDisconnect} {
		d := syncedLeased(t)
		d.answer(classic.InputHeartbeat, code)
		for range 30 {
			_, held := d.core.LeaseEnd()
			require.False(t, held, "%s", code)
			if d.core.underway(classic.InputFindCoordinator) {
				d.answer(classic.InputFindCoordinator, classic.CodeNone)
			}
			if d.core.underway(classic.InputHeartbeat) {
				break
			}
			d.after(100 * time.Millisecond)
		}
		require.Equal(t, "assigned 5", d.answer(classic.InputHeartbeat, classic.CodeNone), "%s", code)
		endsAt(t, d, d.now+44550*time.Millisecond)
	}
}

// What comes between SyncGroup's answer and the first heartbeat's: the application is told of nothing that it may not work on.
func TestLeaseIsNeverTaken(t *testing.T) {
	for name, c := range map[string]struct {
		happens func(*driven) string
		join    string
	}{
		"rebalance":  {func(d *driven) string { return d.answer(classic.InputHeartbeat, classic.CodeRebalanceInProgress) }, "JoinGroup m-1/5"},
		"generation": {func(d *driven) string { return d.answer(classic.InputHeartbeat, classic.CodeIllegalGeneration) }, "JoinGroup m-1/-1"},
		"member":     {func(d *driven) string { return d.answer(classic.InputHeartbeat, classic.CodeUnknownMemberID) }, "JoinGroup /-1"},
		"asked for":  {func(d *driven) string { return d.step(RejoinAsked{"x"}) }, "JoinGroup m-1/5"},
		"late heartbeat": {func(d *driven) string {
			beat := d.sent(classic.InputHeartbeat)
			d.step(RejoinAsked{"x"})
			require.Equal(t, classic.PreparingRebalance, d.state())
			d.end(beat, classic.CodeNone)
			return "JoinGroup m-1/5"
		}, "JoinGroup m-1/5"},
	} {
		t.Run(name, func(t *testing.T) {
			d := syncedLeased(t)
			require.Equal(t, c.join, c.happens(d))
			_, held := d.core.LeaseEnd()
			require.False(t, held)
			require.False(t, d.core.has(classic.LeaseAwaited))
			d.answer(classic.InputJoinGroup, classic.CodeNone)
			require.Contains(t, d.answer(classic.InputSyncGroup, classic.CodeNone), "Heartbeat ")
			require.Equal(t, "assigned 6", d.answer(classic.InputHeartbeat, classic.CodeNone))
		})
	}
}

// A rejoin that is asked for while SyncGroup is under way is not put off by the lease.
func TestRejoinInsteadOfALease(t *testing.T) {
	d := drive(t, leased)
	d.step(Poll{})
	d.answer(classic.InputFindCoordinator, classic.CodeNone)
	d.answer(classic.InputJoinGroup, classic.CodeNone)
	d.step(RejoinAsked{"x"})
	require.Contains(t, d.answer(classic.InputSyncGroup, classic.CodeNone), "JoinGroup m-1/5")
}

// A poll that was given up before the lease began is followed by one that tells the application of it.
func TestLeaseBeginsWithoutAPoll(t *testing.T) {
	d := syncedLeased(t)
	d.step(PollGivenUp{})
	require.False(t, d.core.Wants())
	require.Empty(t, d.answer(classic.InputHeartbeat, classic.CodeNone))
	require.True(t, d.core.Wants())
	require.Equal(t, "assigned 5", d.step(Poll{}))
}

// What prolongs the lease: the session's part by each request that the coordinator has answered as one of a live member; the
// rebalance's by a heartbeat that was answered with no rebalance under way.
func TestWhatProlongsALease(t *testing.T) {
	commit := CommitAsked{ID: 1, Member: "m-1", Generation: 5, Offsets: []Offset{{Topic: "t"}}}
	const beat, offsets = classic.InputHeartbeat, classic.InputOffsetCommit
	for _, c := range []struct {
		api                classic.Input
		code               classic.Code
		session, rebalance bool
	}{
		{beat, classic.CodeNone, true, true},
		{beat, classic.CodeRebalanceInProgress, true, false},
		{beat, classic.CodeCoordinatorLoadInProgress, false, false},
		{beat, classic.CodeNotCoordinator, false, false},
		{beat, classic.CodeDisconnect, false, false},
		{beat, classic.CodeGroupAuthorizationFailed, false, false},
		{beat, classic.Code(999), false, false},
		{offsets, classic.CodeNone, true, false},
		{offsets, classic.CodeOffsetMetadataTooLarge, true, false},
		{offsets, classic.CodeRebalanceInProgress, false, false},
		{offsets, classic.CodeUnknownTopicOrPartition, false, false},
		{offsets, classic.CodeCoordinatorLoadInProgress, false, false},
		{offsets, classic.CodeTopicAuthorizationFailed, false, false},
		{offsets, classic.CodeNotCoordinator, false, false},
		{offsets, classic.CodeRequestTimedOut, false, false},
	} {
		d := drive(t, leased).joinLeased()
		session, rebalance := d.core.clocks.end(classic.TimerSessionLease), d.core.clocks.end(classic.TimerRebalanceLease)
		if c.api == beat {
			d.beat()
		} else {
			d.now += 2 * time.Second
			d.step(commit)
		}
		sent := d.now
		d.now += 500 * time.Millisecond
		d.answer(c.api, c.code)
		if c.session {
			session = sent + 44550*time.Millisecond
		}
		if c.rebalance {
			rebalance = sent + 297*time.Second
		}
		require.Equal(t, session, d.core.clocks.end(classic.TimerSessionLease), "%s: %s", c.api, c.code)
		require.Equal(t, rebalance, d.core.clocks.end(classic.TimerRebalanceLease), "%s: %s", c.api, c.code)
	}
}

// Of two answers that overtake each other the later request counts.
func TestALeaseIsNotShortenedByALateAnswer(t *testing.T) {
	d := drive(t, leased).joinLeased()
	first := d.beat()
	second := d.beat()
	sent := d.now
	d.end(second, classic.CodeNone)
	endsAt(t, d, sent+44550*time.Millisecond)
	d.end(first, classic.CodeNone)
	endsAt(t, d, sent+44550*time.Millisecond)
}

// An answer about an earlier generation prolongs nothing.
func TestALeaseIsNotProlongedByAnEarlierGeneration(t *testing.T) {
	d := drive(t, leased).joinLeased()
	late := d.beat()
	d.step(RejoinAsked{"x"})
	d.step(Poll{})
	d.step(CallbackEnded{})
	d.answer(classic.InputJoinGroup, classic.CodeNone)
	d.answer(classic.InputSyncGroup, classic.CodeNone)
	require.Empty(t, d.end(late, classic.CodeNone), "it does not begin the new one either")
	_, held := d.core.LeaseEnd()
	require.False(t, held)
	require.Equal(t, "assigned 6", d.answer(classic.InputHeartbeat, classic.CodeNone))
}

// The lease ends a hundredth before the coordinator could give the partitions away: not a moment earlier or later.
func TestALeaseEnds(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Config)
		end    time.Duration
	}{
		"a hundredth": {func(*Config) {}, 44550 * time.Millisecond},
		"50 ms": {func(c *Config) {
			c.SessionTimeout, c.HeartbeatInterval = time.Second, 300*time.Millisecond
		}, 950 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t, leased, c.change).joinLeased()
			for d.now < c.end-1 {
				deadline, ok := d.core.Deadline()
				require.True(t, ok)
				d.now = min(deadline, c.end-1)
				d.step(Tick{})
				require.Equal(t, classic.Stable, d.state())
			}
			attempts := d.core.clocks.attempts[classic.TimerJoinRepeat]
			d.after(1)
			require.Contains(t, d.rules(), "lease/lease_held and session_lease_over in joined/not static")
			require.Equal(t, classic.Unjoined, d.state())
			require.Equal(t, attempts+1, d.core.clocks.attempts[classic.TimerJoinRepeat], "one that ends again and again has a pause")
			_, held := d.core.LeaseEnd()
			require.False(t, held)
			d.answer(classic.InputHeartbeat, classic.CodeNone)
			require.Equal(t, classic.Unjoined, d.state(), "a late answer does not give it back")
			require.Equal(t, "lost 5", d.step(Poll{}))
			d.step(CallbackEnded{})
			if d.core.underway(classic.InputFindCoordinator) {
				d.answer(classic.InputFindCoordinator, classic.CodeNone)
			}
			join := d.sent(classic.InputJoinGroup)
			require.Equal(t, []any{"m-1", int32(NoGeneration), "the lease is over"}, []any{join.Member, join.Generation, join.Reason}, "the member id is good")
		})
	}
}

// A lease that ends because the coordinator is silent leads to a JoinGroup there at once, and at the next coordinator soon
// after a lookup names it.
func TestALeaseThatEndsWithItsCoordinatorJoinsAtTheNextOne(t *testing.T) {
	for name, changes := range map[string][]func(*Config){"dynamic": {leased}, "static": {leased, static}} {
		t.Run(name, func(t *testing.T) {
			d := drive(t, changes...).joinLeased()
			tick := func() {
				end, ok := d.core.Deadline()
				require.True(t, ok)
				d.now = end
				d.step(Tick{})
			}
			for d.state() == classic.Stable {
				if tick(); d.core.underway(classic.InputFindCoordinator) {
					d.answer(classic.InputFindCoordinator, classic.CodeNone, onNode(1)) // the others have not noticed
				}
			}
			require.Equal(t, "lost 5", d.step(Poll{}))
			member := map[string]string{"dynamic": "m-1/-1", "static": "/-1"}[name]
			require.Equal(t, "JoinGroup "+member, d.step(CallbackEnded{}))
			join, sent := d.sent(classic.InputJoinGroup), d.now
			require.Equal(t, int32(1), join.Node)
			for !d.core.underway(classic.InputFindCoordinator) {
				tick()
			}
			require.Equal(t, 10*time.Second, d.now-sent)
			d.answer(classic.InputFindCoordinator, classic.CodeNone, onNode(2))
			require.Equal(t, "JoinGroup "+member, d.after(200*time.Millisecond), "the second repetition, after the lease's end, has a pause")
			require.Equal(t, int32(2), d.sent(classic.InputJoinGroup).Node)
		})
	}
}

// Heartbeats do not protect against the end of a rebalance that the member does not join: an application that does not give up
// what it owns loses it in time.
func TestALeaseEndsWithTheRebalance(t *testing.T) {
	d := drive(t, leased, func(c *Config) { c.MaxPollInterval = 20 * time.Second }).joinLeased()
	d.beat()
	quiet := d.now
	d.answer(classic.InputHeartbeat, classic.CodeNone)
	d.beat()
	d.answer(classic.InputHeartbeat, classic.CodeRebalanceInProgress)
	require.Equal(t, "revoked 5", d.step(Poll{}))
	end := quiet + 19800*time.Millisecond
	for d.now < end {
		require.Equal(t, classic.Stable, d.state())
		deadline, ok := d.core.Deadline()
		require.True(t, ok)
		d.now = min(deadline, end)
		if d.step(Tick{}); d.now < end && d.core.underway(classic.InputHeartbeat) {
			d.answer(classic.InputHeartbeat, classic.CodeRebalanceInProgress)
		}
	}
	require.Contains(t, d.rules(), "lease/lease_held and rebalance_lease_over in joined/not static")
	require.Equal(t, classic.Unjoined, d.state())
	require.Equal(t, "lost 5", d.step(CallbackEnded{}))
	require.Equal(t, "JoinGroup m-1/-1", d.step(CallbackEnded{}))
}

// Nothing is held any more when JoinGroup is sent.
func TestALeaseIsGivenUpBeforeJoinGroup(t *testing.T) {
	d := drive(t, leased).joinLeased()
	d.step(RejoinAsked{"x"})
	require.Equal(t, "revoked 5", d.step(Poll{}))
	_, held := d.core.LeaseEnd()
	require.True(t, held, "the application works on until it has given up")
	require.Equal(t, "JoinGroup m-1/5", d.step(CallbackEnded{}))
	_, held = d.core.LeaseEnd()
	require.False(t, held)
}

// A member without a lease works until the coordinator says otherwise.
func TestNoLease(t *testing.T) {
	d := drive(t).join()
	for range 3 {
		d.beat()
		d.answer(classic.InputHeartbeat, classic.CodeNone)
		_, held := d.core.LeaseEnd()
		require.False(t, held)
		require.False(t, d.core.has(classic.LeaseAwaited))
	}
	d.step(RejoinAsked{"x"})
	require.Equal(t, "revoked 5", d.step(Poll{}))
	for d.core.has(classic.CoordinatorKnown) {
		d.after(time.Second)
	}
	require.Greater(t, d.now, d.core.clocks.end(classic.TimerSessionLease))
	require.Equal(t, classic.Stable, d.state())
}
