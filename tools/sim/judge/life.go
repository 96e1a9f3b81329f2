package judge

import (
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// lookup is the request that finds the coordinator.
const lookup = classic.InputFindCoordinator

// former is an identity that the member had until a time.
type former struct {
	Identity
	until time.Duration
}

// life is what is known of one member, by its events alone.
type life struct {
	name   string
	config *heartbeat.Config
	over   bool
	ended  Kind // Closed or Killed
	recent recent
	paused bool

	resumed time.Duration // when it last went on after a pause; never if it has not
	state   classic.State
	who     Identity
	was     []former            // what it was at the present instant, before
	offered string              // the member id that the last JoinGroup was answered with
	asked   map[uint64]Identity // who the member was when it sent requests that are not answered
	answers map[uint64]Event    // that no rule has decided about yet
	session time.Duration       // when it began, by the member's clock; never while there is none

	known   bool          // the coordinator
	lookups int           // under way
	loop    loop          // its heartbeats'
	sign    time.Duration // the last time that it showed that it lives
	failed  time.Duration // the last time that a heartbeat or a lookup was not answered well
	times   []time.Duration

	running heartbeat.CallbackKind // 0 while no callback runs
	letting bool                   // the callback that runs is that of leaving
	holding holding
	told    Identity      // whose assignment the application has
	works   Identity      // whose assignment it works on, or did last
	began   time.Duration // when it began to work on that
	holds   []Partition

	leaving   bool
	leaves    bool   // so that the coordinator is told
	leavingAs string // its member id when its application had let go
	refused   bool   // LeaveGroup was not answered well
}

// loop is what sends heartbeats. One that has failed sends no more; the next join makes another, which sends some when that
// join is answered.
type loop uint8

const (
	loopNew loop = iota
	loopRuns
	loopBroken
)

// holding is what the application has been told of its partitions.
type holding uint8

const (
	holdsNothing holding = iota
	holdsAll
	holdsUntilNext // was told that they are divided anew
)

func newLife(e Event) *life {
	config := e.Config
	if config == nil {
		config = &heartbeat.Config{}
	}
	return &life{
		name: e.Member, config: config, state: classic.Initial().State, who: Nobody(), told: Nobody(), works: Nobody(),
		asked: map[uint64]Identity{}, answers: map[uint64]Event{}, session: never, resumed: never,
	}
}

// joined says whether the coordinator expects heartbeats, as far as the member knows.
func (l *life) joined() bool {
	return l.state == classic.CompletingRebalance || l.state == classic.Stable
}

// acts says whether its application can be at work.
func (l *life) acts() bool { return !l.over && !l.paused }

// leaves says whether the coordinator is told of a leave.
func leaves(c *heartbeat.Config, mode heartbeat.LeaveMode) bool {
	return mode == heartbeat.LeaveAlways || mode == heartbeat.LeaveIfDynamic && c.InstanceID == ""
}

// heartbeatLimit is how long a heartbeat waits for its answer.
func heartbeatLimit(c *heartbeat.Config) time.Duration {
	return min(c.RequestTimeout, c.SessionTimeout)
}
