package franz

import (
	"context"
	"errors"

	"github.com/kbeat/kbeat/heartbeat"
)

// ConsumerMember is a heartbeat.Member whose share of the group's work is partitions of topics. Run it, or Poll it:
//
// Run is eager: a function is called with all partitions of a generation, and lets go of all of them before the next one,
// whatever the balancers are.
//
// Poll tells ConsumerCallbacks what changes. That is how a member is cooperative (KIP-429): it keeps working on what stays
// its own while the group divides its work anew.
type ConsumerMember struct {
	*heartbeat.Member
	consumer *Consumer
	on       ConsumerCallbacks
}

// ConsumerCallbacks tell an application that polls which of its partitions come and go. They run as heartbeat.Callbacks do:
// inside Poll, Leave and Close, with no lock held, while heartbeats go on. Each may be nil, and none is called about
// nothing.
type ConsumerCallbacks struct {
	// Assigned gives the application partitions beside those that it has.
	Assigned func(ctx context.Context, s *heartbeat.Session, added Partitions) error

	// Revoked asks the application to let go of partitions. Until it returns nobody else has them, and their offsets can be
	// committed.
	Revoked func(ctx context.Context, s *heartbeat.Session, removed Partitions) error

	// Lost says that partitions may be somebody else's already: commits of them fail.
	Lost func(ctx context.Context, s *heartbeat.Session, lost Partitions) error
}

// NewMember makes the member that offers and does what its Consumer says: config's ProtocolType and Protocols, the
// assignor and WithCallbacks are c's. Run has no use for the callbacks. A Consumer belongs to one member. The error is a
// *heartbeat.ConfigError.
func (c *Consumer) NewMember(config heartbeat.Config, t heartbeat.Transport, on ConsumerCallbacks, opts ...heartbeat.Option) (*ConsumerMember, error) {
	if err := c.claim(); err != nil {
		return nil, err
	}
	if config.Lease {
		c.beEager() // what it kept while the group joins anew would be covered by no lease
	}
	config.ProtocolType, config.Protocols = ConsumerProtocolType, c.Protocols()
	m := &ConsumerMember{consumer: c, on: on}
	callbacks := heartbeat.WithCallbacks(heartbeat.Callbacks{Assigned: m.assigned, Revoked: m.revoked, Lost: m.lost})
	var err error
	if m.Member, err = heartbeat.NewMember(config, t, c.Assign, append([]heartbeat.Option{callbacks, heartbeat.WithDescription(c.comesAndGoes)}, opts...)...); err != nil {
		c.release()
		return nil, err
	}
	return m, nil
}

// claim makes the Consumer a member's. It is what one member owns; two would take each other's partitions for their own.
func (c *Consumer) claim() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.member {
		return &heartbeat.ConfigError{Field: "Consumer", Problem: "has a member already: make one for each"}
	}
	c.member = true
	return nil
}

// release lets the Consumer be another member's.
func (c *Consumer) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.member = false
}

// Run is heartbeat.Member.Run, with the partitions of the generation, which may be none. Work owns them until it returns,
// and must own none of them after that: it starts with those that it is given, whatever it has had before.
func (m *ConsumerMember) Run(ctx context.Context, work func(ctx context.Context, s *heartbeat.Session, partitions Partitions) error, opts ...heartbeat.RunOption) error {
	if work == nil {
		return errors.New("run: work is nil: give the function that does the member's part")
	}
	return m.Member.Run(ctx, func(ctx context.Context, s *heartbeat.Session) error {
		change, err := m.consumer.Assigned(s.Generation(), s.Protocol(), s.Assignment())
		if err != nil {
			return err
		}
		if change.Rejoin != "" { // it was polled before, say, and others wait for what it has claimed then
			m.Rejoin(change.Rejoin)
		}
		m.consumer.beEager()
		defer m.consumer.Revoked()
		if err := m.offer(); err != nil {
			return err
		}
		return work(ctx, s, m.consumer.Owned())
	}, opts...)
}

func (m *ConsumerMember) assigned(ctx context.Context, s *heartbeat.Session) error {
	change, err := m.consumer.Assigned(s.Generation(), s.Protocol(), s.Assignment())
	if err != nil {
		return err
	}
	err = errors.Join(tell(ctx, s, m.on.Revoked, change.Removed), tell(ctx, s, m.on.Assigned, change.Added))
	if change.Rejoin != "" {
		m.Rejoin(change.Rejoin)
	}
	return err
}

// revoked is told before a rejoin, when a cooperative member keeps what it has, and when the member leaves, when nobody
// does.
func (m *ConsumerMember) revoked(ctx context.Context, s *heartbeat.Session) error {
	letGo := m.consumer.Revoked
	if why := context.Cause(s.Context()); errors.Is(why, heartbeat.ErrLeft) || errors.Is(why, heartbeat.ErrClosed) {
		letGo = m.consumer.Lost
	}
	return errors.Join(tell(ctx, s, m.on.Revoked, letGo().Removed), m.offer())
}

// lost is told when the coordinator has forgotten the member, and when it leaves in the middle of a rejoin.
func (m *ConsumerMember) lost(ctx context.Context, s *heartbeat.Session) error {
	return errors.Join(tell(ctx, s, m.on.Lost, m.consumer.Lost().Removed), m.offer())
}

// offer says what the member owns, in time for its next JoinGroup: no member joins anew without having been told to let
// go. One that is being closed joins no more.
func (m *ConsumerMember) offer() error {
	err := m.SetProtocols(m.consumer.Protocols())
	if errors.Is(err, heartbeat.ErrClosed) {
		return nil
	}
	return err
}

func tell(ctx context.Context, s *heartbeat.Session, f func(context.Context, *heartbeat.Session, Partitions) error, p Partitions) error {
	if f == nil || len(p) == 0 {
		return nil
	}
	return f(ctx, s, p)
}
