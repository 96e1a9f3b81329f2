package franz

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// FuzzAnswer is what FuzzTransport does without a network, and so much faster: the bytes of one answer are the fuzzer's, as
// they come out of a frame, in any version. What the member makes of them its Core takes, whatever it waited for.
func FuzzAnswer(f *testing.F) {
	for api := range answered {
		for version := range byte(10) {
			f.Add(byte(api), version, goodAnswer(answered[api].key, int16(version), 0, new(script))[4:])
			f.Add(byte(api), version, []byte{0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff})
			f.Add(byte(api), version, []byte{})
		}
	}
	f.Fuzz(func(t *testing.T, api, version byte, body []byte) { takeAnswer(t, api, version, body) })
}

// takeAnswer lets a member that waits for an answer have one of these bytes, and reports whether they are one.
func takeAnswer(t *testing.T, api, version byte, body []byte) bool {
	of := answered[int(api)%len(answered)]
	resp := of.key.Response()
	resp.SetVersion(int16(version) % (resp.MaxVersion() + 1))
	before := allocated()
	err := resp.ReadFrom(body)
	if made := allocated() - before; made > mostMemory {
		t.Errorf("an answer of %d bytes has made %s use %d bytes of memory", len(body), of.key.Name(), made)
	}
	if err != nil {
		return false // the transport says MALFORMED
	}
	answer, _ := decode(resp, heartbeat.Request{})
	member := waitingFor(t, of.input)
	answer.ID = member.request.ID
	asks := false
	for _, o := range member.core.Step(member.now, answer) {
		r, ok := o.(heartbeat.Request)
		asks = asks || ok
		if ok && (r.Node < 0) != (r.API == classic.InputFindCoordinator) {
			t.Errorf("%s to node %d after %+v", r.API, r.Node, answer)
		}
	}
	switch s := member.core.Status(); {
	case s.State == classic.Unjoined && s.Generation != heartbeat.NoGeneration:
		t.Errorf("unjoined, and in generation %d, after %+v", s.Generation, answer)
	case s.State.Joined() && (s.Generation < 0 || s.Member == ""):
		t.Errorf("%s as %q in generation %d, after %+v", s.State, s.Member, s.Generation, answer)
	}
	if _, ok := member.core.Deadline(); !ok && !asks && member.core.Status().State != classic.Unjoined {
		t.Errorf("the member waits for nothing after %+v", answer)
	}
	return true
}

// answered are the APIs of a group, with what the rules call their answers.
var answered = []struct {
	key   kmsg.Key
	input classic.Input
}{
	{kmsg.FindCoordinator, classic.InputFindCoordinator},
	{kmsg.JoinGroup, classic.InputJoinGroup},
	{kmsg.SyncGroup, classic.InputSyncGroup},
	{kmsg.Heartbeat, classic.InputHeartbeat},
	{kmsg.OffsetCommit, classic.InputOffsetCommit},
	{kmsg.LeaveGroup, classic.InputLeaveGroup},
}

// waiting is a member that waits for an answer.
type waiting struct {
	core    *heartbeat.Core
	now     time.Duration
	request heartbeat.Request
}

// waitingFor is one that waits for that of an API; all has gone well before.
func waitingFor(t *testing.T, api classic.Input) *waiting {
	core, err := heartbeat.NewCore(heartbeat.Config{Group: "g", ProtocolType: "work", Protocols: []heartbeat.Protocol{{Name: "p"}}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	w := &waiting{core: core}
	next := []heartbeat.Input{heartbeat.Poll{}}
	for range 20 {
		if len(next) == 0 {
			next = append(next, w.cause(api))
		}
		outputs := core.Step(w.now, next[0])
		next = next[1:]
		for _, o := range outputs {
			switch o := o.(type) {
			case heartbeat.Request:
				if w.request = o; o.API == api {
					return w
				}
				next = append(next, well(o))
			case heartbeat.Callback:
				next = append(next, heartbeat.CallbackEnded{})
			}
		}
	}
	t.Fatalf("no %s is sent", api)
	return nil
}

// cause is what makes a member that has joined send a request.
func (w *waiting) cause(api classic.Input) heartbeat.Input {
	switch api {
	case classic.InputOffsetCommit:
		return heartbeat.CommitAsked{ID: 1, Member: "m", Generation: 5, Offsets: []heartbeat.Offset{{Topic: "t", Offset: 7}}}
	case classic.InputLeaveGroup:
		return heartbeat.LeaveAsked{}
	}
	w.now += time.Second
	return heartbeat.Tick{}
}

// well is a good answer.
func well(r heartbeat.Request) heartbeat.Response {
	return heartbeat.Response{ID: r.ID, Node: 1, Generation: 5, Member: "m", Leader: "l"}
}
