package coordinator

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// desk is a group and those who talk to it.
type desk struct {
	t   *testing.T
	g   *Group
	now time.Duration
}

func newDesk(t *testing.T) *desk { return &desk{t: t, g: New(Config{})} }

// asked is a request that may be answered.
type asked struct{ answers []heartbeat.Response }

func (a *asked) code(t *testing.T) classic.Code {
	t.Helper()
	require.Len(t, a.answers, 1, "one answer")
	return a.answers[0].Code
}

func (d *desk) ask(r heartbeat.Request) *asked {
	a := &asked{}
	r.SessionTimeout, r.RebalanceTimeout, r.ProtocolType = 10*time.Second, 30*time.Second, "consumer"
	if r.Protocols == nil {
		r.Protocols = []heartbeat.Protocol{{Name: "range", Metadata: []byte("x")}}
	}
	if r.Protocol == "" {
		r.Protocol = "range"
	}
	d.g.Handle(d.now, r, func(r heartbeat.Response) { a.answers = append(a.answers, r) })
	return a
}

func (d *desk) join(id, instance string) *asked {
	return d.ask(heartbeat.Request{API: classic.InputJoinGroup, Member: id, Instance: instance})
}

func (d *desk) sync(id string, generation int32, plan ...heartbeat.Assignment) *asked {
	return d.ask(heartbeat.Request{API: classic.InputSyncGroup, Member: id, Generation: generation, Assignments: plan})
}

func (d *desk) beat(id, instance string, generation int32) classic.Code {
	return d.ask(heartbeat.Request{API: classic.InputHeartbeat, Member: id, Instance: instance, Generation: generation}).code(d.t)
}

// newID is the id that a dynamic member is given.
func (d *desk) newID() string {
	a := d.join("", "")
	require.Equal(d.t, classic.CodeMemberIDRequired, a.code(d.t))
	return a.answers[0].Member
}

// two is a stable group of a leader and a follower, in generation 2.
func (d *desk) two() (leader, follower string) {
	leader = d.newID()
	d.join(leader, "")
	follower = d.newID()
	f, l := d.join(follower, ""), d.join(leader, "")
	require.Equal(d.t, leader, f.answers[0].Leader)
	require.Len(d.t, l.answers[0].Members, 2)
	require.Empty(d.t, f.answers[0].Members)
	s := d.sync(follower, 2)
	require.Empty(d.t, s.answers, "it waits for the leader")
	d.sync(leader, 2, heartbeat.Assignment{Member: follower, Data: []byte("all")})
	require.Equal(d.t, []byte("all"), s.answers[0].Assignment)
	require.Equal(d.t, Stable, d.g.State())
	return leader, follower
}

func TestARebalanceWaitsForAllThatItKnows(t *testing.T) {
	d := newDesk(t)
	leader, follower := d.two()
	pending := d.newID()
	require.Equal(t, classic.CodeNone, d.beat(leader, "", 2), "an id alone is no rebalance")
	third := d.join(pending, "")
	require.Equal(t, classic.CodeRebalanceInProgress, d.beat(leader, "", 2))
	l := d.join(leader, "")
	require.Empty(t, l.answers)
	d.join(follower, "")
	require.Equal(t, int32(3), l.answers[0].Generation)
	require.Equal(t, int32(3), third.answers[0].Generation)
	require.Equal(t, classic.CodeIllegalGeneration, d.beat(leader, "", 2))
}

func TestWhoDoesNotJoinInTimeIsRemoved(t *testing.T) {
	d := newDesk(t)
	leader, follower := d.two()
	l := d.join(leader, "") // the leader's join is a rebalance
	for d.now < 30*time.Second {
		d.now += 5 * time.Second
		if d.now < 30*time.Second {
			require.Equal(t, classic.CodeRebalanceInProgress, d.beat(follower, "", 2))
		}
	}
	d.g.Tick(d.now)
	require.Equal(t, int32(3), l.answers[0].Generation)
	require.Equal(t, classic.CodeUnknownMemberID, d.beat(follower, "", 2))
}

func TestSessionsEnd(t *testing.T) {
	d := newDesk(t)
	leader, follower := d.two()
	d.now = 9 * time.Second
	d.beat(leader, "", 2)
	at, ok := d.g.Deadline()
	require.True(t, ok)
	require.Equal(t, 10*time.Second, at)
	d.now = at
	require.Equal(t, classic.CodeRebalanceInProgress, d.beat(leader, "", 2))
	require.Equal(t, classic.CodeUnknownMemberID, d.beat(follower, "", 2))
	l := d.join(leader, "")
	d.now = 29 * time.Second // who waits for SyncGroup's time is not alive by that
	require.Equal(t, classic.CodeUnknownMemberID, d.beat(leader, "", l.answers[0].Generation))
}

func TestPendingIDsHoldUpARebalanceForASession(t *testing.T) {
	d := newDesk(t)
	leader, follower := d.two()
	d.newID()
	l, f := d.join(leader, ""), d.join(follower, "")
	require.Empty(t, l.answers)
	d.now = 10 * time.Second
	d.g.Tick(d.now)
	require.Len(t, f.answers, 1)
}

func TestAnInstanceTakesItsPlace(t *testing.T) {
	d := newDesk(t)
	first := d.join("", "i").answers[0].Member
	other := d.join("", "j")
	l := d.join(first, "i")
	require.Equal(t, int32(2), l.answers[0].Generation)
	d.sync(first, 2)
	id := other.answers[0].Member
	again := d.join("", "i").answers[0]
	require.Equal(t, int32(2), again.Generation, "no rebalance")
	require.True(t, again.SkipAssignment)
	require.Equal(t, Stable, d.g.State())
	require.Equal(t, classic.CodeFencedInstanceID, d.beat(first, "i", 2))
	require.Equal(t, classic.CodeFencedInstanceID, d.join(first, "i").code(t))
	require.Equal(t, classic.CodeNone, d.beat(again.Member, "i", 2))
	require.Equal(t, classic.CodeNone, d.beat(id, "j", 2))
}

func TestAnInstanceThatWaitsIsFenced(t *testing.T) {
	d := newDesk(t)
	d.join("", "i")
	waits := d.join("", "j")
	d.join("", "j")
	require.Equal(t, classic.CodeFencedInstanceID, waits.code(t))
}

func TestStaticMembersStayThoughTheyDoNotJoin(t *testing.T) {
	d := newDesk(t)
	i := d.join("", "i").answers[0].Member
	j := d.join("", "j")
	d.now = 30 * time.Second
	d.g.Tick(d.now) // i's session has ended meanwhile
	require.Len(t, j.answers, 1)
	require.Equal(t, j.answers[0].Member, j.answers[0].Leader)
	require.Equal(t, classic.CodeUnknownMemberID, d.beat(i, "i", 1))
}

func TestLeavingIsARebalance(t *testing.T) {
	d := newDesk(t)
	leader, follower := d.two()
	leave := func(id string) classic.Code {
		return d.ask(heartbeat.Request{API: classic.InputLeaveGroup, Member: id}).code(t)
	}
	require.Equal(t, classic.CodeNone, leave(leader))
	require.Equal(t, classic.CodeUnknownMemberID, leave(leader))
	require.Equal(t, PreparingRebalance, d.g.State())
	f := d.join(follower, "")
	require.Equal(t, follower, f.answers[0].Leader)
	pending := d.newID()
	require.Equal(t, classic.CodeNone, leave(pending))
	require.Equal(t, []Held{{ID: follower}}, d.g.Held())
	require.Equal(t, classic.CodeNone, leave(follower))
	require.Equal(t, Empty, d.g.State())
}

func TestARebalanceEndsSync(t *testing.T) {
	d := newDesk(t)
	leader := d.newID()
	d.join(leader, "")
	follower := d.newID()
	d.join(follower, "")
	d.join(leader, "")
	s := d.sync(follower, 2)
	d.join(d.newID(), "")
	require.Equal(t, classic.CodeRebalanceInProgress, s.code(t))
	require.Equal(t, classic.CodeRebalanceInProgress, d.sync(leader, 2).code(t))
}

func TestWhoDoesNotSyncInTimeIsRemoved(t *testing.T) {
	d := newDesk(t)
	leader := d.newID()
	d.join(leader, "")
	for d.now = 5 * time.Second; d.now < 30*time.Second; d.now += 5 * time.Second {
		require.Equal(t, classic.CodeNone, d.beat(leader, "", 1))
	}
	require.Equal(t, classic.CodeUnknownMemberID, d.beat(leader, "", 1))
}

func TestTheSameJoinAgain(t *testing.T) {
	d := newDesk(t)
	_, follower := d.two()
	again := d.join(follower, "")
	require.Equal(t, int32(2), again.answers[0].Generation)
	other := d.ask(heartbeat.Request{API: classic.InputJoinGroup, Member: follower, Protocols: []heartbeat.Protocol{{Name: "range", Metadata: []byte("y")}}})
	require.Empty(t, other.answers, "other metadata are a rebalance")
	d.ask(heartbeat.Request{API: classic.InputJoinGroup, Member: follower, Protocols: []heartbeat.Protocol{{Name: "none"}}})
	require.Empty(t, other.answers)
}

func TestProtocols(t *testing.T) {
	d := newDesk(t)
	offer := func(id string, names ...string) *asked {
		r := heartbeat.Request{API: classic.InputJoinGroup, Member: id}
		for _, n := range names {
			r.Protocols = append(r.Protocols, heartbeat.Protocol{Name: n})
		}
		return d.ask(r)
	}
	one, two := d.newID(), d.newID()
	d.join(one, "")
	a := offer(two, "sticky", "range")
	require.Empty(t, a.answers)
	b := offer(one, "sticky", "range")
	require.Equal(t, "sticky", *b.answers[0].Protocol)
	require.Equal(t, classic.CodeInconsistentGroupProtocol, offer("", "other").code(t))
}

func TestCommits(t *testing.T) {
	d := newDesk(t)
	leader, _ := d.two()
	commit := func(generation int32) classic.Code {
		return d.ask(heartbeat.Request{API: classic.InputOffsetCommit, Member: leader, Generation: generation, Offsets: []heartbeat.Offset{{Topic: "t"}}}).code(t)
	}
	require.Equal(t, classic.CodeNone, commit(2))
	require.Equal(t, classic.CodeIllegalGeneration, commit(1))
	d.join(d.newID(), "")
	require.Equal(t, classic.CodeNone, commit(2), "while it is being joined")
	require.Equal(t, 2, d.g.Commits())
}

func TestAnotherCoordinatorHasWhatWasStored(t *testing.T) {
	d := newDesk(t)
	leader, follower := d.two()
	d.newID()
	d.join(d.newID(), "")
	waits := d.join(leader, "")
	d.g.Unload(d.now)
	require.Equal(t, classic.CodeNotCoordinator, waits.code(t))
	require.Empty(t, d.g.Held())
	d.now = 20 * time.Second
	d.g.Load(d.now)
	require.Equal(t, []Held{{ID: leader}, {ID: follower}}, d.g.Held())
	require.Equal(t, Stable, d.g.State())
	require.Equal(t, classic.CodeNone, d.beat(follower, "", 2), "its session has begun anew")
	waits = d.join(leader, "")
	d.g.Crash(d.now)
	require.Empty(t, waits.answers)
}

func TestTheFirstJoinMayWaitForOthers(t *testing.T) {
	d := &desk{t: t, g: New(Config{InitialDelay: 3 * time.Second})}
	one := d.join("", "i")
	d.now = time.Second
	two := d.join("", "j")
	require.Empty(t, one.answers)
	d.now = 3 * time.Second
	d.g.Tick(d.now)
	require.Empty(t, one.answers, "somebody has come, and others may")
	d.now = 6 * time.Second
	d.g.Tick(d.now)
	require.Equal(t, one.answers[0].Generation, two.answers[0].Generation)
	require.Len(t, one.answers[0].Members, 2)
}
