//go:build !linux

package franz

import "net"

// keepAlive leaves a connection as it is: Go's keepalive ends one that is idle and dead after 150 s.
func keepAlive(net.Conn) {}
