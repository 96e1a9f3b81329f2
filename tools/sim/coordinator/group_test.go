package coordinator_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/sim/coordinator"
)

// desk is a group and those who talk to it, for what no script can show of a real broker.
type desk struct {
	group *coordinator.Group
	now   time.Duration
}

// join sends a JoinGroup. Its answers come to where the result points.
func (d *desk) join(id string) *[]heartbeat.Response {
	r := heartbeat.Request{
		API: classic.InputJoinGroup, Member: id, SessionTimeout: 10 * time.Second, RebalanceTimeout: 30 * time.Minute,
		ProtocolType: "work", Protocols: []heartbeat.Protocol{{Name: "range"}},
	}
	return d.ask(r)
}

func (d *desk) ask(r heartbeat.Request) *[]heartbeat.Response {
	var answers []heartbeat.Response
	d.group.Handle(d.now, r, func(r heartbeat.Response) { answers = append(answers, r) })
	return &answers
}

// stable is a stable group of one in generation 1, and its id.
func stable() (d *desk, id string) {
	d = &desk{group: coordinator.New(coordinator.Config{})}
	id = (*d.join(""))[0].Member
	d.join(id)
	d.ask(heartbeat.Request{API: classic.InputSyncGroup, Member: id, Generation: 1, ProtocolType: "work", Protocol: "range"})
	return d, id
}

func TestAnotherCoordinatorHasWhatWasStored(t *testing.T) {
	d, id := stable()
	d.join((*d.join(""))[0].Member)
	waits := (*d.join(""))[0].Member
	asked := d.join(waits)
	d.group.Unload(d.now)
	require.Equal(t, classic.CodeNotCoordinator, (*asked)[0].Code, "who waits is told")
	require.Empty(t, d.group.Held())
	d.now = 20 * time.Second
	d.group.Load(d.now)
	require.Equal(t, []coordinator.Held{{ID: id, Assignment: []byte{}}}, d.group.Held())
	require.Equal(t, coordinator.Stable, d.group.State())
}

func TestANewMemberIsGivenUpAfterFiveMinutes(t *testing.T) {
	d, id := stable()
	asked := d.join((*d.join(""))[0].Member)
	for ; d.now < 5*time.Minute; d.now += 5 * time.Second {
		require.Empty(t, *asked)
		d.ask(heartbeat.Request{API: classic.InputHeartbeat, Member: id, Generation: 1})
	}
	d.group.Tick(d.now)
	require.Equal(t, classic.CodeUnknownMemberID, (*asked)[0].Code)
	require.Equal(t, []coordinator.Held{{ID: id}}, d.group.Held())
}

// A coordinator that was stopped for longer than a session finds its timers over, and what has come meanwhile: which it sees
// first decides whether the member is still there.
func TestWhatComesBeforeTheTimersCounts(t *testing.T) {
	for _, readsFirst := range []bool{false, true} {
		d, id := stable()
		d.now = 20 * time.Second
		var answers *[]heartbeat.Response
		beat := func() {
			answers = d.ask(heartbeat.Request{API: classic.InputHeartbeat, Member: id, Generation: 1})
		}
		want := classic.CodeUnknownMemberID
		if readsFirst {
			want = classic.CodeNone
			d.group.Resume(d.now, beat)
		} else {
			d.group.Tick(d.now)
			beat()
		}
		require.Equal(t, want, (*answers)[0].Code)
	}
}
