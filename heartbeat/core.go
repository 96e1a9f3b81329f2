package heartbeat

//kbeat:pure

import (
	"fmt"
	"math"
	"time"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
)

// Core is one member of a group as a pure state machine: it is told what happens and when, and says what is to be done.
// It has no clock, goroutine, lock or connection: the same inputs at the same times give the same outputs.
//
// What to do is decided by fsm/classic; Core evaluates the guards that the rules ask, and carries out their effects.
// A Core belongs to one goroutine at a time.
type Core struct {
	config Config
	memory classic.Memory
	was    classic.State // before the rule that is being told of
	who    identity
	node   int32  // the coordinator, as long as the memory says that it is known
	found  int    // how many coordinators have been found
	reason string // of the rejoin

	now    time.Duration
	clocks clocks
	open   []open // requests under way, the oldest first
	late   []open // JoinGroups without a member id that were abandoned: an id that one of them brings is given back
	lastID uint64

	polling bool  // a poll waits
	unheard bool  // the application has nothing to be told of a callback that a rule asks for
	owed    error // for the next poll, because none waited
	lookup  error // why a lookup has failed for good
	away    error // why no coordinator is known: the last lookup's failure, or what lost it; nil once one was found
	broken  error // why the loop has failed
	silent  error // why the last heartbeat was not received; nil when it was
	closed  bool

	join    join
	told    identity // whose assignment the application was told of and has not lost yet; nobody where there is none
	leaving leaving
	mode    LeaveMode // of the last LeaveAsked

	step    step
	out     []Output
	acted   int                 // how many of out are of the rule that is not told of yet
	observe func(*classic.Rule) // is told of every rule that decides; may be nil
	asleep  bool                // the loop `heartbeat` does not go round: for tests that choose when it does
}

// identity is what the coordinator knows the member by (Kafka's AbstractCoordinator.Generation).
type identity struct {
	member     string
	generation int32
	protocol   string
}

// nobody is the identity of a member that the coordinator does not know.
var nobody = identity{generation: NoGeneration}

// step is what belongs to the input that is being handled.
type step struct {
	who    identity // before it
	sent   *open    // the request that is answered
	answer Response // its answer
	text   fsm.Text // of the rejoin's reason, as the rule has it
	given  string   // what the application said
	err    error    // what was raised
	kept   error    // an earlier failure, which an effect of the rule that decides has brought back
	from   classic.State
	commit CommitAsked // what is to be committed
}

// NewCore makes a member that is in no group, and does nothing until it is polled. A *ConfigError says what is wrong with
// config.
func NewCore(config Config) (*Core, error) {
	config = config.withDefaults()
	if err := config.check(); err != nil {
		return nil, err
	}
	lengths, err := config.lengths()
	if err != nil {
		return nil, err
	}
	return &Core{
		config: config,
		memory: classic.Initial(),
		who:    nobody,
		told:   nobody,
		node:   AnyBroker,
		clocks: clocks{lengths: lengths, jitter: jitter(config.Seed)},
	}, nil
}

// latest is the last time that a Core takes note of: after 146 years. What starts then still ends.
const latest = math.MaxInt64 / 2

// Step tells the member what has happened at now, and returns what is to be done, in order. now counts from any start and
// never goes back: an earlier one is taken for the latest. The slice is the caller's until the next Step.
func (c *Core) Step(now time.Duration, in Input) []Output {
	c.now = max(c.now, min(now, latest))
	c.out = c.out[:0]
	c.step = step{who: c.who}
	if c.closed {
		c.refuse(in)
		return c.out
	}
	c.endTimers()
	if c.take(in); c.closed {
		return c.out
	}
	c.turnLoops()
	c.endLeave()
	return c.out
}

// Deadline is the next time at which a Tick may change something; false while nothing but an input can.
func (c *Core) Deadline() (time.Duration, bool) {
	if c.closed {
		return 0, false
	}
	next, ok := c.clocks.next(c.now)
	if c.leaving.done && c.leaving.until > c.now && (!ok || c.leaving.until < next) {
		return c.leaving.until, true
	}
	return next, ok
}

// take handles one input, by its rule.
func (c *Core) take(in Input) {
	switch in := in.(type) {
	case Response:
		c.answered(in)
	case Poll:
		c.poll()
	case PollGivenUp:
		c.polling = false
	case Assigned:
		c.assigned(in)
	case AssignmentFailed:
		c.assignmentFailed(in)
	case CallbackEnded:
		c.callbackEnded(in)
	case RejoinAsked:
		c.step.given = in.Reason
		c.fired(classic.HandleRejoinAsked(&c.memory, c.effects()))
	case ProtocolsChanged:
		if checkProtocols(in.Protocols) == nil {
			c.config.Protocols = in.Protocols
		}
	case LeaveAsked:
		c.leave(in)
	case CloseAsked:
		c.close()
	case CommitAsked:
		c.commit(in)
	case LoopBroke:
		c.loopBroke(in)
	}
}

// refuse answers what comes after the end.
func (c *Core) refuse(in Input) {
	switch in := in.(type) {
	case Poll:
		c.emit(PollEnded{ErrClosed})
	case CommitAsked:
		c.emit(CommitEnded{ID: in.ID, Err: ErrClosed})
	case LeaveAsked:
		c.emit(Left{ErrClosed})
	}
}

// close ends the member; whoever waits is told.
func (c *Core) close() {
	c.fired(classic.HandleClose(&c.memory, c.effects()))
	c.closed = true
	for _, o := range c.open {
		if o.request.API == classic.InputOffsetCommit {
			c.emit(CommitEnded{ID: o.commit, Err: fmt.Errorf("%w; %w", ErrClosed, ErrOutcomeUnknown)})
		}
	}
	c.open, c.late = nil, nil
	c.endPoll(ErrClosed)
	if c.leaving.asked {
		c.leaving = leaving{}
		c.emit(Left{ErrClosed})
	}
}

func (c *Core) emit(o Output) { c.out = append(c.out, o) }

// emit is what a rule does.
func (e *effects) emit(o Output) {
	e.out = append(e.out, o)
	e.acted++
}

// has reports whether all of flags are set.
func (c *Core) has(flags classic.Flags) bool { return c.memory.Flags.Has(flags) }

// effects is the Core as the one that does what rules ask for.
func (c *Core) effects() *effects { return (*effects)(c) }
