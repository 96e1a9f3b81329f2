package franz

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Partitions is partitions by topic, in ascending order.
type Partitions map[string][]int32

// String is "orders[0 1 2] payments[4]".
func (p Partitions) String() string {
	topics := make([]string, 0, len(p))
	for _, topic := range slices.Sorted(maps.Keys(p)) {
		topics = append(topics, fmt.Sprint(topic, p[topic]))
	}
	return strings.Join(topics, " ")
}

// minus is what p has and q has not; nil if there is nothing.
func (p Partitions) minus(q Partitions) Partitions {
	var rest Partitions
	for topic, partitions := range p {
		for _, n := range partitions {
			if _, found := slices.BinarySearch(q[topic], n); !found {
				if rest == nil {
					rest = Partitions{}
				}
				rest[topic] = append(rest[topic], n)
			}
		}
	}
	return rest
}

func (p Partitions) clone() Partitions {
	c := maps.Clone(p)
	for topic, partitions := range c {
		c[topic] = slices.Clone(partitions)
	}
	return c
}
