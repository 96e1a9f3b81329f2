package heartbeat

//kbeat:pure

import "context"

// AssignmentInput is what a leader is told, to divide the group's work.
type AssignmentInput struct {
	Group      string
	Generation int32
	Leader     string       // this member's id
	Protocol   string       // that all members have in common, as the coordinator chose it
	Members    []JoinMember // in the coordinator's order
}

// Assignor divides the work of a group among its members. A Member calls it when it leads its group, from a goroutine
// of its own with no lock held; ctx ends when the member is closed. The heartbeats go on meanwhile. A member that the
// result does not name gets an empty assignment. An error fails the join, and is returned by Poll or Run.
type Assignor func(ctx context.Context, in AssignmentInput) ([]Assignment, error)
