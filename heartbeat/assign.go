package heartbeat

//kbeat:pure

import (
	"context"
	"fmt"
)

// AssignmentInput is what a leader is told, to divide the group's work.
type AssignmentInput struct {
	Group      string
	Generation int32
	Leader     string       // this member's id
	Protocol   string       // that all members have in common, as the coordinator chose it
	Members    []JoinMember // in the coordinator's order
}

// Assignor divides the work of a group among its members. A Member calls it when it leads its group, from a goroutine
// of its own with no lock held; ctx ends when the member is closed, or needs no assignment any more. An assignor that goes on
// all the same is abandoned: its result is ignored, and warnings name it until it returns. The heartbeats go on meanwhile. A member that the
// result does not name gets an empty assignment. An error fails the join, and is returned by Poll or Run; so does a result
// that names a member twice, or one that is not in the group.
type Assignor func(ctx context.Context, in AssignmentInput) ([]Assignment, error)

// checkPlan refuses what the coordinator would drop without a word.
func checkPlan(plan []Assignment, members []JoinMember) error {
	const waits, has = 1, 2
	given := make(map[string]int, len(members))
	for _, m := range members {
		given[m.ID] = waits
	}
	for _, a := range plan {
		switch given[a.Member] {
		case has:
			return fmt.Errorf("assignor: it names member %q twice", a.Member)
		case waits:
			given[a.Member] = has
		default:
			return fmt.Errorf("assignor: it names member %q, who is not in the group", a.Member)
		}
	}
	return nil
}
