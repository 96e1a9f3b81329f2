package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/tools/sample"
)

var weak = filepath.Join("testdata", "weak")

func TestSites(t *testing.T) {
	sites, err := findSites(weak)
	require.NoError(t, err)
	var have []string
	for _, s := range sites {
		have = append(have, s.kind+": "+s.with)
	}
	require.Equal(t, []string{
		"condition negated: !(m.State == Off)",
		"another rule: (0 + 1) % len(switchRules)",
		"another rule: (1 + 1) % len(switchRules)",
		"condition negated: !(m.State == Off)",
		"another rule: (0 + 1) % len(switchRules)",
		"another rule: (1 + 1) % len(switchRules)",
		"memory in another state: Off",
		"flags as they were: 0",
		"call left out: _ = h",
		"call made twice: h.Ring(); h.Ring()",
		"memory in another state: On",
		"another state: Off",
		"another state: On",
	}, have)
}

// TestWeakTests has the changes named that the tests of this package do not notice.
func TestWeakTests(t *testing.T) {
	var out bytes.Buffer
	err := inSource(t.Context(), weak, 100, 1, &out)
	require.Equal(t, "mutants in source: killed 9 of 13 (13 places)\n", out.String())
	require.ErrorContains(t, err, "weak_gen.go:27: another rule: (1 + 1) % len(switchRules)")
	require.ErrorContains(t, err, "weak_gen.go:38: another rule: (1 + 1) % len(switchRules)")
	require.ErrorContains(t, err, "weak_gen.go:37: memory in another state: On")
	require.ErrorContains(t, err, "weak_gen.go:43: another state: On")
}

func TestNothingToChange(t *testing.T) {
	require.ErrorContains(t, inSource(t.Context(), "testdata", 1, 1, &bytes.Buffer{}), "nothing in testdata can be changed")
}

func TestChooseIsRepeatable(t *testing.T) {
	sites, err := findSites(filepath.Join("..", "..", "fsm", "classic"))
	require.NoError(t, err)
	chosen := sample.Choose(sites, kindOf, site.String, 30, 7)
	require.Len(t, chosen, 30)
	require.Equal(t, chosen, sample.Choose(sites, kindOf, site.String, 30, 7))
	require.NotEqual(t, chosen, sample.Choose(sites, kindOf, site.String, 30, 8))
	kinds := map[string]bool{}
	for _, s := range chosen {
		kinds[s.kind] = true
	}
	for _, s := range sites {
		require.True(t, kinds[s.kind], "%s: each kind is in the sample", s.kind)
	}
	for _, ofRequests := range []string{"another setting", "another choice", "another length"} {
		require.True(t, kinds[ofRequests], ofRequests)
	}
	require.Len(t, sample.Choose(sites, kindOf, site.String, 1<<20, 7), len(sites))
}
