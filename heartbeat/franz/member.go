package franz

import (
	"context"
	"errors"

	"github.com/kbeat/kbeat/heartbeat"
)

// ConsumerCallbacks tell an application which of its partitions come and go. They run as heartbeat.Callbacks do: inside
// Poll, Leave and Close, with no lock held, while heartbeats go on. Each may be nil, and none is called about nothing.
type ConsumerCallbacks struct {
	// Assigned gives the application partitions beside those that it has.
	Assigned func(ctx context.Context, s *heartbeat.Session, added Partitions) error

	// Revoked asks the application to let go of partitions. Until it returns nobody else has them, and their offsets can be
	// committed.
	Revoked func(ctx context.Context, s *heartbeat.Session, removed Partitions) error

	// Lost says that partitions may be somebody else's already: commits of them fail.
	Lost func(ctx context.Context, s *heartbeat.Session, lost Partitions) error
}

// NewMember makes a heartbeat.Member that is polled (see heartbeat.Member.Poll) and does what its Consumer says: config's
// ProtocolType and Protocols, the assignor and WithCallbacks are c's. A Consumer belongs to one member.
//
// A cooperative member keeps its partitions, and its Assigned and Revoked tell of the differences only.
func (c *Consumer) NewMember(config heartbeat.Config, t heartbeat.Transport, on ConsumerCallbacks, opts ...heartbeat.Option) (*heartbeat.Member, error) {
	config.ProtocolType, config.Protocols = ConsumerProtocolType, c.Protocols()
	m := &consumerMember{consumer: c, on: on}
	var err error
	m.member, err = heartbeat.NewMember(config, t, c.Assign, append([]heartbeat.Option{
		heartbeat.WithCallbacks(heartbeat.Callbacks{Assigned: m.assigned, Revoked: m.revoked, Lost: m.lost}),
	}, opts...)...)
	return m.member, err
}

// consumerMember is what stands between a member's callbacks and an application's.
type consumerMember struct {
	member   *heartbeat.Member
	consumer *Consumer
	on       ConsumerCallbacks
	prepared *heartbeat.Session // that a Revoked has let keep its partitions
}

func (m *consumerMember) assigned(ctx context.Context, s *heartbeat.Session) error {
	change, err := m.consumer.Assigned(s.Generation(), s.Protocol(), s.Assignment())
	if err != nil {
		return err
	}
	err = errors.Join(tell(ctx, s, m.on.Revoked, change.Removed), tell(ctx, s, m.on.Assigned, change.Added))
	if change.Rejoin {
		m.member.Rejoin(RejoinReason)
	}
	return err
}

// revoked is told before a rejoin, when a cooperative member keeps what it has, and when the member leaves, when nobody
// does. A member that leaves in the middle of a rejoin is told again in the same session.
func (m *consumerMember) revoked(ctx context.Context, s *heartbeat.Session) error {
	letGo := m.consumer.Revoked
	if errors.Is(context.Cause(s.Context()), heartbeat.ErrLeft) || m.prepared == s {
		letGo = m.consumer.Lost
	}
	m.prepared = s
	change := letGo()
	return errors.Join(tell(ctx, s, m.on.Revoked, change.Removed), m.offer())
}

func (m *consumerMember) lost(ctx context.Context, s *heartbeat.Session) error {
	return errors.Join(tell(ctx, s, m.on.Lost, m.consumer.Lost().Removed), m.offer())
}

// offer says what the member owns, in time for its next JoinGroup: no member joins anew without having been told to let go.
func (m *consumerMember) offer() error { return m.member.SetProtocols(m.consumer.Protocols()) }

func tell(ctx context.Context, s *heartbeat.Session, f func(context.Context, *heartbeat.Session, Partitions) error, p Partitions) error {
	if f == nil || len(p) == 0 {
		return nil
	}
	return f(ctx, s, p)
}
