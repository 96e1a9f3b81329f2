package franz

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime/metrics"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// FuzzTransport lets a broker answer a member whatever the fuzzer likes, in frames of any size and in any pieces, late, twice
// or never, and to the handshake too. No panic and no goroutine is left; every request ends within its time in a way that
// the rules know; nothing makes room for what has not come; and the member's Core goes on.
func FuzzTransport(f *testing.F) {
	for _, seed := range hostileSeeds() {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, script []byte) { endure(t, script) })
}

// endure lets a member live among brokers that do what a script says, and says how many requests it has sent.
func endure(t *testing.T, script []byte) (requests uint64) {
	before := allocated()
	synctest.Test(t, func(t *testing.T) {
		h := newHostility(t, script)
		h.run()
		requests = h.last
	})
	if made := allocated() - before; made > mostMemory {
		t.Errorf("%d bytes of answers have made the member use %d bytes of memory", len(script), made)
	}
	return requests
}

// mostMemory is what one member may allocate in all that a script makes happen to it. A client and its connections take
// some hundred KiB; the rest is for as many clients as a script can make it connect.
const mostMemory = 64 << 20

// mostFrame is what the member's client allows an answer to say of its size.
const mostFrame = 64 << 10

// allocated is how much this process has allocated so far.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// hostility is one member of a group whose brokers do what a script says.
type hostility struct {
	t      *testing.T
	script *script
	core   *heartbeat.Core
	began  time.Time
	inbox  chan heartbeat.Input
	last   uint64 // id of the last request
	open   int    // requests under way
	polls  bool   // a poll waits
}

func newHostility(t *testing.T, bytes []byte) *hostility {
	core, err := heartbeat.NewCore(heartbeat.Config{
		Group: "g", ProtocolType: "work", Protocols: []heartbeat.Protocol{{Name: "p", Metadata: []byte("mine")}}, Seed: 1,
		SessionTimeout: 3 * time.Second, HeartbeatInterval: time.Second, MaxPollInterval: 4 * time.Second, RequestTimeout: 2 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	return &hostility{t: t, script: &script{rest: bytes}, core: core, began: time.Now(), inbox: make(chan heartbeat.Input, 64)}
}

// mostSteps is how much may happen to a member in one script.
const mostSteps = 120

// run lets the member live until the script is used up.
func (h *hostility) run() {
	ctx, cancel := context.WithCancel(context.Background())
	client, err := kgo.NewClient(
		kgo.Dialer(h.dial), kgo.SeedBrokers("localhost:9001"), kgo.DisableClientMetrics(),
		kgo.BrokerMaxReadBytes(mostFrame), kgo.FetchMaxBytes(mostFrame),
	)
	if err != nil {
		h.t.Fatal(err)
	}
	transport := New(client)
	h.step(heartbeat.Poll{}, ctx, transport)
	for steps := 0; steps < mostSteps && h.script.left(); steps++ {
		if !h.polls {
			h.step(heartbeat.Poll{}, ctx, transport)
		}
		var passed <-chan time.Time
		if deadline, ok := h.core.Deadline(); ok {
			passed = time.After(deadline - time.Since(h.began))
		} else if h.open == 0 {
			h.t.Fatal("the member waits for nothing")
		}
		select {
		case in := <-h.inbox:
			h.step(in, ctx, transport)
		case <-passed:
			h.step(heartbeat.Tick{}, ctx, transport)
		}
	}
	h.step(heartbeat.CloseAsked{}, ctx, transport)
	cancel()
	transport.Close()
	client.Close()
	for ; h.open > 0; h.open-- {
		for {
			if _, ok := (<-h.inbox).(heartbeat.Response); ok {
				break
			}
		}
	}
}

// step tells the Core something, and does what it wants.
func (h *hostility) step(in heartbeat.Input, ctx context.Context, transport *Transport) {
	switch in.(type) {
	case heartbeat.Poll:
		h.polls = true
	case heartbeat.Response:
		h.open--
	}
	for _, o := range h.core.Step(time.Since(h.began), in) {
		switch o := o.(type) {
		case heartbeat.Request:
			h.check(o)
			h.open++
			go h.send(ctx, transport, o)
		case heartbeat.PollEnded:
			h.polls = false
		case heartbeat.Callback:
			h.inbox <- heartbeat.CallbackEnded{}
		case heartbeat.RunAssignment:
			plan := []heartbeat.Assignment{{Member: o.Input.Leader, Data: []byte("all")}}
			h.inbox <- heartbeat.Assigned{Join: o.Join, Assignments: plan}
		}
	}
	switch s := h.core.Status(); {
	case s.State == classic.Unjoined && s.Generation != heartbeat.NoGeneration:
		h.t.Fatalf("unjoined, and in generation %d", s.Generation)
	case s.State.Joined() && s.Generation < 0:
		h.t.Fatalf("%s in generation %d", s.State, s.Generation)
	}
}

// check holds a request against what is asked for in any life.
func (h *hostility) check(r heartbeat.Request) {
	h.last++
	switch {
	case r.ID != h.last:
		h.t.Fatalf("request %d after %d", r.ID, h.last-1)
	case r.API != classic.InputFindCoordinator && r.Node < 0:
		h.t.Fatalf("%s to nobody", r.API)
	case (r.API == classic.InputHeartbeat || r.API == classic.InputSyncGroup) && (r.Generation < 0 || r.Member == ""):
		h.t.Fatalf("%s of %q in generation %d", r.API, r.Member, r.Generation)
	}
}

// send lets the transport carry a request, and holds its end against what a transport promises.
func (h *hostility) send(ctx context.Context, transport *Transport, r heartbeat.Request) {
	began := time.Now()
	answer := transport.Send(ctx, r)
	if took := time.Since(began); took > r.Timeout {
		h.t.Errorf("%s has taken %s, and had %s", r.API, took, r.Timeout)
	}
	if answer.ID != r.ID {
		h.t.Errorf("request %d was answered as %d", r.ID, answer.ID)
	}
	ended := ctx.Err() != nil && answer.Code == classic.CodeTransportClosed
	unanswered := ended || answer.Code == classic.CodeDisconnect || answer.Code == classic.CodeSendTimeout ||
		answer.Code == classic.CodeAuthenticationException || answer.Code == classic.CodeVersionMismatch
	var end *RequestError
	switch {
	case answer.Err != nil && !errors.As(answer.Err, &end):
		h.t.Errorf("%s ended with %v, which says nothing of the request", r.API, answer.Err)
	case answer.Err != nil && !unanswered && answer.Code != classic.CodeMalformed:
		h.t.Errorf("%s ended as %s: %v", r.API, answer.Code, answer.Err)
	}
	h.inbox <- answer
}

// dial connects the member's client to a broker of the script.
func (h *hostility) dial(ctx context.Context, _, addr string) (net.Conn, error) {
	if !strings.HasPrefix(addr, "localhost:90") {
		return nil, fmt.Errorf("nobody listens at %s", addr)
	}
	ours, theirs := net.Pipe()
	b := &hostileBroker{conn: ours, script: h.script, closed: make(chan struct{})}
	go b.talk()
	return theirs, nil
}
