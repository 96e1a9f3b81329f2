package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/goleak"

	"github.com/kbeat/kbeat/tools/commandline"
	"github.com/kbeat/kbeat/tools/kbeat/event"
)

// patience is how long a process may take for what takes a moment: machines that build and test have much else to do.
const patience = time.Minute

// process is the command in a process of its own.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	done   chan struct{}
	stderr lockedBuffer

	mu     sync.Mutex
	events []event.Event // of --json
	lines  []string      // of standard output
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func start(t *testing.T, args ...string) *process {
	self, err := os.Executable()
	require.NoError(t, err)
	p := &process{t: t, cmd: exec.Command(self), done: make(chan struct{})}
	p.cmd.Args = append([]string{"kbeat"}, args...) // by this name TestMain runs main
	p.cmd.Stderr = &p.stderr
	out, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	go func() {
		defer close(p.done)
		scanner := bufio.NewScanner(out)
		scanner.Buffer(nil, 1<<20)
		for scanner.Scan() {
			p.read(scanner.Text())
		}
		_ = p.cmd.Wait() // how it ended is in ProcessState
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.done
		if t.Failed() {
			t.Logf("on standard error: %s\non standard output: %s", p.stderr.String(), strings.Join(p.lines, "\n"))
		}
	})
	return p
}

func (p *process) read(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines = append(p.lines, line)
	var e event.Event
	if json.Unmarshal([]byte(line), &e) == nil {
		p.events = append(p.events, e)
	}
}

// has reports whether there is an event of this kind.
func (p *process) has(kind event.Kind) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.events {
		if e.Kind == kind {
			return true
		}
	}
	return false
}

// exits waits for the end, and returns the exit code.
func (p *process) exits() int {
	p.t.Helper()
	select {
	case <-p.done:
	case <-time.After(patience):
		require.Fail(p.t, "the process does not end")
	}
	return p.cmd.ProcessState.ExitCode()
}

func (p *process) signal(s os.Signal) { _ = p.cmd.Process.Signal(s) }

func newCluster(t *testing.T) *kfake.Cluster {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(4, "orders"))
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	return cluster
}

func member(t *testing.T, cluster *kfake.Cluster, args ...string) *process {
	p := start(t, append([]string{"run", "--json", "--brokers", cluster.ListenAddrs()[0], "--group", "g", "--topic", "orders"}, args...)...)
	require.Eventually(t, func() bool { return p.has(event.Assigned) }, patience, 10*time.Millisecond, "it never joins")
	return p
}

func TestASignalLeavesTheGroup(t *testing.T) {
	for _, name := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(name.String(), func(t *testing.T) {
			if signal.Ignored(name) {
				t.Skip("whoever runs this test has it ignored, as nohup does; so does what the test starts")
			}
			cluster := newCluster(t)
			p := member(t, cluster)
			require.Len(t, cluster.GroupInfo("g").Members, 1)
			p.signal(name)
			require.Zero(t, p.exits())
			require.Empty(t, cluster.GroupInfo("g").Members, "long before a session timeout")
			require.Equal(t, "kbeat: leaves the group, within 10s; the same again ends at once\n", p.stderr.String())
			last := p.events[len(p.events)-1]
			require.Equal(t, event.Result, last.Kind)
			require.True(t, *last.OK)
			require.Len(t, p.events, len(p.lines), "each line is an event")
			require.True(t, p.has(event.Revoked))
			require.True(t, p.has(event.End))
		})
	}
}

func TestASecondSignalEndsAtOnce(t *testing.T) {
	cluster := newCluster(t)
	cluster.ControlKey(kmsg.LeaveGroup.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		return nil, nil, true // is never answered, so that the first signal is waited for
	})
	p := member(t, cluster)
	p.signal(os.Interrupt)
	require.Eventually(t, func() bool { return strings.Contains(p.stderr.String(), "leaves the group") }, patience, 10*time.Millisecond)
	again := time.NewTicker(10 * time.Millisecond) // what comes with the first is its echo
	defer again.Stop()
	began := time.Now()
	for ended := false; !ended; {
		select {
		case <-p.done:
			ended = true
		case <-again.C:
			p.signal(os.Interrupt)
		}
		require.Less(t, time.Since(began), patience)
	}
	require.Equal(t, exitInterrupted, p.exits())
	require.Contains(t, p.stderr.String(), "interrupt again: ends at once, and leaves the group to its timeouts")
	require.Len(t, cluster.GroupInfo("g").Members, 1)
}

// The default show, as a process, in its time.
func TestTheEmbeddedGroup(t *testing.T) {
	t.Parallel()
	began := time.Now()
	p := start(t, "run")
	require.Zero(t, p.exits(), p.stderr.String())
	require.Less(t, time.Since(began), patience)
	require.Empty(t, p.stderr.String())
	out := strings.Join(p.lines, "\n")
	require.NotContains(t, out, "\x1b", "colours, and this is no terminal")
	require.Contains(t, out, "all is as it should be")
}

func TestTheEmbeddedGroupInterrupted(t *testing.T) {
	t.Parallel()
	p := start(t, "run", "--json")
	require.Eventually(t, func() bool { return p.has(event.Settled) }, patience, 10*time.Millisecond)
	p.signal(os.Interrupt)
	require.Equal(t, exitInterrupted, p.exits())
	last := p.events[len(p.events)-1]
	require.Equal(t, event.Result, last.Kind)
	require.False(t, *last.OK)
}

// What a run has begun ends with it.
func TestNothingIsLeftRunning(t *testing.T) {
	cluster := newCluster(t)
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	var out, said bytes.Buffer
	code := run(session{ctx: t.Context(), stdout: &out, stderr: &said, getenv: func(string) string { return "" }}, []string{
		"run", "--brokers", cluster.ListenAddrs()[0], "--group", "g", "--topic", "orders", "--members", "2", "--for", "100ms",
	})
	require.Zero(t, code, "%s%s", out.String(), said.String())
	require.Contains(t, out.String(), "in the end all was as it should be")
}

// A disk that is full is told of, and does not look like success.
func TestOutputThatCannotBeWritten(t *testing.T) {
	cluster := newCluster(t)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no disk that is always full")
	}
	defer full.Close()
	var said bytes.Buffer
	code := run(session{ctx: t.Context(), stdout: full, stderr: &said, getenv: func(string) string { return "" }}, []string{
		"run", "--json", "--brokers", cluster.ListenAddrs()[0], "--group", "g", "--topic", "orders", "--for", "100ms",
	})
	require.Equal(t, commandline.ExitIO, code)
	require.Contains(t, said.String(), "kbeat: what has happened cannot be written: ")
}

// Who reads the output may go (`kbeat run --json | head`): the member leaves as when a disk is full, and is not killed.
func TestOutputThatNobodyReads(t *testing.T) {
	cluster := newCluster(t)
	self, err := os.Executable()
	require.NoError(t, err)
	read, write, err := os.Pipe()
	require.NoError(t, err)
	var said lockedBuffer
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, self)
	cmd.Args = []string{"kbeat", "run", "--json", "--brokers", cluster.ListenAddrs()[0], "--group", "g", "--topic", "orders", "--for", "300ms"}
	cmd.Stdout, cmd.Stderr = write, &said
	require.NoError(t, cmd.Start())
	require.NoError(t, write.Close())
	_, err = read.Read(make([]byte, 1))
	require.NoError(t, err)
	require.NoError(t, read.Close())
	require.Error(t, cmd.Wait())
	require.Equal(t, commandline.ExitIO, cmd.ProcessState.ExitCode(), said.String())
	require.Contains(t, said.String(), "cannot be written: ")
}
