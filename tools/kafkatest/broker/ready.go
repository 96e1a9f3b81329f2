package broker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl/plain"
)

// ready returns when the broker answers a metadata request in which it is one of at least n brokers with a controller.
func (b *Broker) ready(ctx context.Context, n int) error {
	opts := []kgo.Opt{kgo.SeedBrokers(b.listens), kgo.DisableClientMetrics()}
	if b.admin {
		opts = append(opts, kgo.SASL(plain.Auth{User: "admin", Pass: Admin}.AsMechanism()))
	}
	cl, err := kgo.NewClient(opts...)
	if err != nil {
		return err
	}
	defer cl.Close()

	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		if err = b.ask(ctx, cl, n); err == nil {
			return nil
		}
		select {
		case <-again.C:
		case <-b.process.ended:
			if b.log.contains("Address already in use") {
				return errPortTaken
			}
			return fmt.Errorf("broker %d has ended:\n%s", b.ID, b.log.tail(tailLines))
		case <-ctx.Done():
			return fmt.Errorf("broker %d does not answer: %w\n%s", b.ID, err, b.log.tail(tailLines))
		}
	}
}

var errNotComplete = errors.New("it does not know the whole cluster yet")

func (b *Broker) ask(ctx context.Context, cl *kgo.Client, n int) error {
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = []kmsg.MetadataRequestTopic{}
	answer, err := cl.SeedBrokers()[0].Request(ctx, req)
	if err != nil {
		return err
	}
	meta := answer.(*kmsg.MetadataResponse)
	known := slices.ContainsFunc(meta.Brokers, func(m kmsg.MetadataResponseBroker) bool { return m.NodeID == b.ID })
	if !known || len(meta.Brokers) < n || meta.ControllerID < 0 {
		return errNotComplete
	}
	return nil
}
