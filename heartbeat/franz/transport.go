package franz

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// Transport is a heartbeat.Transport over franz-go. One is enough for all members of a process, in however many groups.
type Transport struct {
	settings settings
	lookups  *lookups
	ends     func() bool  // stops the end of the client from closing the transport
	ended    func() error // not nil when the client has ended

	mu      sync.Mutex
	closed  bool
	nodes   map[int32]string   // addresses, as FindCoordinator gave them
	holding map[holding]int    // how many JoinGroups and SyncGroups are under way
	brokers map[string]*broker // by address, those that there are links to
}

var _ heartbeat.Transport = (*Transport)(nil)

// Option changes how a Transport is made.
type Option func(*options)

type options struct{ seed uint64 }

// WithSeed makes the Transport's choices follow from a number, so that a run can be repeated: when it opens a second
// connection, and which broker it first asks for a coordinator. Processes must differ in it, so that they do not do the same
// in the same moment; without it, New draws one.
func WithSeed(seed uint64) Option { return func(o *options) { o.seed = seed } }

// New makes a Transport that reaches brokers as cl does. It reads cl's options once, and connects when it first has
// something to send. It ends with cl, or by Close. It panics where cl is nil.
func New(cl *kgo.Client, opts ...Option) *Transport {
	if cl == nil {
		panic("franz: New: the client is nil: make one with kgo.NewClient")
	}
	o := options{seed: drawSeed()}
	for _, opt := range opts {
		opt(&o)
	}
	s := settingsOf(cl, o.seed)
	t := &Transport{
		settings: s,
		nodes:    map[int32]string{},
		holding:  map[holding]int{},
		brokers:  map[string]*broker{},
	}
	t.lookups = newLookups(s, t.unsure)
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

// Send performs r. A request that is not answered within r.Timeout ends as DISCONNECT, as it does in Apache Kafka's
// client, which gives up a broker that does not answer, and one that it cannot connect to. Only one that could not
// leave in that time though there was a connection, because the broker throttles it, say, ends as SEND_TIMEOUT. When ctx
// ends first it is the same. No limit of franz-go's cuts a request short, but for the dialer's own. Of the Response, Err is
// a *RequestError where the request was not answered.
//
// Connections that members share stay open when a request's time is over or its ctx ends: the answer is dropped when it
// comes. A shared connection is given up for new requests when it has failed, or when it has answered nothing for the
// longest Timeout of the requests on it.
//
// A Heartbeat with r.Again that is not answered within it is sent again on a second connection to the same broker, which
// all members share; where the first connection has been silent before, that time counts, too. When the second is answered
// first, it takes the first one's place.
//
// An OffsetCommit takes the same connection as the ones before it as long as that lives, also when those were not answered
// in time or were given up: the broker then carries them out in order. Only when the connection fails, or has answered
// nothing for the longest Timeout while the broker has answered on others, the next commit takes a new one. Then the broker
// may receive the older commit later than the newer one, and the older offset wins, within the same generation.
//
// A JoinGroup and a SyncGroup have a connection each, which closes when they end without an answer. A LeaveGroup waits
// neither behind them nor behind a Heartbeat.
//
// On Linux a connection ends about 25 s after the last sign of the other side's kernel, and what waits on it ends as
// DISCONNECT, a JoinGroup too. It does not where the client's dialer has set keepalive or TCP_USER_TIMEOUT itself, or returns no
// TCP connection. Nor does TCP see a process that hangs, or a proxy that acknowledges what it does not pass on: a JoinGroup
// then waits for r.Timeout, or for its ctx, which a Member cancels when a lookup names another coordinator.
//
// One lookup is under way for a group at a time: concurrent FindCoordinators of its members share the answer. A broker that
// has not answered for 500 ms is left to answer later, and the next one is asked. Brokers that have answered lately come
// first. While they name the same node, or none, the pauses between lookups grow to 2 s, and in a long outage to
// 2.5 s.
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
		found := t.lookups.ask(ctx, r)
		answer, end = found.answer, found.end
	} else {
		answer, end = t.ask(ctx, r, out)
	}
	if end.err != nil {
		if t.over() {
			end.code = classic.CodeTransportClosed
		}
		return heartbeat.Response{ID: r.ID, Code: end.code, Err: &RequestError{API: r.API, Broker: end.broker, Sent: end.sent || out.sent.Load(), Err: end.err}}
	}
	response, coordinator := decode(answer, r)
	response.ID = r.ID
	if response.Err != nil {
		response.Err = &RequestError{API: r.API, Broker: end.broker, Sent: true, Err: response.Err}
	}
	if coordinator != nil && response.Code == classic.CodeNone {
		t.learn(response.Node, net.JoinHostPort(coordinator.Host, strconv.Itoa(int(coordinator.Port))))
	}
	return response
}

// over reports whether nothing can be sent any more.
func (t *Transport) over() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.closed || t.ended() != nil
}

// ask sends to the coordinator.
func (t *Transport) ask(ctx context.Context, r heartbeat.Request, out *outgoing) (kmsg.Response, ending) {
	if err := r.Turn.Wait(ctx); err != nil {
		return nil, ending{code: classic.CodeDisconnect, err: fmt.Errorf("an earlier commit waits for its connection: %w", err)}
	}
	l, err := t.take(r.Node, out.route, r.Timeout)
	if err != nil {
		return nil, ending{code: classic.CodeDisconnect, err: err}
	}
	if out.route == held {
		h := holding{r.Node, r.Group}
		t.hold(h, 1)
		defer t.hold(h, -1)
	}
	a := &attempt{link: l, out: out}
	if out.route == prompt && r.Again > 0 {
		return twice(ctx, a, r)
	}
	a.run(ctx)
	l.give(a.use(ctx))
	return a.answer, a.end
}

// take is a link to a node for one request, which has limit for its answer.
func (t *Transport) take(node int32, r route, limit time.Duration) (*link, error) {
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
	l, err := b.take(r, limit)
	if err != nil {
		return nil, fmt.Errorf("broker %d at %s: %w", node, addr, err)
	}
	t.brokers[addr] = b
	return l, nil
}

// holding is a node that a JoinGroup or SyncGroup of a group was sent to, and that has not answered it.
type holding struct {
	node  int32
	group string
}

func (t *Transport) hold(h holding, change int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.holding[h] += change; t.holding[h] == 0 {
		delete(t.holding, h)
	}
}

// unsure is the nodes that have not answered a heartbeat for d, or hold a request of the group: they may not be its
// coordinator any more without knowing it, so another broker is to be asked.
func (t *Transport) unsure(group string, d time.Duration) []int32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	var nodes []int32
	for node, addr := range t.nodes {
		b := t.brokers[addr]
		if b != nil && b.silence() >= d || t.holding[holding{node, group}] > 0 {
			nodes = append(nodes, node)
		}
	}
	return nodes
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
