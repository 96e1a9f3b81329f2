package heartbeat

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
)

// ErrBusy is returned by a Poll or Run while another one goes on.
var ErrBusy = errors.New("the member is polled already: one Poll or Run at a time")

// Member is one member of a Kafka group. Its methods may be called from any goroutine.
//
// The first Poll or Run starts the one goroutine that owns its Core; Close ends it, and everything that it has started.
type Member struct {
	core      *Core // the goroutine's
	config    Config
	transport Transport
	options   options
	start     time.Time

	mail    *mailbox
	commits atomic.Uint64 // the last commit's id
	wants   chan struct{} // holds something when a poll would do something
	status  atomic.Pointer[Status]
	live    atomic.Pointer[Session] // that the application was told of last; it may have ended
	polling sync.Mutex              // held by Poll and Run

	mu      sync.Mutex
	handle  handler // of the application: Run's while it goes on
	started bool
	closing bool
	calls   calls

	ctx    context.Context // of all that the member has started
	cancel context.CancelFunc
	work   sync.WaitGroup // requests, assignors
	done   chan struct{}  // closed when the goroutine has ended

	loop loop
}

// NewMember makes a member that is in no group yet, and starts nothing. The error is a *ConfigError.
func NewMember(config Config, transport Transport, opts ...Option) (*Member, error) {
	core, err := NewCore(config)
	if err != nil {
		return nil, err
	}
	m := &Member{
		core: core, config: core.config, transport: transport, start: time.Now(),
		mail: newMailbox(), wants: make(chan struct{}, 1), done: make(chan struct{}),
	}
	for _, o := range opts {
		o(&m.options)
	}
	if m.options.assignor == nil {
		return nil, &ConfigError{"Assignor", "is missing: any member can become the leader; give WithAssignor"}
	}
	if transport == nil {
		return nil, &ConfigError{"Transport", "is missing: heartbeat/franz has one"}
	}
	m.handle = m.callback
	status := core.Status()
	m.status.Store(&status)
	m.ctx, m.cancel = context.WithCancel(context.Background())
	return m, m.loop.init(m)
}

// Status is what the member was after the last thing that happened to it.
func (m *Member) Status() Status { return *m.status.Load() }

// State is Status().State.
func (m *Member) State() classic.State { return m.Status().State }

// Generation is Status().Generation.
func (m *Member) Generation() int32 { return m.Status().Generation }

// Done is closed when the member is closed, and nothing that it has started runs any more.
func (m *Member) Done() <-chan struct{} { return m.done }

// Rejoin asks for a rebalance, as Kafka's Consumer.enforceRebalance does; reason travels to the coordinator. The next
// poll joins. It does not wait.
func (m *Member) Rejoin(reason string) { m.post(RejoinAsked{reason}, nil) }

// SetProtocols replaces Config.Protocols from the next join on: where their metadata tells what the member owns, say, it
// changes with each assignment. It asks for no rebalance. The error is a *ConfigError.
func (m *Member) SetProtocols(protocols []Protocol) error {
	if err := checkProtocols(protocols); err != nil {
		return err
	}
	m.post(ProtocolsChanged{protocols}, nil)
	return nil
}

// post gives the member's goroutine something to handle.
func (m *Member) post(in Input, from *caller) { m.mail.post(letter{input: in, from: from}) }

// admit posts what the application asks for, and starts the goroutine where it is the first. From Close on nothing is
// admitted: a poll that came between the leave and the end would join again, and leave a ghost behind.
func (m *Member) admit(in Input, from *caller) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closing {
		return ErrClosed
	}
	if !m.started {
		m.started = true
		go m.run()
	}
	m.post(in, from)
	return nil
}
