package show

import (
	"context"
	"fmt"
	"io"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kbeat/kbeat/heartbeat/franz"
	"github.com/kbeat/kbeat/tools/kbeat/application"
)

// player is one application, with a client and a wire of its own, as if it were a process.
type player struct {
	*application.Application
	wire   *wire
	client *kgo.Client
	busy   bool // its application does not poll, and works on what is somebody else's
	parts  int  // how often something has happened to it
	stop   context.CancelFunc
	over   chan struct{} // closed when it polls no more
	err    error         // what it has failed with; when over is closed
}

// start lets a process begin.
func (s *Show) start(instance string) (*player, error) {
	s.started++
	p, err := s.newPlayer(fmt.Sprintf("m%d", s.started), instance)
	if err != nil {
		return nil, err
	}
	s.cast = append(s.cast, p)
	ctx, stop := context.WithCancel(context.Background())
	p.stop = stop
	go func() {
		defer close(p.over)
		p.err = p.Run(ctx)
	}()
	return p, nil
}

func (s *Show) newPlayer(name, instance string) (p *player, err error) {
	p = &player{wire: &wire{dial: s.cluster.network.DialContext}, over: make(chan struct{})}
	var trace io.Writer
	if s.config.Trace != nil {
		if trace, err = s.config.Trace(name); err != nil {
			return nil, err
		}
	}
	if p.client, err = s.cluster.newClient(p.wire, name); err != nil {
		return nil, err
	}
	member := s.config.Member
	member.Group, member.InstanceID, member.Seed = s.config.Group, instance, s.config.Seed+uint64(s.started)
	p.Application, err = application.New(p.client, franz.New(p.client), application.Config{
		Name: name, Topics: []string{s.config.Topic}, Balancers: s.config.Balancers, Member: member, Trace: trace,
	}, s.emit)
	if err != nil {
		p.client.Close()
		return nil, err
	}
	return p, nil
}

// leave ends the process as a signal would.
func (p *player) leave(ctx context.Context, text string) error {
	p.stop()
	<-p.over
	defer p.client.Close()
	return p.Close(ctx, text, p.err)
}

// die ends the process as a power cut would: the brokers hear nothing of it.
func (p *player) die(ctx context.Context, text string) {
	p.Silence(text)
	p.wire.cut()
	_ = p.leave(ctx, "") // there is nobody whom it could tell
}
