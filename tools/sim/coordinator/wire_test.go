package coordinator_test

import (
	"cmp"
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/heartbeat/franz"
)

// wire is a coordinator that requests reach by a network. Transport knows no rules, and gives each JoinGroup and SyncGroup
// a connection of its own.
type wire struct {
	t         testing.TB
	group     string
	client    *kgo.Client
	transport *franz.Transport
	node      int32

	ctx  context.Context // of all requests
	end  context.CancelFunc
	work sync.WaitGroup
}

func newWire(t testing.TB, group string, client *kgo.Client, transport *franz.Transport) *wire {
	w := &wire{t: t, group: group, client: client, transport: transport}
	w.ctx, w.end = context.WithCancel(context.Background())
	w.find()
	return w
}

// close lets nobody wait any longer.
func (w *wire) close() {
	w.end()
	w.work.Wait()
}

// find looks the coordinator up, and returns when it has the group.
func (w *wire) find() {
	for range 600 {
		r := w.transport.Send(w.ctx, heartbeat.Request{API: classic.InputFindCoordinator, Node: heartbeat.AnyBroker, Group: w.group, Timeout: 10 * time.Second})
		if w.node = r.Node; r.Code == classic.CodeNone && !w.ping().Retriable() && w.describable() {
			return
		}
		time.Sleep(100 * time.Millisecond) // brokers live in real time
	}
	require.Fail(w.t, "there is no coordinator", w.group)
}

// ping sends a request that changes nothing.
func (w *wire) ping() classic.Code {
	return w.transport.Send(w.ctx, heartbeat.Request{API: classic.InputHeartbeat, Node: w.node, Group: w.group, Member: "nobody", Timeout: 10 * time.Second}).Code
}

func (w *wire) send(r heartbeat.Request, f func(answer)) {
	r.Node, r.Group = w.node, w.group
	w.work.Go(func() {
		if a := w.transport.Send(w.ctx, r); w.ctx.Err() == nil {
			f(answer{Response: a})
		}
	})
}

func (w *wire) remove(members []heartbeat.JoinMember, f func(answer)) {
	req := kmsg.NewPtrLeaveGroupRequest()
	req.Group = w.group
	for _, m := range members {
		member := kmsg.NewLeaveGroupRequestMember()
		member.MemberID = m.ID
		if m.Instance != "" {
			member.InstanceID = &m.Instance
		}
		req.Members = append(req.Members, member)
	}
	w.ask(req, f, func(r kmsg.Response) (a answer) {
		for _, m := range r.(*kmsg.LeaveGroupResponse).Members {
			a.left = append(a.left, classic.Code(m.ErrorCode))
		}
		return a
	})
}

// describable reports whether the coordinator would describe the group. After a restart it serves members before.
func (w *wire) describable() bool {
	r, err := w.client.Broker(int(w.node)).Request(w.ctx, w.description())
	return err == nil && !classic.Code(r.(*kmsg.DescribeGroupsResponse).Groups[0].ErrorCode).Retriable()
}

func (w *wire) description() kmsg.Request {
	req := kmsg.NewPtrDescribeGroupsRequest()
	req.Groups = []string{w.group}
	return req
}

func (w *wire) describe(f func(answer)) {
	w.ask(w.description(), f, func(r kmsg.Response) answer {
		g := r.(*kmsg.DescribeGroupsResponse).Groups[0]
		a := answer{state: cmp.Or(g.State, classic.Code(g.ErrorCode).String())}
		for _, m := range g.Members {
			a.ids = append(a.ids, m.MemberID)
		}
		return a
	})
}

// ask sends what members do not.
func (w *wire) ask(req kmsg.Request, f func(answer), read func(kmsg.Response) answer) {
	w.work.Go(func() {
		switch r, err := w.client.Broker(int(w.node)).Request(w.ctx, req); {
		case err == nil:
			f(read(r))
		case w.ctx.Err() == nil:
			f(answer{state: err.Error()})
		}
	})
}

// restart is no request: who plays a script that has one makes another wire to the coordinator that has come back.
func (w *wire) restart() {}

// prompt is how soon a coordinator answers to whom it can answer, unless it or its machine is busy.
const prompt = 40 * time.Millisecond

// pass lets a busy coordinator have more time: it cannot be seen to hold a request back before it has seen that.
func (w *wire) pass(d time.Duration) {
	time.Sleep(d)
	for range 20 {
		began := time.Now()
		if w.ping(); time.Since(began) < prompt {
			return
		}
		time.Sleep(prompt)
	}
}
