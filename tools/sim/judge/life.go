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
	name       string
	config     *heartbeat.Config
	over       bool
	ended      Kind // Closed or Killed
	born, ends time.Duration
	recent     recent
	paused     bool

	pausedAt time.Duration // when it was paused last
	resumed  time.Duration // when it last went on after a pause; never if it has not
	state    classic.State
	who      Identity
	was      []former            // what it was at the present instant, before
	offered  string              // the member id that the last JoinGroup was answered with
	asked    map[uint64]Identity // who the member was when it sent requests that are not answered
	answers  map[uint64]Event    // that no rule has decided about yet
	open     map[uint64]request  // that are under way
	calls    map[call]*waiting   // of the application that wait
	last     time.Duration       // when something was seen of it before
	session  time.Duration       // when it began, by the member's clock; never while there is none

	known    bool          // the coordinator
	node     int32         // it, or who was it last
	named    int32         // by the last answer to a lookup
	quiet    time.Duration // since when the coordinator is silent; never while nobody waits for it
	lookedUp time.Duration // when the last lookup was sent or answered
	checked  time.Duration // checkDue before the last rule, which may have sent a lookup
	checkDue time.Duration // from when on a coordinator that is known may be looked up
	outage   outage
	refused  refusals
	beaten   Identity      // the last one of which a heartbeat was answered
	until    time.Duration // the end of its lease; 0 while it has none
	lookups  int           // under way
	loop     loop          // its heartbeats'
	sign     time.Duration // the last time that it showed that it lives
	failed   time.Duration // the last time that a heartbeat or a lookup was not answered well
	times    []time.Duration

	running heartbeat.CallbackKind // 0 while no callback runs
	runs    time.Duration          // since when it does
	letting bool                   // the callback that runs is that of leaving
	holding holding
	told    Identity      // whose assignment the application has
	works   Identity      // whose assignment it works on, or did last
	began   time.Duration // when it began to work on that
	holds   []Partition
	keeps   bool // its last callback before it leaves has failed: it may still work

	leaving   bool
	leaves    bool   // so that the coordinator is told
	leavingAs string // its member id when its application had let go
	unheard   bool   // LeaveGroup was not answered well
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
		open: map[uint64]request{}, calls: map[call]*waiting{}, node: heartbeat.AnyBroker, named: heartbeat.AnyBroker,
		quiet: never, lookedUp: never, beaten: Nobody(), refused: refusals{}, outage: outage{began: never},
	}
}

// joined reports whether the coordinator expects heartbeats, as far as the member knows.
func (l *life) joined() bool {
	return l.state == classic.CompletingRebalance || l.state == classic.Stable
}

// acts reports whether its application can be at work.
func (l *life) acts() bool { return !l.over && !l.paused }

// leaves reports whether the coordinator is told of a leave.
func leaves(c *heartbeat.Config, mode heartbeat.LeaveMode) bool {
	return mode == heartbeat.LeaveAlways || mode == heartbeat.LeaveIfDynamic && c.InstanceID == ""
}
