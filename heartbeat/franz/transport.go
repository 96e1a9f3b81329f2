package franz

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// Transport is a heartbeat.Transport over franz-go. One is enough for all members of a process, in however many groups.
type Transport struct {
	settings settings
	lookups  lookups
	ends     func() bool  // stops the end of the client from closing the transport
	ended    func() error // not nil when the client has ended

	mu      sync.Mutex
	closed  bool
	nodes   map[int32]string   // addresses, as FindCoordinator gave them
	brokers map[string]*broker // by address, those that there are links to
}

var _ heartbeat.Transport = (*Transport)(nil)

// New makes a Transport that reaches brokers as cl does. It reads cl's options once, and connects when it first has
// something to send. It ends with cl, or by Close. It panics where cl is nil.
func New(cl *kgo.Client) *Transport {
	if cl == nil {
		panic("franz: New: the client is nil: make one with kgo.NewClient")
	}
	s := settingsOf(cl)
	t := &Transport{
		settings: s,
		lookups:  lookups{settings: s},
		nodes:    map[int32]string{},
		brokers:  map[string]*broker{},
	}
	t.ends, t.ended = context.AfterFunc(cl.Context(), t.close), cl.Context().Err
	return t
}

// Close cuts the Transport's connections; what is in flight, and what is sent later, ends as TRANSPORT_CLOSED, as it does
// when the client ends. The client that the Transport was made from goes on. Close may be called again.
func (t *Transport) Close() {
	t.ends()
	t.close()
}

func (t *Transport) close() {
	t.mu.Lock()
	t.closed = true
	brokers := t.brokers
	t.brokers = nil
	t.mu.Unlock()

	t.lookups.close()
	for _, b := range brokers {
		b.close()
	}
}

// Send performs r once. A request that is not answered within r.Timeout ends as DISCONNECT, as it does in Apache Kafka's
// client, which gives up a connection that does not answer, and a broker that it cannot connect to. Only one that could not
// leave in that time though there was a connection, because the broker throttles it, say, ends as SEND_TIMEOUT. When ctx
// ends first it is the same. A lookup also ends, as DISCONNECT, after the client's kgo.RequestTimeoutOverhead, so that a
// hung broker does not hold up the next broker's turn; no other limit of franz-go's cuts a request short, but for the
// dialer's own.
func (t *Transport) Send(ctx context.Context, r heartbeat.Request) heartbeat.Response {
	ctx, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()

	out, err := encode(r)
	if err != nil {
		return heartbeat.Response{ID: r.ID, Code: classic.CodeVersionMismatch, Err: err}
	}
	var answer kmsg.Response
	var end ending
	if r.API == classic.InputFindCoordinator {
		answer, end = t.lookups.ask(ctx, out)
	} else {
		answer, end = t.ask(ctx, r.Node, out)
	}
	if end.err != nil {
		if t.over() {
			end.code = classic.CodeTransportClosed
		}
		return heartbeat.Response{ID: r.ID, Code: end.code, Err: &RequestError{API: r.API, Broker: end.broker, Sent: out.sent.Load(), Err: end.err}}
	}
	response, coordinator := decode(answer)
	response.ID = r.ID
	if coordinator != nil && response.Code == classic.CodeNone {
		t.learn(response.Node, net.JoinHostPort(coordinator.Host, strconv.Itoa(int(coordinator.Port))))
	}
	return response
}

// over says whether nothing can be sent any more.
func (t *Transport) over() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.closed || t.ended() != nil
}

// ask sends to the coordinator.
func (t *Transport) ask(ctx context.Context, node int32, out *outgoing) (kmsg.Response, ending) {
	l, err := t.take(node, out.route)
	if err != nil {
		return nil, ending{code: classic.CodeDisconnect, err: err}
	}
	answer, end := exchange(ctx, l.broker, t.settings, out, l.conn.up)
	end.broker = l.home.addr
	// A link that has failed is not taken again: its connection does not answer in time, or franz-go is still closing it, and
	// the next request would fall into that. That a caller has given up says nothing against a connection that many share.
	spent := end.err != nil && (out.route == held || ctx.Err() != context.Canceled)
	l.give(spent)
	return answer, end
}

// take is a link to a node for one request.
func (t *Transport) take(node int32, r route) (*link, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil, kgo.ErrClientClosed
	}
	addr, ok := t.nodes[node]
	if !ok {
		return nil, fmt.Errorf("broker %d is not known: no FindCoordinator of this transport has named it", node)
	}
	b := t.brokers[addr]
	if b == nil {
		b = newBroker(addr, t.settings, t.forget)
	}
	l, err := b.take(r)
	if err != nil {
		return nil, fmt.Errorf("broker %d at %s: %w", node, addr, err)
	}
	t.brokers[addr] = b
	return l, nil
}

// forget drops a broker that has no link, unless it was given one since: addresses come and go with the machines.
func (t *Transport) forget(b *broker) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.brokers[b.addr] == b && !b.linked() {
		delete(t.brokers, b.addr)
	}
}

// learn takes the address of a coordinator from FindCoordinator's answer, which is right at once when a broker has moved;
// franz-go's metadata may be minutes old.
func (t *Transport) learn(node int32, addr string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.nodes[node] = addr
}
