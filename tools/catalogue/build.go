package main

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
)

// code is one entry of the catalogue.
type code struct {
	name       string
	number     int // on the wire; meaningless where unanswered
	retriable  bool
	message    string
	unanswered bool
}

// catalogue is what is written.
type catalogue struct {
	codes      []code
	ends       []code
	settings   []string
	callbacks  []string
	documented []response
}

// response lists the documented codes of one API, in the order of the catalogue.
type response struct {
	api   string
	codes []string
}

// libraryCodes are those of kerr in the order of their numbers, and NONE, which kerr has as nil. Package kerr exports no
// list, and answers UNKNOWN_SERVER_ERROR for a number that it does not have.
func libraryCodes() []code {
	var all []code
	for n := math.MinInt16; n <= math.MaxInt16; n++ {
		e := kerr.TypedErrorForCode(int16(n))
		switch {
		case n == 0:
			all = append(all, code{name: "NONE"})
		case int(e.Code) == n:
			all = append(all, code{name: e.Message, number: n, retriable: e.Retriable, message: e.Description})
		}
	}
	return all
}

// build merges what the library has with what is kept by hand. It returns every mistake in the latter, not only the first.
func build(library []code, d *data) (*catalogue, error) {
	var errs []error
	refuse := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("documented.yaml: "+format, args...))
	}
	c := &catalogue{codes: slices.Clone(library), settings: d.Settings, callbacks: d.Callbacks}
	for _, e := range d.Unanswered {
		c.ends = append(c.ends, code{name: e.Name, retriable: e.Retriable, message: e.Message, unanswered: true})
	}
	place := map[string]int{}
	for i, x := range c.codes {
		place[x.name] = i
	}
	for _, name := range slices.Sorted(maps.Keys(d.Corrections)) {
		fix := d.Corrections[name]
		i, ok := place[name]
		if !ok {
			refuse("corrections: kerr has no code %s; delete the correction", name)
			continue
		}
		if fix.Why == "" {
			refuse("corrections: %s needs a why", name)
		}
		if fix.Name == "" && fix.Retriable == nil {
			refuse("corrections: %s corrects nothing", name)
		}
		x := &c.codes[i]
		if fix.Retriable != nil {
			if x.retriable == *fix.Retriable {
				refuse("corrections: %s is no longer needed: kerr too says retriable: %t; delete it", name, x.retriable)
			}
			x.retriable = *fix.Retriable
		}
		if fix.Name != "" {
			if fix.Name == name {
				refuse("corrections: %s is no longer needed: kerr too has this name; delete it", name)
			}
			x.name = fix.Name
		}
	}
	order := map[string]int{}
	for i, x := range slices.Concat(c.codes, c.ends) {
		if _, twice := order[x.name]; twice {
			refuse("%s is the name of two codes", x.name)
		}
		order[x.name] = i
	}
	for _, api := range slices.Sorted(maps.Keys(d.Documented)) {
		r := response{api: api}
		for _, source := range slices.Sorted(maps.Keys(d.Documented[api])) {
			if !slices.Contains([]string{"brokers", "franz-go", "schema"}, source) {
				refuse("documented: %s: unknown source %s; the sources are brokers, franz-go and schema", api, source)
			}
			for _, name := range d.Documented[api][source] {
				switch i, ok := order[name]; {
				case !ok || i >= len(c.codes):
					refuse("documented: %s: %s: no error code is named %s", api, source, name)
				case slices.Contains(r.codes, name):
					refuse("documented: %s: %s is there twice", api, name)
				default:
					r.codes = append(r.codes, name)
				}
			}
		}
		slices.SortFunc(r.codes, func(a, b string) int { return order[a] - order[b] })
		c.documented = append(c.documented, r)
	}
	return c, errors.Join(errs...)
}
