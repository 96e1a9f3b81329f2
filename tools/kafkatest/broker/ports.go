package broker

import (
	"errors"
	"net"
)

// errPortTaken is a broker's end because somebody else listens on one of its ports.
var errPortTaken = errors.New("a port that was free has been taken")

// freePorts finds n ports on which nobody listens. They stay open until all are found, so that they differ.
func freePorts(n int) ([]int, error) {
	ports := make([]int, n)
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ports[i] = l.Addr().(*net.TCPAddr).Port
	}
	return ports, nil
}
