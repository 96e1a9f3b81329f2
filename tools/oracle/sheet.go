package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// sheet is the facts of one program, by what was asked.
type sheet struct {
	key    []string
	order  []string            // the questions, as they come
	asked  map[string][]string // question: the values of the fields in key
	facts  map[string]string   // the lines
	values []map[string]bool   // of each field in key, all that occur
}

func readSheet(p program, text []byte) (*sheet, error) {
	s := &sheet{key: p.key, asked: map[string][]string{}, facts: map[string]string{}}
	if len(s.key) == 0 {
		s.key = []string{"line"}
	}
	for range s.key {
		s.values = append(s.values, map[string]bool{})
	}
	number := 0
	for line := range strings.Lines(string(text)) {
		if number++; number == 1 {
			continue // the head
		}
		if err := s.add(line, number); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	return s, nil
}

func (s *sheet) add(line string, number int) error {
	var fact map[string]json.RawMessage
	if err := json.Unmarshal([]byte(line), &fact); err != nil {
		return err
	}
	var asked []string
	for i, name := range s.key {
		value := absent
		if name == "line" {
			value = strconv.Itoa(number)
		} else if v, ok := fact[name]; ok {
			value = string(v)
		}
		s.values[i][value] = true
		asked = append(asked, value)
	}
	question := strings.Join(asked, " ")
	if _, twice := s.facts[question]; twice {
		return fmt.Errorf("asked twice: %s; the key of the program does not say all that it asks", question)
	}
	s.order = append(s.order, question)
	s.asked[question], s.facts[question] = asked, line
	return nil
}

// group is the facts that have changed in the same way.
type group struct {
	change    string
	questions []string
}

// against are the ways in which facts differ from others, the frequent ones first, and how many do not.
func (s *sheet) against(other *sheet, ours, theirs string) (found []group, same int) {
	byChange := map[string]*group{}
	var order []string
	count := func(change, question string) {
		if byChange[change] == nil {
			byChange[change] = &group{change: change}
			order = append(order, change)
		}
		byChange[change].questions = append(byChange[change].questions, question)
	}
	for _, q := range s.order {
		fact, there := other.facts[q]
		if !there {
			count("only Kafka "+ours+" has it", q)
			continue
		}
		if s.facts[q] == fact {
			same++
			continue
		}
		count(changes(s.facts[q], fact), q)
	}
	for _, q := range other.order {
		if _, here := s.facts[q]; !here {
			count("only Kafka "+theirs+" has it", q)
		}
	}
	for _, change := range order {
		found = append(found, *byChange[change])
	}
	slices.SortStableFunc(found, func(a, b group) int { return cmp.Compare(len(b.questions), len(a.questions)) })
	return found, same
}

const fewValues = 8

// summary says what was asked in the facts of a group: the fields of the key that have not each value there is.
func (s *sheet) summary(other *sheet, questions []string) string {
	var said []string
	for i, name := range s.key {
		all := maps.Clone(s.values[i])
		maps.Copy(all, other.values[i])
		here := map[string]bool{}
		for _, q := range questions {
			asked := s.asked[q]
			if asked == nil {
				asked = other.asked[q]
			}
			here[asked[i]] = true
		}
		switch {
		case len(here) == len(all):
		case len(here) > fewValues:
			said = append(said, fmt.Sprintf("%s: %d of %d values", name, len(here), len(all)))
		default:
			var values []string
			for _, v := range slices.Sorted(maps.Keys(here)) {
				values = append(values, strings.Trim(v, `"`))
			}
			said = append(said, name+": "+strings.Join(values, ", "))
		}
	}
	if said == nil {
		return "whatever is asked"
	}
	return strings.Join(said, "; ")
}
