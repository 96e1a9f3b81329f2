// Package live runs members of a real group on real brokers, until it is told to stop.
//
//	problems, err := live.Run(ctx, config, log.Emit, say)
//
// What cannot be mended is said within seconds: brokers that do not answer, credentials that are refused, topics that do
// not exist, a group that the broker does not let one into. What may mend itself is not: members go on trying, as those
// of a service should.
package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/heartbeat/franz"
	"github.com/kbeat/kbeat/tools/kbeat/application"
	"github.com/kbeat/kbeat/tools/kbeat/event"
)

// Config says which members to be, of which group, on which brokers.
type Config struct {
	Brokers      []string  // host:port
	Client       []kgo.Opt // how to reach them: TLS, SASL, client id
	Topics       []string
	Members      int                                  // at least one
	Member       heartbeat.Config                     // of each; of several static ones each gets a number behind its instance id
	Balancers    []kgo.GroupBalancer                  // the preferred one first
	StartTimeout time.Duration                        // how long to wait for the brokers' first answer
	For          time.Duration                        // then the members are looked at, and leave; 0: until ctx ends
	Trace        func(name string) (io.Writer, error) // of each member; or nil
}

// LeaveTimeout bounds how long a member that leaves waits for the coordinator.
const LeaveTimeout = 10 * time.Second

// MemberError is what a member has failed with.
type MemberError struct {
	Name string
	Err  error
}

func (e *MemberError) Error() string { return fmt.Sprintf("%s: %v", e.Name, e.Err) }

// Unwrap is Err.
func (e *MemberError) Unwrap() error { return e.Err }

// Run is members of the group until ctx ends, Config.For is over, or one of them fails: then all leave. Problems is what
// was not as it should be when Config.For was over, and whoever could not say goodbye. The error is an
// *UnreachableError, a *TopicError, a *heartbeat.ConfigError, or one around a *heartbeat.Error. say is told what a person
// should know who waits.
func Run(ctx context.Context, c Config, emit func(event.Event), say func(string)) (problems []string, err error) {
	client, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(c.Brokers...), kgo.DisableClientMetrics()}, c.Client...)...)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	g := &group{config: c, client: client, transport: franz.New(client), say: say}
	watched := newWatch(emit)
	g.emit, g.watch = watched.emit, watched
	if err := g.create(); err != nil { // before any broker is asked: it may be a slip of the pen
		return nil, err
	}
	if err := g.reach(ctx); err != nil {
		return nil, err
	}
	if err := g.topicsExist(ctx); err != nil {
		return nil, err
	}
	return g.run(ctx)
}

// group is the members of this process.
type group struct {
	config    Config
	client    *kgo.Client
	transport *franz.Transport
	emit      func(event.Event)
	watch     *watch
	say       func(string)
	members   []*application.Application
}

// create makes the members, which are in no group yet.
func (g *group) create() error {
	for i := range g.config.Members {
		name := fmt.Sprintf("m%d", i+1)
		member := g.config.Member
		if member.Seed != 0 { // else each draws one
			member.Seed += uint64(i)
		}
		if member.InstanceID != "" && g.config.Members > 1 {
			member.InstanceID = fmt.Sprintf("%s-%d", member.InstanceID, i+1)
		}
		var trace io.Writer
		var err error
		if g.config.Trace != nil {
			if trace, err = g.config.Trace(name); err != nil {
				return err
			}
		}
		app, err := application.New(g.client, g.transport, application.Config{
			Name: name, Topics: g.config.Topics, Balancers: g.config.Balancers, Member: member, Trace: trace,
		}, g.emit)
		if err != nil {
			return err
		}
		g.members = append(g.members, app)
	}
	return nil
}

// run is the members' life.
func (g *group) run(ctx context.Context) (problems []string, err error) {
	polling, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	failures := make([]error, len(g.members))
	var lives sync.WaitGroup
	for i, app := range g.members {
		lives.Go(func() {
			if err := app.Run(polling); err != nil {
				failures[i] = &MemberError{app.Name(), err}
				stop(failures[i])
			}
		})
	}
	if g.wait(polling) {
		problems = g.check(polling)
	}
	stop(nil)
	lives.Wait()
	return append(problems, g.leave(failures)...), errors.Join(failures...)
}

// wait returns when the members' time is over, which it says is by Config.For.
func (g *group) wait(ctx context.Context) (over bool) {
	var end <-chan time.Time
	if g.config.For > 0 {
		end = time.After(g.config.For)
	}
	late := time.After(g.config.StartTimeout)
	for {
		select {
		case <-ctx.Done():
			return false
		case <-end:
			return true
		case <-late:
			g.sayWhoWaits()
		}
	}
}

// sayWhoWaits names the members that have not joined yet, and why.
func (g *group) sayWhoWaits() {
	for _, app := range g.members {
		if app.Tally().Joined == 0 {
			g.say(fmt.Sprintf("%s has not joined after %s: %s; it goes on trying", app.Name(), g.config.StartTimeout, g.watch.of(app.Name())))
		}
	}
}

// leave lets all members leave at the same time, and returns who could not say goodbye.
func (g *group) leave(failures []error) (problems []string) {
	ctx, cancel := context.WithTimeout(context.Background(), LeaveTimeout)
	defer cancel()
	var mu sync.Mutex
	var leaving sync.WaitGroup
	for i, app := range g.members {
		leaving.Go(func() {
			text := "left"
			switch {
			case failures[i] != nil:
				text = "gave up"
			case app.Instance() != "":
				text = "keeps its place" // for a session timeout
			}
			if err := app.Close(ctx, text, errors.Unwrap(failures[i])); err != nil {
				mu.Lock()
				defer mu.Unlock()
				problems = append(problems, fmt.Sprintf("%s: the group may learn only by the session timeout that it has left: %v", app.Name(), err))
			}
		})
	}
	leaving.Wait()
	return problems
}
