package commandline

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagError is for cobra: a value that a flag cannot take is told with what the flag wants, and without the
// names of Go's functions.
func flagError(_ *cobra.Command, err error) error {
	invalid := (*pflag.InvalidValueError)(nil)
	if !errors.As(err, &invalid) {
		return err
	}
	wants, known := map[string]string{
		"int": "a whole number", "int64": "a whole number",
		"uint64":   "a whole number, not below 0",
		"float64":  "a number",
		"duration": "a length of time with its unit, such as 30s or 5m, of less than 292 years",
		"bool":     "true or false",
	}[invalid.GetFlag().Value.Type()]
	if !known {
		return err
	}
	if errors.Is(err, strconv.ErrRange) {
		wants += "; this one is too large, or too small"
	}
	return fmt.Errorf("--%s %q: %s", invalid.GetFlag().Name, invalid.GetValue(), wants)
}
