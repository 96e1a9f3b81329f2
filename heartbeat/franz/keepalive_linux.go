package franz

import (
	"net"
	"syscall"
	"time"
)

// A JoinGroup is never given up for silence, as the broker holds it back until the whole group has joined. So a connection on
// which nothing arrives any more, because the broker's machine or the way to it is gone, must end by itself. Go's own
// keepalive takes 150 s, and none is sent while written bytes are not acknowledged: then Linux tries for 15 minutes.
const (
	probeIdle, probeInterval, probeCount = 10 * time.Second, 5 * time.Second, 3
	unacknowledged                       = probeIdle + probeCount*probeInterval // how long written bytes may be
)

// usual is what Go's dialer gives a connection of which nobody has said anything, by socket option.
var usual = map[int]int{syscall.TCP_KEEPIDLE: 15, syscall.TCP_KEEPINTVL: 15, syscall.TCP_KEEPCNT: 9, tcpUserTimeout: 0}

const tcpUserTimeout = 18 // TCP_USER_TIMEOUT of linux/tcp.h, in milliseconds

// keepAlive lets a connection end about 25 s after the last sign of the other side's kernel. One of which the user's dialer has
// said something else, or that is no TCP connection, it leaves as it is.
func keepAlive(conn net.Conn) {
	for {
		above, ok := conn.(interface{ NetConn() net.Conn }) // such as a *tls.Conn
		if !ok {
			break
		}
		conn = above.NetConn()
	}
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return
	}
	left := true
	_ = raw.Control(func(fd uintptr) {
		on, err := syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_KEEPALIVE)
		left = err != nil || on == 0
		for option, value := range usual {
			is, err := syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, option)
			left = left || err != nil || is != value
		}
		if !left {
			_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(unacknowledged/time.Millisecond))
		}
	})
	if !left {
		_ = tcp.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: probeIdle, Interval: probeInterval, Count: probeCount})
	}
}
