package commandline

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// wanted is what a flag takes that was given something else, by the kind of its value: in words, and without the names of Go's
// functions. What is no such kind knows itself what it wants.
func wanted(kind string, err error) error {
	wants, known := map[string]string{
		"int": "a whole number", "int64": "a whole number",
		"uint64":      "a whole number, not below 0",
		"float64":     "a number",
		"duration":    "a length of time with its unit, such as 30s or 5m, of less than 292 years",
		"bool":        "true or false",
		"stringSlice": "names with commas between them, and quotation marks only around one that has a comma in it",
	}[kind]
	switch {
	case !known:
		return err
	case errors.Is(err, strconv.ErrRange):
		return errors.New(wants + "; this one is too large, or too small")
	}
	return errors.New(wants)
}

// flagError is what cobra is to say of a flag.
func flagError(_ *cobra.Command, err error) error {
	invalid := (*pflag.InvalidValueError)(nil)
	if !errors.As(err, &invalid) {
		return err
	}
	kind := invalid.GetFlag().Value.Type()
	wants := wanted(kind, err)
	if wants == err {
		return err
	}
	return fmt.Errorf("--%s %q: %w", invalid.GetFlag().Name, invalid.GetValue(), wants)
}

// refusing is the value of a flag of package flag while it is read: it keeps what is wrong with a value, in our words.
type refusing struct {
	flag.Value
	name    string
	refused *error
}

func (r refusing) Set(text string) error {
	err := r.Value.Set(text)
	if err != nil {
		*r.refused = fmt.Errorf("-%s %q: %w", r.name, text, wanted(r.kind(), withRange(text, err)))
	}
	return err
}

// IsBoolFlag is what package flag asks of a value that needs none.
func (r refusing) IsBoolFlag() bool {
	b, ok := r.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

func (r refusing) kind() string {
	if g, ok := r.Value.(flag.Getter); ok {
		return strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", g.Get()), "time."))
	}
	return ""
}

// withRange is err, and strconv.ErrRange where text is a number too large: package flag has an error of its own for that, which
// it does not export.
func withRange(text string, err error) error {
	if _, number := strconv.ParseInt(text, 0, 64); errors.Is(number, strconv.ErrRange) {
		return errors.Join(err, strconv.ErrRange)
	}
	return err
}
