//go:build kafka

package kafkatest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat/franz"
	"github.com/kbeat/kbeat/tools/kafkatest/broker"
	"github.com/kbeat/kbeat/tools/kbeat/event"
)

// The times of the processes: short, and long enough for a machine that has much else to do.
const (
	sessionTimeout = 20 * time.Second
	interval       = 500 * time.Millisecond
)

// binary is the command, which TestMain builds.
var binary string

func TestMain(m *testing.M) {
	if config := os.Getenv(workerRole); config != "" {
		log.Fatal(runWorker(config))
	}
	dir, err := os.MkdirTemp("", "kbeat")
	if err != nil {
		log.Fatal(err)
	}
	binary = filepath.Join(dir, "kbeat")
	if out, err := exec.Command("go", "build", "-o", binary, "github.com/kbeat/kbeat/tools/kbeat").CombinedOutput(); err != nil {
		log.Fatalf("the command cannot be built: %v\n%s", err, out)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// process is one `kbeat run --json`, which is one member.
type process struct {
	t    *testing.T
	name string
	cmd  *exec.Cmd
	said bytes.Buffer // on its standard error; when done is closed
	done chan struct{}

	mu     sync.Mutex
	events []event.Event
	err    error // of what it has written; when done is closed
}

// start starts a member of group "g" that wants topic "t".
func start(t *testing.T, cluster *broker.Cluster, name string, args ...string) *process {
	t.Helper()
	p := &process{t: t, name: name, done: make(chan struct{})}
	p.cmd = exec.Command(binary, append([]string{
		"run", "--json", "--brokers", cluster.Addrs()[0], "--group", "g", "--topic", "t", "--client-id", name,
		"--session-timeout", sessionTimeout.String(), "--heartbeat-interval", interval.String(),
		"--for", "15m", // it ends by itself if nobody is left to end it
	}, args...)...)
	out, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	p.cmd.Stderr = &p.said
	require.NoError(t, p.cmd.Start())
	go func() {
		defer close(p.done)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			p.read(lines.Bytes())
		}
		_ = p.cmd.Wait() // how it ended is in ProcessState
	}()
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("%s: %s, said %q; its last events:\n%s", p.name, p.cmd.ProcessState, p.said.String(), p.last(15))
		}
	})
	return p
}

func (p *process) read(line []byte) {
	var e event.Event
	err := json.Unmarshal(line, &e)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.err = fmt.Errorf("%s has written %q: %w", p.name, line, err)
		return
	}
	p.events = append(p.events, e)
}

func (p *process) signal(s os.Signal) { _ = p.cmd.Process.Signal(s) }

// kill ends the process by SIGKILL, and waits until it is gone.
func (p *process) kill() {
	p.signal(syscall.SIGKILL)
	<-p.done
}

// leave ends the process by SIGTERM, and checks that it took that for a good end.
func (p *process) leave() {
	p.t.Helper()
	p.signal(syscall.SIGTERM)
	<-p.done
	require.NoError(p.t, p.err)
	require.Zero(p.t, p.cmd.ProcessState.ExitCode(), "%s said %q", p.name, p.said.String())
	all := p.all()
	last := all[len(all)-1]
	require.Equal(p.t, event.Result, last.Kind)
	require.True(p.t, *last.OK, "%s: %v", p.name, last.Problem)
}

func (p *process) all() []event.Event {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.events[:len(p.events):len(p.events)]
}

// now is how many events there are: what comes from there on is new.
func (p *process) now() int { return len(p.all()) }

// since is the events of some kinds after a moment that now has given.
func (p *process) since(n int, kinds ...event.Kind) (found []event.Event) {
	for _, e := range p.all()[n:] {
		for _, k := range kinds {
			if e.Kind == k {
				found = append(found, e)
			}
		}
	}
	return found
}

// work is what the process says that it owns, and under which identity.
func (p *process) work() (e event.Event) {
	for _, c := range p.since(0, event.Assigned, event.Revoked, event.Lost) {
		e = c
	}
	return e
}

func (p *process) owned() franz.Partitions { return franz.Partitions(p.work().Owned) }

// joins is how often it has become STABLE.
func (p *process) joins() (n int) {
	for _, e := range p.since(0, event.State) {
		if e.State == classic.Stable.String() {
			n++
		}
	}
	return n
}

func (p *process) last(n int) string {
	var text bytes.Buffer
	all := p.all()
	for _, e := range all[max(0, len(all)-n):] {
		line, _ := json.Marshal(e)
		fmt.Fprintf(&text, "%s\n", line)
	}
	return text.String()
}

// agree waits until the processes own as many partitions as said, each partition has one owner, and Kafka's own admin has
// the same members with the same partitions, and no others.
func agree(t *testing.T, cluster *broker.Cluster, shares map[*process]int) {
	t.Helper()
	var last string
	require.Eventually(t, func() bool {
		g, err := describe(t, cluster, "g")
		if err != nil {
			last = err.Error()
			return false
		}
		assigned := map[string]string{}
		for _, m := range g.Members {
			given := franz.Partitions{}
			if a, ok := m.Assigned.AsConsumer(); ok {
				for _, topic := range a.Topics {
					given[topic.Topic] = topic.Partitions
				}
			}
			assigned[m.MemberID] = given.String()
		}
		last = fmt.Sprintf("Kafka: %s %v", g.State, assigned)
		ok := g.State == "Stable" && len(assigned) == len(shares)
		for p, share := range shares {
			owned := p.owned()
			last += fmt.Sprintf("; %s: %s", p.name, owned)
			ok = ok && len(owned["t"]) == share && assigned[p.work().MemberID] == owned.String()
		}
		return ok
	}, patience, 50*time.Millisecond, "%s", &late{&last})
}
