package spec

import "fmt"

// near completes a message about an unknown name: `; did you mean X?` where one of the known names is close to it.
func near(name string, known []string) string {
	if best := nearest(name, known); best != "" {
		return fmt.Sprintf("; did you mean %s?", best)
	}
	return ""
}

// nearest is the known name with the fewest letters to change, at most a third of them; the first one of several.
func nearest(name string, known []string) string {
	best, least := "", 1+max(1, len(name)/3)
	if len(name) > 100 {
		return ""
	}
	for _, k := range known {
		if k == name || len(k)-len(name) >= least || len(name)-len(k) >= least {
			continue
		}
		if d := distance(name, k); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance counts the letters to insert, delete, replace or swap with their neighbour to make one name the other.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
