package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/kbeat/kbeat/tools/rewire"
)

// survivorsFile lists the mutants that nobody notices, by the reason why they may live.
const survivorsFile = "tools/specmutants/survivors.yaml"

// survivors are the mutants that are known to live, each with its reason.
type survivors struct {
	reasons []reason
	why     map[string]string // by name
}

type reason struct {
	Why     string
	Mutants []string
}

func readSurvivors() (*survivors, error) {
	text, err := os.ReadFile(survivorsFile)
	if err != nil {
		return nil, err
	}
	return parseSurvivors(text)
}

func parseSurvivors(text []byte) (*survivors, error) {
	s := &survivors{why: map[string]string{}}
	if err := yaml.Load(text, &s.reasons, yaml.WithKnownFields()); err != nil {
		return nil, fmt.Errorf("%s: %w", survivorsFile, err)
	}
	for _, r := range s.reasons {
		if r.Why == "" || len(r.Mutants) == 0 {
			return nil, fmt.Errorf("%s: each entry has `why`, and `mutants`", survivorsFile)
		}
		for _, m := range r.Mutants {
			if s.why[m] != "" {
				return nil, fmt.Errorf("%s: %s stands twice", survivorsFile, m)
			}
			s.why[m] = r.Why
		}
	}
	return s, nil
}

// gone are the names in the list that no mutant has.
func (s *survivors) gone(all []mutant) []string {
	var out []string
	for _, r := range s.reasons {
		for _, name := range r.Mutants {
			if !slices.ContainsFunc(all, func(m mutant) bool { return m.name() == name }) {
				out = append(out, name)
			}
		}
	}
	return out
}

func (s *survivors) of(all []mutant) []mutant {
	return slices.DeleteFunc(slices.Clone(all), func(m mutant) bool { return s.why[m.name()] == "" })
}

func (s *survivors) others(all []mutant) []mutant {
	return slices.DeleteFunc(slices.Clone(all), func(m mutant) bool { return s.why[m.name()] != "" })
}

// judge compares the list with what became of the mutants.
func (s *survivors) judge(results []result) (unlisted, dead []result) {
	for _, r := range results {
		listed := s.why[r.name()] != ""
		switch {
		case r.verdict == alive && !listed:
			unlisted = append(unlisted, r)
		case r.verdict != alive && listed:
			dead = append(dead, r)
		}
	}
	return unlisted, dead
}

// print lists who is alive, with line, change and reason.
func (s *survivors) print(out io.Writer, results []result) {
	for _, reason := range s.reasons {
		printed := false
		for _, r := range results {
			if r.verdict != alive || s.why[r.name()] != reason.Why {
				continue
			}
			if !printed {
				fmt.Fprintf(out, "alive, because %s\n", reason.Why)
				printed = true
			}
			fmt.Fprintf(out, "  %s:%d %s\n", rewire.Specification, r.line, r.name())
		}
	}
}

func indented(lines []string) string { return "  " + strings.Join(lines, "\n  ") }
