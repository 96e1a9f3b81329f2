package verdict

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/heartbeat/franz"
)

// A group that is as it should be, and each way in which it may not be.
func TestProblems(t *testing.T) {
	tests := map[string]struct {
		change  func(members []Member, g *Group)
		company Company
		want    []string
	}{
		"none": {change: func([]Member, *Group) {}},
		"the broker rebalances": {
			change: func(_ []Member, g *Group) { g.State = "PreparingRebalance" },
			want:   []string{"the broker says that the group is PreparingRebalance, not Stable"},
		},
		"a member is not in the group": {
			change: func(m []Member, _ *Group) { m[1].Status.State = classic.Unjoined },
			want:   []string{"b is UNJOINED, not STABLE"},
		},
		"generations differ": {
			change: func(m []Member, _ *Group) { m[1].Status.Generation = 6 },
			want:   []string{"b is in generation 6, a in 7"},
		},
		"the broker does not know a member": {
			change: func(m []Member, _ *Group) { m[1].Status.Member = "b-2" },
			want:   []string{"the broker does not know b (b-2)", "the broker has a member b-1 that nobody is"},
		},
		"a member has another idea of what it owns": {
			change: func(m []Member, _ *Group) { m[0].Owned = franz.Partitions{"t": {0, 1}} },
			want:   []string{"a works on t 0-1, and the broker has assigned t 0-2 to it"},
		},
		"partitions without an owner": {
			change: func(m []Member, g *Group) {
				m[1].Owned = nil
				g.Members["b-1"] = nil
			},
			want: []string{"nobody owns t 3; u 0"},
		},
		"a partition with two owners": {
			change: func(m []Member, g *Group) {
				m[0].Owned = franz.Partitions{"t": {0, 1, 2, 3}}
				g.Members["a-1"] = franz.Partitions{"t": {0, 1, 2, 3}}
			},
			want: []string{"t 3 is owned by a-1 and b-1"},
		},
		"a ghost": {
			change: func(_ []Member, g *Group) { g.Members["ghost"] = nil },
			want:   []string{"the broker has a member ghost that nobody is"},
		},
		"a member of another process": {
			change: func(m []Member, g *Group) {
				m[0].Owned = franz.Partitions{"t": {0}}
				g.Members["a-1"] = franz.Partitions{"t": {0}}
				g.Members["other"] = franz.Partitions{"t": {1, 2}}
			},
			company: InCompany,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			stable := heartbeat.Status{State: classic.Stable, Generation: 7}
			a, b := stable, stable
			a.Member, b.Member = "a-1", "b-1"
			members := []Member{
				{"a", a, franz.Partitions{"t": {0, 1, 2}}},
				{"b", b, franz.Partitions{"t": {3}, "u": {0}}},
			}
			group := Group{State: "Stable", Members: map[string]franz.Partitions{
				"a-1": {"t": {0, 1, 2}, "u": nil}, // a leader may name topics without a partition
				"b-1": {"t": {3}, "u": {0}},
			}}
			test.change(members, &group)
			require.Equal(t, test.want, Problems(members, group, map[string]int32{"t": 4, "u": 1}, test.company))
		})
	}
}
