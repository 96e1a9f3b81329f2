package verdict

import (
	"context"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/kbeat/kbeat/heartbeat/franz"
)

// stable is what a broker calls a group whose members all have their assignment.
const stable = "Stable"

// Group is a group as its coordinator describes it.
type Group struct {
	State   string
	Members map[string]franz.Partitions // assigned, by member id
}

// Describe asks the group's coordinator.
func Describe(ctx context.Context, admin *kadm.Client, group string) (Group, error) {
	described, err := admin.DescribeGroups(ctx, group)
	if err == nil {
		err = described.Error()
	}
	if err != nil {
		return Group{}, fmt.Errorf("group %q cannot be described: %w", group, err)
	}
	d := described[group]
	g := Group{State: d.State, Members: map[string]franz.Partitions{}}
	for _, m := range d.Members {
		assigned := franz.Partitions{}
		if a, ok := m.Assigned.AsConsumer(); ok {
			for _, t := range a.Topics {
				slices.Sort(t.Partitions) // they come in the leader's order
				assigned[t.Topic] = t.Partitions
			}
		}
		g.Members[m.MemberID] = assigned
	}
	return g, nil
}
