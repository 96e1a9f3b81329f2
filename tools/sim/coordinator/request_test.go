package coordinator_test

import (
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// topic has one partition.
const topic = "t"

// apis are the requests that members send.
var apis = map[string]classic.Input{
	"join":      classic.InputJoinGroup,
	"sync":      classic.InputSyncGroup,
	"heartbeat": classic.InputHeartbeat,
	"leave":     classic.InputLeaveGroup,
	"commit":    classic.InputOffsetCommit,
}

// request is what a step sends: what the person is and knows, but for what the step says.
func (p *player) request(x *person, s step) heartbeat.Request {
	api, ok := apis[s.verb]
	require.True(p.t, ok, "%s: nobody can do that", s)
	r := heartbeat.Request{
		API: api, Timeout: time.Minute, Member: x.id, Instance: x.instance, Generation: x.generation,
		ProtocolType: x.kind, Protocols: x.protocols, SessionTimeout: x.session, RebalanceTimeout: x.rebalance,
	}
	if len(x.protocols) > 0 {
		r.Protocol = x.protocols[0].Name
	}
	if api == classic.InputOffsetCommit {
		r.Offsets = []heartbeat.Offset{{Topic: topic, Offset: 1, LeaderEpoch: -1}}
	}
	for _, arg := range s.args {
		key, value, _ := strings.Cut(arg, "=")
		switch key {
		case "id":
			r.Member = p.id(value)
		case "instance":
			r.Instance = value
		case "generation":
			n, err := strconv.Atoi(value)
			require.NoError(p.t, err, s)
			r.Generation = int32(n)
		case "protocol":
			r.Protocol = value
		case "type":
			r.ProtocolType = value
		default: // of an assignment
			require.Equal(p.t, classic.InputSyncGroup, api, "%s: what is %s?", s, arg)
			r.Assignments = append(r.Assignments, heartbeat.Assignment{Member: p.id(key), Data: []byte(value)})
		}
	}
	return r
}

// id is the member id that goes by a name, as transcripts have it: m1 is the first that m1 was given. ?NAME is one that
// no coordinator has given.
func (p *player) id(name string) string {
	if name == "none" {
		return ""
	}
	if unknown, ok := strings.CutPrefix(name, "?"); ok {
		return unknown
	}
	for id, n := range p.names {
		if n == name {
			return id
		}
	}
	require.Fail(p.t, "nobody was given the id "+name)
	return ""
}

// removed are those whom an administrator names: NAME by id and instance, id=NAME by id, instance=NAME by instance.
func (p *player) removed(args []string) (members []heartbeat.JoinMember) {
	for _, arg := range args {
		switch key, value, _ := strings.Cut(arg, "="); key {
		case "id":
			members = append(members, heartbeat.JoinMember{ID: p.id(value)})
		case "instance":
			members = append(members, heartbeat.JoinMember{Instance: value})
		default:
			x := p.person(arg)
			members = append(members, heartbeat.JoinMember{ID: x.id, Instance: x.instance})
		}
	}
	return members
}
