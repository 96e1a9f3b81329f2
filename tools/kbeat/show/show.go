// Package show plays a group of consumers on an embedded cluster, and lets happen to it what happens in production: one
// thing after the other, each announced, and each only over when all members and the broker agree again.
//
//	problems, err := show.Run(ctx, show.Config{Members: 3, Seed: 1}, log.Emit)
//
// The members are real ones: a heartbeat.Member each, with the wire protocol, connections and timers of its own. What
// happens to them is done to the cluster or to the network, never to the member; only what it does about it is shown.
package show

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/kbeat/event"
)

// Config says what to play.
type Config struct {
	Group, Topic string
	Partitions   int32
	Members      int                                  // that begin; at least LeastMembers
	Member       heartbeat.Config                     // the times of each member
	Balancers    []kgo.GroupBalancer                  // of each member
	Seed         uint64                               // of what is left to chance: whom things happen to, and the pauses of the members
	For          time.Duration                        // goes on with acts at random until that long is over; each act comes once in any case
	Trace        func(name string) (io.Writer, error) // of each member; or nil
}

// LeastMembers lets there be somebody left when one dies and another's application is slow.
const LeastMembers = 2

// Show is a group that is being played.
type Show struct {
	config  Config
	cluster *cluster
	emit    func(event.Event)
	chance  *rand.Rand
	cast    []*player // that live, in the order in which they began
	started int       // players, in all
	act     string    // that is being played
	began   time.Time // when the act did
}

// Run plays until the end, and returns what is not as it should be then; nothing, where all is. The error is that of an
// act that did not come about: the context's, of the embedded cluster, or a *heartbeat.ConfigError.
func Run(ctx context.Context, c Config, emit func(event.Event)) (problems []string, err error) {
	if err := check(c.Member); err != nil {
		return nil, err
	}
	cluster, err := newCluster(c.Topic, c.Partitions, c.Member.SessionTimeout)
	if err != nil {
		return nil, err
	}
	defer cluster.close()
	s := &Show{config: c, cluster: cluster, emit: emit, chance: rand.New(rand.NewPCG(c.Seed, c.Seed))}
	defer s.clear()
	if err = s.play(ctx); err == nil {
		problems = s.problems(ctx)
	}
	var unsettled *unsettledError
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &unsettled):
		return unsettled.problems, nil
	}
	return problems, err
}

// check finds what no member could be, before anything is begun.
func check(member heartbeat.Config) error {
	member.Group, member.ProtocolType, member.Protocols = "any", "any", []heartbeat.Protocol{{Name: "any"}}
	_, err := heartbeat.NewCore(member)
	return err
}

// play is all acts, and then some.
func (s *Show) play(ctx context.Context) error {
	end := time.Now().Add(s.config.For)
	if err := s.open(ctx); err != nil {
		return err
	}
	for _, a := range acts {
		if err := a(s, ctx); err != nil {
			return fmt.Errorf("%s: %w", s.act, err)
		}
	}
	for time.Now().Before(end) {
		if err := acts[s.chance.IntN(len(acts))](s, ctx); err != nil {
			return fmt.Errorf("%s: %w", s.act, err)
		}
	}
	return nil
}

// announce begins an act.
func (s *Show) announce(name, format string, args ...any) {
	s.act, s.began = name, time.Now()
	s.emit(event.Event{Kind: event.Act, Act: name, Text: fmt.Sprintf(format, args...)})
}

// clear lets all players go, without a word on the stage.
func (s *Show) clear() {
	var leaving sync.WaitGroup
	for _, p := range s.cast {
		p.Silence("alive")
		p.wire.cut() // the cluster goes as well: nobody needs to know
		leaving.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout)
			defer cancel()
			_ = p.leave(ctx, "")
		})
	}
	leaving.Wait()
	s.cast = nil
}
