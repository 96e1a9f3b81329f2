//go:build kafka

package kafkatest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sys/unix"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/heartbeat/franz"
)

// workerRole makes this test's binary a worker: a process that is a member with a lease. Its value is a workerConfig.
const workerRole = "KBEAT_LEASE_WORKER"

// tick is how often a worker writes.
const tick = 3 * time.Millisecond

// requestTimeout is short, so that what a cut has swallowed is soon sent again.
const requestTimeout = 5 * time.Second

type workerConfig struct {
	Brokers                []string
	Group, Name            string
	Session, Interval, Max time.Duration
}

// clock is the system's monotonic clock.
func clock() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		panic(err)
	}
	return time.Duration(now.Nano())
}

// runWorker is a worker's life, which ends when nobody is left who started it. It prints, a line each:
//
//	state STATE                                      it has got there
//	work VALID                                       a generation's work has begun, and whether its session is valid
//	write TIME DEADLINE GENERATION PARTITION,…       its session was valid at that time or later
func runWorker(config string) error {
	var c workerConfig
	if err := json.Unmarshal([]byte(config), &c); err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers...), kgo.ClientID(c.Name))
	if err != nil {
		return err
	}
	consumer, err := franz.NewConsumer(cl, []string{"t"}, kgo.StickyBalancer())
	if err != nil {
		return err
	}
	m, err := consumer.NewMember(heartbeat.Config{
		Group: c.Group, SessionTimeout: c.Session, HeartbeatInterval: c.Interval, MaxPollInterval: c.Max, RequestTimeout: requestTimeout, Lease: true,
	}, franz.New(cl), franz.ConsumerCallbacks{},
		heartbeat.WithLogger(slog.New(slog.NewTextHandler(os.Stderr, nil))),
		heartbeat.WithHooks(fsm.Hooks[classic.State]{Enter: func(s classic.State) { fmt.Println("state", s) }}))
	if err != nil {
		return err
	}
	for {
		err := m.Run(context.Background(), func(ctx context.Context, s *heartbeat.Session, p franz.Partitions) error {
			fmt.Println("work", s.Valid())
			partitions := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(p["t"])), ","), "[]")
			for each := time.NewTicker(tick); ; {
				// The time is read first: where the process is stopped between the two, the session is found not to be valid.
				now := clock()
				if !s.Valid() {
					<-ctx.Done()
					return nil
				}
				if deadline, leased := s.Deadline(); leased && partitions != "" {
					fmt.Println("write", int64(now), int64(clock()+time.Until(deadline)), s.Generation(), partitions)
				}
				select {
				case <-each.C:
				case <-ctx.Done():
					return nil
				}
			}
		})
		fmt.Fprintln(os.Stderr, "run:", err)
		time.Sleep(100 * time.Millisecond) // the brokers live in real time
	}
}

// worker is a process that runWorker runs.
type worker struct {
	t    *testing.T
	name string
	cmd  *exec.Cmd
	said bytes.Buffer // on its standard error; when done is closed
	done chan struct{}

	mu     sync.Mutex
	stopIn string // the state in which it is to be stopped
	stopAt time.Duration
	spans  map[[2]int32]*span // by partition and generation
	owns   []int32            // by its last write
	last   time.Duration      // of that
	late   int                // how often work has begun in a session that was not valid
	err    error              // of what it has printed
}

func startWorker(t *testing.T, c workerConfig) *worker {
	t.Helper()
	w := &worker{t: t, name: c.Name, done: make(chan struct{}), spans: map[[2]int32]*span{}}
	config, err := json.Marshal(c)
	require.NoError(t, err)
	w.cmd = exec.Command(os.Args[0])
	w.cmd.Env = append(os.Environ(), workerRole+"="+string(config))
	w.cmd.Stderr = &w.said
	out, err := w.cmd.StdoutPipe()
	require.NoError(t, err)
	_, err = w.cmd.StdinPipe() // closed when the test's process ends
	require.NoError(t, err)
	require.NoError(t, w.cmd.Start())
	go func() {
		defer close(w.done)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			w.read(lines.Text())
		}
		_ = w.cmd.Wait()
	}()
	t.Cleanup(func() {
		w.kill()
		if t.Failed() {
			t.Logf("%s said:\n%s", w.name, w.said.String())
		}
	})
	return w
}

func (w *worker) kill() {
	_ = w.cmd.Process.Kill()
	<-w.done
}

func (w *worker) read(line string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	kind, rest, _ := strings.Cut(line, " ")
	switch kind {
	case "state":
		if rest == w.stopIn {
			w.stopIn = ""
			w.signal(syscall.SIGSTOP)
		}
	case "work":
		if rest != "true" {
			w.late++
		}
	case "write":
		var at, deadline int64
		var generation int32
		var list string
		if _, err := fmt.Sscan(rest, &at, &deadline, &generation, &list); err != nil {
			w.err = fmt.Errorf("%s printed %q: %w", w.name, line, err)
			return
		}
		w.last, w.owns = time.Duration(at), w.owns[:0]
		for text := range strings.SplitSeq(list, ",") {
			var p int32
			if _, err := fmt.Sscan(text, &p); err != nil {
				w.err = fmt.Errorf("%s printed %q: %w", w.name, line, err)
				return
			}
			w.owns = append(w.owns, p)
			s := w.spans[[2]int32{p, generation}]
			if s == nil {
				s = &span{member: w.name, partition: p, generation: generation, first: w.last}
				w.spans[[2]int32{p, generation}] = s
			}
			s.last, s.deadline = w.last, time.Duration(deadline)
		}
	default:
		w.err = fmt.Errorf("%s printed %q", w.name, line)
	}
}

// signal needs the lock, which tells when it was.
func (w *worker) signal(s syscall.Signal) {
	w.stopAt = clock()
	_ = w.cmd.Process.Signal(s) // fails only when the process is gone
}

func (w *worker) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.signal(syscall.SIGSTOP)
}

// stopWhen stops it as soon as it says that it is in a state.
func (w *worker) stopWhen(s classic.State) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopIn = s.String()
}

func (w *worker) resume() { _ = w.cmd.Process.Signal(syscall.SIGCONT) }

// stopped is when it was stopped; 0 if it was not.
func (w *worker) stopped() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stopAt
}

// owned is what it has written for since a time.
func (w *worker) owned(since time.Duration) []int32 {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last < since {
		return nil
	}
	return slices.Clone(w.owns)
}
