package proxy

import (
	"net"
	"sync/atomic"
)

// link is a connection through the proxy.
type link struct {
	proxy  *Proxy
	to     int32 // broker
	target string
	near   net.Conn // to who has connected
	client string   // who that is; "": not known yet
	from   int32    // the broker that it is; 0: none, or not known yet
	dead   atomic.Bool
}

// run copies until the connection ends. Who connects speaks first in Kafka's protocol, and says who it is.
func (l *link) run() {
	if !l.proxy.keep(l.near) {
		return
	}
	var first int
	frames := frames{on: func(r Request) {
		if first++; first == 1 {
			l.client, l.from = r.Client, brokerOf(r.Client)
		}
		l.proxy.count(r)
	}}
	buffer := make([]byte, 64<<10)
	var held []byte
	for first == 0 && !frames.lost {
		n, err := l.near.Read(buffer)
		frames.write(buffer[:n])
		held = append(held, buffer[:n]...)
		if err != nil {
			l.proxy.end(l.near)
			return
		}
		if l.silent() {
			l.swallow(buffer, frames.write)
			return
		}
	}
	if l.silent() {
		l.swallow(buffer, frames.write)
		return
	}
	far, err := net.Dial("tcp", l.target)
	if err != nil {
		l.refuse()
		return
	}
	if !l.proxy.keep(far) {
		l.proxy.end(l.near)
		return
	}
	if _, err := far.Write(held); err != nil {
		l.proxy.end(l.near)
		l.proxy.end(far)
		return
	}
	l.proxy.running.Go(func() { l.copy(l.near, far, make([]byte, 64<<10), func([]byte) {}) })
	l.copy(far, l.near, buffer, frames.write)
}

// copy is one direction. Where the link is silent the other end is not told that this one has closed.
func (l *link) copy(to, from net.Conn, buffer []byte, see func([]byte)) {
	for {
		n, err := from.Read(buffer)
		see(buffer[:n]) // a request was sent also where it is swallowed
		silent := l.silent()
		if n > 0 && !silent {
			if _, werr := to.Write(buffer[:n]); werr != nil {
				err = werr
			}
		}
		if err != nil {
			l.proxy.end(from)
			if !silent {
				l.proxy.end(to)
			}
			return
		}
	}
}

// silent reports whether bytes are swallowed; once some were, the rest could not be understood.
func (l *link) silent() bool {
	if l.proxy.isOff(l) {
		l.dead.Store(true)
	}
	return l.dead.Load()
}

func (l *link) swallow(buffer []byte, see func([]byte)) {
	for {
		n, err := l.near.Read(buffer)
		see(buffer[:n])
		if err != nil {
			l.proxy.end(l.near)
			return
		}
	}
}

// refuse resets the connection, as the kernel does where nobody listens.
func (l *link) refuse() {
	if c, ok := l.near.(*net.TCPConn); ok {
		_ = c.SetLinger(0) // only makes the end less like a refusal when it fails
	}
	l.proxy.end(l.near)
}
