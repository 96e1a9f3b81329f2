package franz

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/heartbeat"
)

// outgoing is a request as franz-go is given it.
type outgoing struct {
	kmsg.Request
	maxVersion int16
	route      route
	limit      time.Duration
	sent       atomic.Bool
	turn       *heartbeat.Turn
}

// MaxVersion is the latest version that encode fills in.
func (o *outgoing) MaxVersion() int16 { return o.maxVersion }

// AppendTo is where a request leaves: franz-go calls it when the connection is open and it is the request's turn to be
// written. Apache Kafka's client counts a request as in flight from the same moment.
func (o *outgoing) AppendTo(dst []byte) []byte {
	o.sent.Store(true)
	defer o.turn.Written() // franz-go writes one request after the other
	return o.Request.AppendTo(dst)
}

// heldOutgoing tells franz-go how long the answer may take, which it would otherwise conclude from the last JoinGroup
// that went over the same client.
type heldOutgoing struct{ *outgoing }

// Timeout is in milliseconds, as kmsg.TimeoutRequest has it.
func (o heldOutgoing) Timeout() int32 { return millis(o.limit) }

// exchange sends out to b once and waits for how it ends. connected reports whether there is a connection that it could take.
// A request that is not held waits without its connection: when ctx ends, franz-go leaves the connection open, and drops
// the answer when it comes (brokerCxn.abandonOnCancel).
func exchange(ctx context.Context, b *kgo.Broker, s settings, out *outgoing, connected func() bool) (kmsg.Response, ending) {
	began := time.Now()
	var req kmsg.Request = out
	if out.route == held {
		req = heldOutgoing{out}
	}
	answer, err := b.Request(ctx, req)
	if err == nil {
		return answer, ending{}
	}
	end := ending{code: endOf(ctx, b, s, out, connected, err), err: err}
	switch {
	case !out.sent.Load() && refused(err):
		end.err = fmt.Errorf("%s: %w", refusal(err), err)
	case ctx.Err() != nil:
		end.err = fmt.Errorf("%s for %s: %w", out.missing(connected()), time.Since(began).Round(time.Millisecond), err)
	}
	return nil, end
}

// missing is what a request has waited for in vain.
func (o *outgoing) missing(connected bool) string {
	switch {
	case o.sent.Load():
		return "there was no answer"
	case connected:
		return "the connection did not take it"
	default:
		return "there was no connection"
	}
}
