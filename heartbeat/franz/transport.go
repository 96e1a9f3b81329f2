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
	ends     func() bool // stops the end of the client from closing the transport

	mu      sync.Mutex
	closed  bool
	nodes   map[int32]string   // addresses, as FindCoordinator gave them
	brokers map[string]*broker // by address
}

var _ heartbeat.Transport = (*Transport)(nil)

// New makes a Transport that reaches brokers as cl does. It reads cl's options once, and connects when it first has
// something to send. It ends with cl, or by Close.
func New(cl *kgo.Client) *Transport {
	s := settingsOf(cl)
	t := &Transport{
		settings: s,
		lookups:  lookups{settings: s},
		nodes:    map[int32]string{},
		brokers:  map[string]*broker{},
	}
	t.ends = context.AfterFunc(cl.Context(), t.close)
	return t
}

// Close cuts the Transport's connections; what is in flight, and what is sent later, ends as DISCONNECT. The client that
// the Transport was made from goes on. Close may be called again.
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

// Send performs r once. A request that has left and is not answered within r.Timeout ends as DISCONNECT, as it does in
// Apache Kafka's client, which gives up a connection that does not answer; one that could not leave in that time (no
// connection yet) ends as SEND_TIMEOUT. When ctx ends first it is the same. A lookup also ends, as DISCONNECT, after the
// client's kgo.RequestTimeoutOverhead, so that a hung broker does not hold up the next broker's turn; no other limit of
// franz-go's cuts a request short, but for the dialer's own.
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
		return heartbeat.Response{ID: r.ID, Code: end.code, Err: &RequestError{API: r.API, Broker: end.broker, Sent: out.sent.Load(), Err: end.err}}
	}
	response, coordinator := decode(answer)
	response.ID = r.ID
	if coordinator != nil && response.Code == classic.CodeNone {
		t.learn(response.Node, net.JoinHostPort(coordinator.Host, strconv.Itoa(int(coordinator.Port))))
	}
	return response
}

// ask sends to the coordinator.
func (t *Transport) ask(ctx context.Context, node int32, out *outgoing) (kmsg.Response, ending) {
	b, err := t.broker(node)
	if err != nil {
		return nil, ending{code: classic.CodeDisconnect, err: err}
	}
	l, err := b.take(out.held)
	if err != nil {
		return nil, ending{code: classic.CodeDisconnect, broker: b.addr, err: err}
	}
	answer, end := exchange(ctx, l.broker, t.settings, out)
	end.broker = b.addr
	// A connection that has not answered in time, or answers what is no answer, is not asked again. A lane whose request
	// ended otherwise than by an answer is given up too: franz-go is still closing its connection, and the next request
	// would fall into that.
	spent := end.err != nil && (out.held || ctx.Err() == context.DeadlineExceeded || end.code == classic.CodeMalformed)
	b.give(l, out.held, spent)
	return answer, end
}

// learn takes the address of a coordinator from FindCoordinator's answer, which is right at once when a broker has moved;
// franz-go's metadata may be minutes old.
func (t *Transport) learn(node int32, addr string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.nodes[node] = addr
}

func (t *Transport) broker(node int32) (*broker, error) {
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
		b = newBroker(addr, t.settings)
		t.brokers[addr] = b
	}
	return b, nil
}
