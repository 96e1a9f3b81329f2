package heartbeat

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
)

// ErrBusy is returned by a Poll or Run while another one goes on.
var ErrBusy = errors.New("the member is polled already: one Poll or Run at a time")

// Member is one member of a Kafka group. Its methods may be called from any goroutine.
//
// The first Poll, Run or Commit starts the one goroutine that owns its Core; Close ends it, and everything that it has
// started.
type Member struct {
	core      *Core // the goroutine's
	config    Config
	transport Transport
	assignor  Assignor
	options   options
	start     time.Time

	mail     *mailbox
	commitID atomic.Uint64 // the last commit's
	commits  commits
	underway underway
	wants    chan struct{} // holds something when a poll would do something
	status   atomic.Pointer[Status]
	live     atomic.Pointer[Session] // that the application received last; it may have ended
	polling  sync.Mutex              // held by Poll and Run

	mu      sync.Mutex
	handle  handler // of the application: Run's while it goes on
	started bool
	closing bool
	leaves  int // how often Leave was called
	calls   calls

	ctx    context.Context // of all that the member has started
	cancel context.CancelFunc
	work   sync.WaitGroup // requests, assignors
	over   chan struct{}  // closed when the goroutine answers nobody any more
	done   chan struct{}  // closed when work has ended too

	loop loop
}

// NewMember makes a member that is in no group yet, and starts nothing. assignor divides the group's work when this member
// leads it, which the coordinator can make any member do. A Config.Seed of zero is drawn at random. The error is a
// *ConfigError.
func NewMember(config Config, transport Transport, assignor Assignor, opts ...Option) (*Member, error) {
	if config.Seed == 0 {
		config.Seed = drawSeed()
	}
	core, err := NewCore(config)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(opts, func(o Option) bool { return o == nil }) {
		return nil, &ConfigError{"Option", "is nil: leave it out"}
	}
	m := &Member{
		core: core, config: core.config, transport: transport, assignor: assignor, start: time.Now(),
		mail: newMailbox(), wants: make(chan struct{}, 1), over: make(chan struct{}), done: make(chan struct{}),
	}
	for _, o := range opts {
		o(&m.options)
	}
	if assignor == nil {
		return nil, &ConfigError{"Assignor", "is missing: any member can become the leader"}
	}
	if v := reflect.ValueOf(transport); transport == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, &ConfigError{"Transport", "is missing: heartbeat/franz has one"}
	}
	m.handle = handler{call: m.callback}
	status := core.Status()
	m.status.Store(&status)
	m.ctx, m.cancel = context.WithCancel(context.Background())
	wake(m.wants) // to join
	return m, m.loop.init(m)
}

// drawSeed is a number that no other member draws.
func drawSeed() uint64 {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return binary.NativeEndian.Uint64(b[:])
}

// Status is what the member was after the last thing that happened to it.
func (m *Member) Status() Status { return *m.status.Load() }

// State is Status().State.
func (m *Member) State() classic.State { return m.Status().State }

// Generation is Status().Generation.
func (m *Member) Generation() int32 { return m.Status().Generation }

// Done is closed when the member is closed, and nothing that it has started runs any more.
func (m *Member) Done() <-chan struct{} { return m.done }

// Wants holds something when a Poll would do something at once: join, tell the application of its partitions, or return
// an error. An application with a loop of its own polls then, and at least once in each MaxPollInterval.
func (m *Member) Wants() <-chan struct{} { return m.wants }

// Rejoin asks for a rebalance, as Kafka's Consumer.enforceRebalance does; reason travels to the coordinator. The next
// poll joins. It does not wait.
func (m *Member) Rejoin(reason string) { m.post(RejoinAsked{reason}, nil) }

// SetProtocols replaces Config.Protocols from the next join on: where their metadata tells what the member owns, say, it
// changes with each assignment. It asks for no rebalance. The error is a *ConfigError, or ErrClosed.
func (m *Member) SetProtocols(protocols []Protocol) error {
	if err := checkProtocols(protocols); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closing {
		return ErrClosed
	}
	m.post(ProtocolsChanged{protocols}, nil)
	return nil
}

// post gives the member's goroutine something to handle.
func (m *Member) post(in Input, from *caller) { m.mail.post(message{input: in, from: from}) }

// admit posts what the application asks for, and starts the goroutine where it is the first. From Close on only a commit
// is admitted, of the callback that releases: a poll that came between the leave and the end would join again, and leave a
// ghost behind. For the same reason a Run polls no more when there was a Leave since it began.
func (m *Member) admit(in Input, from *caller) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, commit := in.(CommitAsked)
	switch {
	case m.closing && !(commit && m.started):
		return ErrClosed
	case from.run != nil && from.run.leaves != m.leaves:
		return ErrLeft
	}
	if !m.started {
		m.started = true
		go m.run()
	}
	m.post(in, from)
	return nil
}
