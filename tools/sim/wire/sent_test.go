package wire

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/tools/sim/judge"
)

// sent is what the wire and a trace have in common of a request.
type sent struct {
	api        classic.Input
	member     string
	generation int32 // of those that have one
}

// wrote notes that a request has left. The judge has heard of it by the member's trace; of what nobody there has sent it
// hears now.
func (p *process) wrote(r request) {
	what := onWire(r.Request)
	if !p.wanted.take(what, p.w.now()) {
		p.see(judge.Event{Kind: judge.Stray, API: what.api, Who: judge.Identity{MemberID: what.member, Generation: what.generation}})
	}
}

// onWire is what a request says of its sender.
func onWire(r kmsg.Request) sent {
	switch r := r.(type) {
	case *kmsg.FindCoordinatorRequest:
		return sent{api: classic.InputFindCoordinator}
	case *kmsg.JoinGroupRequest:
		return sent{api: classic.InputJoinGroup, member: r.MemberID}
	case *kmsg.SyncGroupRequest:
		return sent{classic.InputSyncGroup, r.MemberID, r.Generation}
	case *kmsg.HeartbeatRequest:
		return sent{classic.InputHeartbeat, r.MemberID, r.Generation}
	case *kmsg.OffsetCommitRequest:
		return sent{classic.InputOffsetCommit, r.MemberID, r.Generation}
	case *kmsg.LeaveGroupRequest:
		if len(r.Members) > 0 { // since version 3
			return sent{api: classic.InputLeaveGroup, member: r.Members[0].MemberID}
		}
		return sent{api: classic.InputLeaveGroup, member: r.MemberID}
	}
	panic(r) // is none of a group's
}
