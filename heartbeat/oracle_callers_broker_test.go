package heartbeat

import (
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

// callerAnswer ends a request at its time.
type callerAnswer struct {
	at      time.Duration
	request Request
	with    string
}

// callerLatency is how long a request is under way.
func callerLatency(api classic.Input) time.Duration {
	if api == classic.InputFindCoordinator {
		return 0
	}
	return 10 * time.Millisecond
}

// send lets a request end as the script says.
func (w *callerWorld) send(r Request) {
	with := w.next(r.API.String(), "NONE")
	if r.Node != AnyBroker && w.at < w.unavailable {
		w.due = append(w.due, callerAnswer{w.at, r, "DISCONNECT"})
		return
	}
	w.noteSent(r)
	at := w.at + callerLatency(r.API)
	if with == "SILENCE" || with == "SEND_TIMEOUT" {
		at = w.at + r.Timeout
		if r.API == classic.InputHeartbeat { // whose own limit is compared as it is sent
			at = w.at + w.config.RequestTimeout
		}
	}
	w.due = append(w.due, callerAnswer{at, r, with})
}

// answer tells the Core how a request has ended.
func (w *callerWorld) answer(a callerAnswer) {
	with, shape, _ := strings.Cut(a.with, ":")
	if with == "SILENCE" { // a connection on which nothing comes is cut
		with = "DISCONNECT"
	}
	code, err := classic.ParseCode(with)
	require.NoError(w.r.t, err)
	r := Response{ID: a.request.ID, Code: code}
	none := code == classic.CodeNone
	switch a.request.API {
	case classic.InputFindCoordinator:
		r.Node = 0
		if shape != "" { // heartbeat/franz decodes neither none nor two
			r.Code = classic.CodeMalformed
		}
	case classic.InputJoinGroup:
		if code == classic.CodeMemberIDRequired {
			w.members++
			r.Member = callerMember(w.members)
		}
		if none {
			r = w.joined(r, a.request, shape)
		}
	case classic.InputSyncGroup:
		if none {
			r.ProtocolType, r.Protocol = named("consumer", "connect", "_type", shape), named("range", "roundrobin", "_name", shape)
		}
	}
	w.step(r)
}

func (w *callerWorld) joined(r Response, asked Request, shape string) Response {
	w.generations++
	r.Generation, r.Member, r.Leader = w.generations, asked.Member, "leader"
	if r.Member == "" {
		w.members++
		r.Member = callerMember(w.members)
	}
	if w.fact.Leader {
		r.Leader, r.Members = r.Member, []JoinMember{{ID: r.Member}, {ID: "follower"}}
	}
	r.ProtocolType, r.Protocol = named("consumer", "connect", "_type", shape), new("range")
	return r
}

func callerMember(n int) string { return "member-" + string(rune('0'+n)) }

// named is what an answer names: nil, another than its own, or its own, by its shape.
func named(own, other, what, shape string) *string {
	switch shape {
	case "other" + what:
		return &other
	case "null" + what:
		return nil
	}
	return &own
}
