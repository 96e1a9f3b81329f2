package event

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Partitions is partitions by topic, in ascending order.
type Partitions map[string][]int32

// String is "orders 0-3,7; payments 1", or "nothing".
func (p Partitions) String() string {
	var topics []string
	for _, topic := range slices.Sorted(maps.Keys(p)) {
		if len(p[topic]) > 0 {
			topics = append(topics, topic+" "+Ranges(p[topic]))
		}
	}
	if topics == nil {
		return "nothing"
	}
	return strings.Join(topics, "; ")
}

// Ranges writes numbers in ascending order as "0-3,7".
func Ranges(numbers []int32) string {
	var parts []string
	for i := 0; i < len(numbers); {
		last := i
		for last+1 < len(numbers) && numbers[last+1] == numbers[last]+1 {
			last++
		}
		switch {
		case last == i:
			parts = append(parts, fmt.Sprint(numbers[i]))
		default:
			parts = append(parts, fmt.Sprintf("%d-%d", numbers[i], numbers[last]))
		}
		i = last + 1
	}
	return strings.Join(parts, ",")
}
