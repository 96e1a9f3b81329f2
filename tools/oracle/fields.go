package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// absent stands for the value of a field that a fact does not have.
const absent = "nothing"

// fields are the values in one fact, as JSON, by their paths: after.state. A list is one value.
type fields map[string]string

func readFields(line string) (fields, error) {
	var object map[string]any
	if err := json.Unmarshal([]byte(line), &object); err != nil {
		return nil, err
	}
	f := fields{}
	f.add("", object)
	return f, nil
}

func (f fields) add(prefix string, object map[string]any) {
	for name, value := range object {
		if nested, ok := value.(map[string]any); ok && len(nested) > 0 {
			f.add(prefix+name+".", nested)
			continue
		}
		text, err := json.Marshal(value)
		if err != nil {
			panic(err) // it came from JSON
		}
		f[prefix+name] = string(text)
	}
}

// changes says in which fields two facts differ.
func changes(was, is string) string {
	before, err := readFields(was)
	if err != nil {
		return "the committed line is no JSON: " + err.Error()
	}
	after, err := readFields(is)
	if err != nil {
		return "Kafka's line is no JSON: " + err.Error()
	}
	if found := before.changes(after); len(found) > 0 {
		return strings.Join(found, ", ")
	}
	return "the same fields, written otherwise"
}

func (f fields) changes(after fields) []string {
	all := maps.Clone(f)
	maps.Copy(all, after)
	var found []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if was, is := f.value(name), after.value(name); was != is {
			found = append(found, fmt.Sprintf("%s %s → %s", name, was, is))
		}
	}
	return found
}

func (f fields) value(name string) string {
	if v, ok := f[name]; ok {
		return v
	}
	return absent
}
