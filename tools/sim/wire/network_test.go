package wire

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// firstPort is the first broker's.
const firstPort = 9001

// dialing is how long a process tries to connect to a broker that does not say no.
const dialing = 10 * time.Second

var errRefused = errors.New("the connection is refused")

// network is what lies between the processes and the brokers.
type network struct {
	inner  kfake.VirtualNetwork
	closed chan struct{}  // ends whatever waits
	work   sync.WaitGroup // of the lines

	// onSent sees each request of a group that a process has sent.
	onSent func(l *line, r request)
	// onAnswered is called when a broker has answered one, and nobody knows yet.
	onAnswered func(l *line, r request, answer []byte)

	mu     sync.Mutex
	spells []*spell
	lines  map[*line]struct{}
	joins  map[*line]string // the member id in a JoinGroup that waits for its answer
}

func newNetwork() *network {
	return &network{closed: make(chan struct{}), lines: map[*line]struct{}{}, joins: map[*line]string{}}
}

// dial connects a process.
func (n *network) dial(who *process) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, dialing)
		defer cancel()
		node, err := nodeOf(addr)
		if err != nil {
			return nil, err
		}
		if err := n.reach(ctx, who, node); err != nil {
			return nil, err
		}
		inner, err := n.inner.DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		ours, theirs := net.Pipe()
		l := n.newLine(who, node, ours, inner)
		l.run()
		return theirs, nil
	}
}

// reach waits as long as a connection takes to come about; the error is that it does not.
func (n *network) reach(ctx context.Context, who *process, node int32) error {
	hangs := false
	n.mu.Lock()
	refused := who.dead
	for _, s := range n.spells {
		if s.meets(who, node, kmsg.Key(anyAPI)) {
			refused = refused || s.way == byCut && s.share == always
			hangs = hangs || s.share == always && (s.way == byNothing || s.gate != nil)
		}
	}
	n.mu.Unlock()
	switch {
	case hangs:
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-n.closed:
			return errRefused
		}
	case refused:
		return errRefused
	}
	return nil
}

func (n *network) newLine(who *process, node int32, client, broker net.Conn) *line {
	n.mu.Lock()
	defer n.mu.Unlock()
	l := &line{
		network: n, who: who, node: node, client: client, broker: broker,
		requests: make(chan request, 16), answers: make(chan []byte, 1), gone: make(chan struct{}), lost: make(chan struct{}),
	}
	n.lines[l] = struct{}{}
	l.roll(kmsg.ApiVersions, 0)
	if who.dead { // between the dial and now
		l.lose()
	}
	return l
}

// name gives a line its own dice when it is known what it is for. Several may be made at one instant, and in any order.
func (n *network) name(l *line, first kmsg.Key) {
	n.mu.Lock()
	defer n.mu.Unlock()
	l.named = true
	l.who.lines[first]++
	l.roll(first, l.who.lines[first])
}

// roll lets chance say how long the line is.
func (l *line) roll(first kmsg.Key, nth int) {
	l.dice = l.who.dice.fork(1000*uint64(first) + 10*uint64(nth) + uint64(l.node))
	l.way = l.dice.between(time.Millisecond, 5*time.Millisecond)
}

func (n *network) forget(l *line) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.lines, l)
}

// each calls f with the lines that are between somebody and some broker; nil and anyNode are all.
func (n *network) each(who *process, node int32, f func(*line)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for l := range n.lines {
		if (who == nil || l.who == who) && (node == anyNode || l.node == node) {
			f(l)
		}
	}
}

// waits notes that a JoinGroup of a member waits for its answer; "" that none does.
func (n *network) waits(l *line, id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if id == "" {
		delete(n.joins, l)
	} else {
		n.joins[l] = id
	}
}

// waiting are the ids of the members whose JoinGroup waits.
func (n *network) waiting() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Sorted(maps.Values(n.joins))
}

// bury lets nothing of a process reach anybody any more. Where its machine has lost its power, the brokers do not see it.
func (n *network) bury(who *process, powerless bool) {
	n.mu.Lock()
	who.dead = true
	n.mu.Unlock()
	end := (*line).kill
	if powerless {
		end = (*line).lose
	}
	n.each(who, anyNode, end)
}

// close ends all that waits, and all lines.
func (n *network) close() {
	close(n.closed)
	n.each(nil, anyNode, (*line).kill)
	n.work.Wait()
}

// cast begins a spell.
func (n *network) cast(s *spell) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.spells = append(n.spells, s)
}

// lift ends it.
func (n *network) lift(s *spell) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.spells = slices.DeleteFunc(n.spells, func(o *spell) bool { return o == s })
	if s.gate != nil {
		close(s.gate)
	}
}

// fate is what becomes of a request: what the spells that it meets do, one on top of the other.
func (n *network) fate(l *line, r request) (f fate) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, s := range n.spells {
		if s.meets(l.who, l.node, r.key) && l.dice.IntN(always) < s.share && !s.provesTooMuch(l.who) {
			s.befall(&f, r, l.dice)
		}
	}
	return f
}

// provesTooMuch reports whether a code that no broker has answered would prolong a lease: that the coordinator takes the member
// for alive is what it stands for.
func (s *spell) provesTooMuch(who *process) bool {
	return who.config.Lease && (s.way == byCode || s.way == byCodeAfter)
}

// answered tells of an answer.
func (n *network) answered(l *line, r request, answer []byte) {
	if r.Request != nil && n.onAnswered != nil {
		n.onAnswered(l, r, answer)
	}
}

// nodeOf is the broker at an address.
func nodeOf(addr string) (int32, error) {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(port)
	if err != nil || n < firstPort {
		return 0, fmt.Errorf("no broker listens at %s", addr)
	}
	return int32(n - firstPort), nil
}
