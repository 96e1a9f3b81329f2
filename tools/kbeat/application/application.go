// Package application is a program that is a member of a consumer group and does nothing else: it polls, takes up and
// lets go of partitions as it is told, and emits what happens as events. It reads no records and commits no offsets.
//
//	app, err := application.New(client, transport, config, log.Emit)
//	err = app.Run(ctx)   // polls until ctx ends, or nothing mends what has failed
//	err = app.Close(ctx) // leaves the group
//
// How it joins, and what it does about errors, is package heartbeat's affair.
package application

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/heartbeat/franz"
	"github.com/kbeat/kbeat/tools/kbeat/event"
)

// Config says which member to be.
type Config struct {
	Name      string // in events
	Topics    []string
	Balancers []kgo.GroupBalancer // the preferred one first
	Member    heartbeat.Config    // without ProtocolType and Protocols, which are the consumer's
	Trace     io.Writer           // gets the member's trace; or nil
}

// Application is the program. Its methods may be called from any goroutine.
type Application struct {
	config   Config
	consumer *franz.Consumer
	member   *heartbeat.Member
	emit     func(event.Event)
	tally    tally
	working  chan struct{} // holds something while the application cannot poll, or polls
	last     identity      // of the member, as it was when its last decision had been made
	leaving  atomic.Bool
	silent   atomic.Bool
}

// New makes an application that is in no group yet. The error is a *heartbeat.ConfigError.
func New(cl *kgo.Client, transport heartbeat.Transport, c Config, emit func(event.Event)) (*Application, error) {
	consumer, err := franz.NewConsumer(cl, c.Topics, c.Balancers...)
	if err != nil {
		return nil, err
	}
	a := &Application{
		config: c, emit: emit, consumer: consumer,
		working: make(chan struct{}, 1),
		last:    identity{generation: heartbeat.NoGeneration},
	}
	config := c.Member
	config.ProtocolType, config.Protocols = franz.ConsumerProtocolType, a.consumer.Protocols()
	options := []heartbeat.Option{
		heartbeat.WithCallbacks(heartbeat.Callbacks{Assigned: a.assigned, Revoked: a.revoked, Lost: a.lost}),
		heartbeat.WithObserver(a.observe),
	}
	if c.Trace != nil {
		options = append(options, heartbeat.WithTrace(c.Trace))
	}
	a.member, err = heartbeat.NewMember(config, transport, a.consumer.Assign, options...)
	return a, err
}

// identity is what the coordinator knows a member by.
type identity struct {
	member     string
	generation int32
}

// Name is the one in Config.
func (a *Application) Name() string { return a.config.Name }

// Instance is the group.instance.id, or "".
func (a *Application) Instance() string { return a.config.Member.InstanceID }

// Status is the member's.
func (a *Application) Status() heartbeat.Status { return a.member.Status() }

// Owned is what the application works on.
func (a *Application) Owned() franz.Partitions { return a.consumer.Owned() }

// Tally is what has happened so far.
func (a *Application) Tally() event.Tally { return a.tally.read() }

// Close leaves the group, and tells of the end: text says what it came from, cause is why the application has failed, or
// nil. When ctx ends it does not wait for the coordinator's answer. The error says why the coordinator may not know that
// the member has left. Close must come after Run has returned.
func (a *Application) Close(ctx context.Context, text string, cause error) error {
	end := a.ended(text)
	a.leaving.Store(true)
	err := a.member.Close(ctx)
	if failed := errors.Join(cause, err); failed != nil {
		end.Error = failed.Error()
	}
	end.Tally = a.tally.now()
	a.tell(end)
	return err
}

// Silence tells of the end, and of nothing that comes after it.
func (a *Application) Silence(text string) {
	a.tell(a.ended(text))
	a.silent.Store(true)
}

// ended is the end as it is now.
func (a *Application) ended(text string) event.Event {
	e := a.about(event.End)
	e.Text, e.State, e.Partitions, e.Tally = text, a.Status().State.String(), event.Partitions(a.Owned()), a.tally.now()
	return e
}

// about is an event about the member as it is now.
func (a *Application) about(kind event.Kind) event.Event {
	s := a.Status()
	return event.Event{Kind: kind, Member: a.config.Name, Instance: a.Instance(), MemberID: s.Member, Generation: s.Generation}
}

func (a *Application) tell(e event.Event) {
	if !a.silent.Load() {
		a.emit(e)
	}
}
