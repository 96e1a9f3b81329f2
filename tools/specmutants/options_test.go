package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOptions says which mutants are tried in one way only: of two, one would be passed over in silence.
func TestOptions(t *testing.T) {
	for _, c := range []struct{ args, wrong string }{
		{"", ""},
		{"-sample 10 -seed 7 -processes 3", ""},
		{"-all -v", ""},
		{"-only Heartbeat", ""},
		{"-only Heartbeat -all", "-all and -only: each says which mutants to try; give one of them"},
		{"-only Heartbeat -sample 300", "-only and -sample: each says which mutants to try; give one of them"},
		{"-all -sample 10", "-all and -sample: each says which mutants to try; give one of them"},
		{"-only (", "error parsing regexp"},
		{"-sample 0", "-sample=0: at least 1"},
		{"-processes 0", "-processes=0: at least 1"},
		{"Heartbeat", `"Heartbeat" is no flag`},
	} {
		t.Run(c.args, func(t *testing.T) {
			var told strings.Builder
			_, err := parseOptions(strings.Fields(c.args), &told)
			if c.wrong == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.wrong)
			require.Contains(t, told.String(), c.wrong, "whoever typed it is told")
		})
	}
}
