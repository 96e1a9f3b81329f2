//go:build kafka && linux

package broker_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/tools/kafkatest/broker"
)

// The test runs itself as a process that starts a broker and hangs, and kills that process.
func TestABrokerDiesWithItsTest(t *testing.T) {
	const role = "KBEAT_BROKER_PARENT"
	if os.Getenv(role) != "" {
		fmt.Println("listens " + broker.Start(t).Addrs()[0])
		<-t.Context().Done()
	}
	parent := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	parent.Env = append(os.Environ(), role+"=1")
	out, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())

	var addr string
	for lines := bufio.NewScanner(out); addr == "" && lines.Scan(); {
		addr, _ = strings.CutPrefix(lines.Text(), "listens ")
	}
	require.NotEmpty(t, addr, "the other process never said where its broker listens")
	conn, err := net.Dial("tcp", addr)
	require.NoError(t, err, "the broker must listen while its parent lives")
	conn.Close()

	require.NoError(t, parent.Process.Kill())
	_ = parent.Wait()
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			conn.Close()
		}
		return err != nil
	}, time.Minute, 10*time.Millisecond, "the broker at %s has outlived its test", addr)
}
