package application

import (
	"context"

	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/heartbeat/franz"
	"github.com/kbeat/kbeat/tools/kbeat/event"
)

// assigned takes up what the group has given to the member. What it had before and has no more, it lets go of first.
func (a *Application) assigned(_ context.Context, s *heartbeat.Session) error {
	change, err := a.consumer.Assigned(s.Generation(), s.Protocol(), s.Assignment())
	if err != nil {
		return err
	}
	if len(change.Removed) > 0 {
		a.changed(event.Revoked, s, change.Removed)
	}
	a.changed(event.Assigned, s, change.Added)
	if change.Rejoin != "" {
		a.member.Rejoin(change.Rejoin)
	}
	return a.offer()
}

// revoked lets go of what the group is about to divide anew: nothing, where it is rebalanced cooperatively; all, when the
// application leaves.
func (a *Application) revoked(_ context.Context, s *heartbeat.Session) error {
	letGo := a.consumer.Revoked
	if a.leaving.Load() {
		letGo = a.consumer.Lost
	}
	if change := letGo(); len(change.Removed) > 0 {
		a.changed(event.Revoked, s, change.Removed)
	}
	return a.offer()
}

// lost forgets what is somebody else's.
func (a *Application) lost(_ context.Context, s *heartbeat.Session) error {
	change := a.consumer.Lost()
	a.changed(event.Lost, s, change.Removed)
	return a.offer()
}

// offer tells the member what it owns, for its next join, if there is to be one.
func (a *Application) offer() error {
	if a.leaving.Load() {
		return nil
	}
	return a.member.SetProtocols(a.consumer.Protocols())
}

// changed tells of partitions. The identity is that of the session: the member may have another one by now, or none.
func (a *Application) changed(kind event.Kind, s *heartbeat.Session, partitions franz.Partitions) {
	e := a.about(kind)
	if s != nil {
		e.MemberID, e.Generation = s.MemberID(), s.Generation()
	}
	e.Partitions, e.Owned = event.Partitions(partitions), event.Partitions(a.Owned())
	a.tell(e)
}
