// Package proxy stands before a cluster of brokers, and cuts one of its brokers, or one client, off from all others:
//
//	p := proxy.New()
//	defer p.Close()
//	cluster := broker.Start(t, broker.Brokers(3), broker.Behind(p.Front))
//	p.CutClient("a") // the client id of a member
//	p.Heal()
//
// No connection is closed or reset by a cut: bytes are swallowed, as where a network drops packets.
package proxy

import (
	"net"
	"regexp"
	"strconv"
	"sync"
	"time"
)

// Proxy stands before all listeners of a cluster. It counts the requests by which a group's members look for their coordinator
// and join, and cuts off what it is told to. It listens on 127.0.0.1, on ports that are free. Its methods may be called from any
// goroutine.
type Proxy struct {
	mu        sync.Mutex
	broker    int32  // that is cut off; 0: none
	client    string // whose connections are cut off; "": none
	closed    bool
	listeners []net.Listener
	conns     map[net.Conn]bool
	counted   []Counted
	running   sync.WaitGroup
}

// Counted is a request that was seen.
type Counted struct {
	Request
	At time.Time
}

// New makes a Proxy that stands before nothing yet.
func New() *Proxy { return &Proxy{conns: map[net.Conn]bool{}} }

// Front listens for a broker, and returns where. It is what broker.Behind wants.
func (p *Proxy) Front(broker int32, target string) (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	p.mu.Lock()
	p.listeners = append(p.listeners, l)
	p.mu.Unlock()
	p.running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return // closed
			}
			p.running.Go(func() { (&link{proxy: p, to: broker, target: target, near: conn}).run() })
		}
	})
	return l.Addr().String(), nil
}

// Cut swallows from now on what a broker receives and sends. A connection of which bytes were swallowed stays silent also after
// Heal. It replaces an earlier cut.
func (p *Proxy) Cut(broker int32) { p.swallow(broker, "") }

// CutClient is Cut for the connections of a client, which its client id names.
func (p *Proxy) CutClient(id string) { p.swallow(0, id) }

// Heal ends a cut.
func (p *Proxy) Heal() { p.swallow(0, "") }

func (p *Proxy) swallow(broker int32, client string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.broker, p.client = broker, client
}

func (p *Proxy) isOff(l *link) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.broker != 0 && (p.broker == l.to || p.broker == l.from) || p.client != "" && p.client == l.client
}

func (p *Proxy) count(r Request) {
	if r.API != FindCoordinator && r.API != JoinGroup {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counted = append(p.counted, Counted{r, time.Now()})
}

// Requests is all that was counted.
func (p *Proxy) Requests() []Counted {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.counted[:len(p.counted):len(p.counted)]
}

// Close closes all listeners and connections and returns when nothing runs any more.
func (p *Proxy) Close() {
	p.mu.Lock()
	p.closed = true
	for _, l := range p.listeners {
		l.Close()
	}
	for c := range p.conns {
		c.Close()
	}
	p.mu.Unlock()
	p.running.Wait()
}

// keep remembers a connection for Close, and reports whether there is still time for it.
func (p *Proxy) keep(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		c.Close()
		return false
	}
	p.conns[c] = true
	return true
}

func (p *Proxy) end(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
	c.Close()
}

// brokerClient is the client id of a broker's or controller's own requests to another one; clients of groups have others.
var brokerClient = regexp.MustCompile(`^(?:raft-client-|broker-)?(\d+)(?:-fetcher-\d+)?$`)

// brokerOf is the broker that has that client id, or 0.
func brokerOf(client string) int32 {
	m := brokerClient.FindStringSubmatch(client)
	if m == nil {
		return 0
	}
	id, err := strconv.ParseInt(m[1], 10, 32)
	if err != nil {
		return 0
	}
	return int32(id)
}
