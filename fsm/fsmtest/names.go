package fsmtest

import "strings"

// has reports whether a set, as generated sets print themselves, has a member.
func has(set, name string) bool {
	for member := range strings.SplitSeq(set, "|") {
		if member == name {
			return true
		}
	}
	return false
}

// none is a set, or nothing, in words.
func none(set string) string {
	if set == "" {
		return "none"
	}
	return set
}

// joined is a set of names as generated sets print themselves.
func joined(names []string) string { return none(strings.Join(names, "|")) }

// StatesOf are the states in which a rule of the table decides something.
func (s *Space) StatesOf(t *Table, rule int) ([]string, error) {
	seen := make([]bool, len(s.States))
	owners, err := s.owners(t)
	if err != nil {
		return nil, err
	}
	perState := s.size(t) / len(s.codes(t)) / len(s.States)
	for i, owner := range owners {
		if owner == rule {
			seen[i/perState%len(s.States)] = true
		}
	}
	var out []string
	for i, name := range s.States {
		if seen[i] {
			out = append(out, name)
		}
	}
	return out, nil
}
