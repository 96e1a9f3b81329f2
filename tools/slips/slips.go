package main

import (
	"regexp"
	"slices"
	"strings"
)

// slip is one mistake in a text.
type slip struct {
	kind string
	line int // from 1
	was  string
	text string // the whole text with the mistake
}

// kinds of slips, in the order in which they are printed.
func kinds() []string {
	return []string{deleted, doubled, indented, dedented, swapped, letter, not, item}
}

const (
	deleted  = "a line deleted"
	doubled  = "a line doubled"
	indented = "indented by two"
	dedented = "dedented by two"
	swapped  = "two lines swapped"
	letter   = "a letter left out"
	not      = "a not left out"
	item     = "an item left out"
)

var (
	words = regexp.MustCompile(`[A-Za-z_]{4,}`)
	nots  = regexp.MustCompile(`\bnot `)
	lists = regexp.MustCompile(`\[[^][]*\]`)            // [A, B]
	heads = regexp.MustCompile(`^[ -]*([^:]*, [^:]*):`) // A, B:
	prose = regexp.MustCompile(`\b(doc|why|deviates): .*`)
)

// slips makes every slip in a text. Lines without content and comments stay as they are.
func slips(text string) []slip {
	lines := strings.Split(text, "\n")
	var out []slip
	for i, line := range lines {
		if isBlank(line) {
			continue
		}
		add := func(kind string, with ...string) {
			changed := slices.Concat(lines[:i], with, lines[i+1:])
			out = append(out, slip{kind, i + 1, strings.TrimSpace(line), strings.Join(changed, "\n")})
		}
		add(deleted)
		add(doubled, line, line)
		add(indented, "  "+line)
		if strings.HasPrefix(line, "  ") {
			add(dedented, line[2:])
		}
		if i+1 < len(lines) && !isBlank(lines[i+1]) && indent(line) == indent(lines[i+1]) {
			changed := slices.Clone(lines)
			changed[i], changed[i+1] = lines[i+1], line
			out = append(out, slip{swapped, i + 1, strings.TrimSpace(line), strings.Join(changed, "\n")})
		}
		code, _, _ := strings.Cut(line, " #")
		code = prose.ReplaceAllString(code, "")
		for _, at := range words.FindAllStringIndex(code, -1) {
			j := at[0] + (i+at[0])%(at[1]-at[0]) // some letter, always the same one
			add(letter, line[:j]+line[j+1:])
		}
		for _, at := range nots.FindAllStringIndex(code, -1) {
			add(not, line[:at[0]]+line[at[1]:])
		}
		for _, at := range lists.FindAllStringIndex(code, -1) {
			for _, less := range without(line[at[0]+1 : at[1]-1]) {
				add(item, line[:at[0]+1]+less+line[at[1]-1:])
			}
		}
		if at := heads.FindStringSubmatchIndex(code); at != nil && !strings.ContainsAny(line[at[2]:at[3]], "[{") {
			for _, less := range without(line[at[2]:at[3]]) {
				add(item, line[:at[2]]+less+line[at[3]:])
			}
		}
	}
	return out
}

// without leaves each item of a list out, in turn.
func without(list string) []string {
	items := strings.Split(list, ", ")
	if len(items) < 2 {
		return nil
	}
	var out []string
	for i := range items {
		out = append(out, strings.Join(slices.Concat(items[:i], items[i+1:]), ", "))
	}
	return out
}

func isBlank(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || strings.HasPrefix(line, "#")
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
