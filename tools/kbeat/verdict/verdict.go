// Package verdict reports whether a group is as it should be: by what its members say of themselves, and by what the broker
// says of the group.
//
//	group, err := verdict.Describe(ctx, admin, "orders")
//	problems := verdict.Problems(members, group, map[string]int32{"orders": 12}, verdict.Alone)
//
// It only looks: it joins no group and changes none.
package verdict

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/heartbeat/franz"
	"github.com/kbeat/kbeat/tools/kbeat/event"
)

// Member is a living member, as it sees itself.
type Member struct {
	Name   string
	Status heartbeat.Status
	Owned  franz.Partitions
}

// Company reports whether the group may have members that are not ours.
type Company bool

// Whom the group consists of.
const (
	Alone     Company = false // of our members only
	InCompany Company = true  // of others as well
)

// Problems is what is not as it should be; nothing, when all members are STABLE in the same generation, the broker has
// the same members with the same assignments, and each partition of topics (with how many each has) is owned exactly once.
func Problems(members []Member, group Group, topics map[string]int32, company Company) []string {
	var found []string
	add := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }

	if group.State != stable {
		add("the broker says that the group is %s, not %s", group.State, stable)
	}
	known := map[string]bool{}
	for _, m := range members {
		known[m.Status.Member] = true
		if m.Status.State != classic.Stable {
			add("%s is %s, not %s", m.Name, m.Status.State, classic.Stable)
			continue
		}
		if m.Status.Generation != members[0].Status.Generation {
			add("%s is in generation %d, %s in %d", m.Name, m.Status.Generation, members[0].Name, members[0].Status.Generation)
		}
		assigned, there := group.Members[m.Status.Member]
		switch {
		case !there:
			add("the broker does not know %s (%s)", m.Name, m.Status.Member)
		case !same(assigned, m.Owned):
			add("%s works on %s, and the broker has assigned %s to it", m.Name, event.Partitions(m.Owned), event.Partitions(assigned))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(group.Members)) {
		if company == Alone && !known[id] {
			add("the broker has a member %s that nobody is", id)
		}
	}
	return append(found, owners(group, topics)...)
}

// owners finds partitions without an owner, or with more than one.
func owners(group Group, topics map[string]int32) []string {
	var found []string
	orphans := event.Partitions{}
	for _, topic := range slices.Sorted(maps.Keys(topics)) {
		for p := range topics[topic] {
			var ids []string
			for id, owned := range group.Members {
				if slices.Contains(owned[topic], p) {
					ids = append(ids, id)
				}
			}
			slices.Sort(ids)
			switch len(ids) {
			case 0:
				orphans[topic] = append(orphans[topic], p)
			case 1:
			default:
				found = append(found, fmt.Sprintf("%s %d is owned by %s", topic, p, strings.Join(ids, " and ")))
			}
		}
	}
	if len(orphans) > 0 {
		found = append(found, fmt.Sprintf("nobody owns %s", orphans))
	}
	return found
}

// same compares two sets of partitions; a topic without partitions is none.
func same(a, b franz.Partitions) bool {
	return covers(a, b) && covers(b, a)
}

func covers(a, b franz.Partitions) bool {
	for topic, partitions := range b {
		for _, p := range partitions {
			if !slices.Contains(a[topic], p) {
				return false
			}
		}
	}
	return true
}
