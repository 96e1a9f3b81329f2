package show

import (
	"context"
	"errors"
	"net"
	"sync"
)

// errCut is what a process sees of a network that it is cut off from.
var errCut = errors.New("the network is gone")

// wire is the network as one process has it. It can be cut.
type wire struct {
	dial func(ctx context.Context, network, address string) (net.Conn, error)

	mu    sync.Mutex
	isCut bool
	conns map[net.Conn]struct{}
}

// DialContext connects, as long as the wire is whole.
func (w *wire) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := w.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.isCut {
		conn.Close()
		return nil, errCut
	}
	if w.conns == nil {
		w.conns = map[net.Conn]struct{}{}
	}
	w.conns[conn] = struct{}{}
	return wired{conn, w}, nil
}

// cut ends all connections, and lets no new one come about.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isCut = true
	for conn := range w.conns {
		conn.Close()
	}
	w.conns = nil
}

// wired is a connection that its wire forgets when it is closed.
type wired struct {
	net.Conn
	wire *wire
}

func (c wired) Close() error {
	c.wire.mu.Lock()
	delete(c.wire.conns, c.Conn)
	c.wire.mu.Unlock()
	return c.Conn.Close()
}
