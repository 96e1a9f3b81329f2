package fsm_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm"
)

var statuses = fsm.Codes{
	{Number: -1001, Name: "LOST", Retriable: true},
	{Number: 0, Name: "OK"},
	{Number: 404, Name: "NOT_FOUND", Message: "It is not here."},
	{Number: 503, Name: "UNAVAILABLE", Retriable: true},
}

func TestCodes(t *testing.T) {
	for _, want := range statuses {
		have, ok := statuses.Find(want.Number)
		require.True(t, ok)
		require.Equal(t, want, have)
		number, err := statuses.Parse(statuses.Name(want.Number))
		require.NoError(t, err)
		require.Equal(t, want.Number, number)
	}
}

func TestUnknownCode(t *testing.T) {
	for _, number := range []int16{-1, 999, math.MaxInt16, math.MinInt16} {
		_, ok := statuses.Find(number)
		require.False(t, ok)
		back, err := statuses.Parse(statuses.Name(number))
		require.NoError(t, err)
		require.Equal(t, number, back)
	}
	require.Equal(t, "UNKNOWN(999)", statuses.Name(999))
	for name, near := range map[string]string{
		"NOTFOUND": "NOT_FOUND", "UNKNOWN(404)": "", "UNKNOWN(0x1)": "", "UNKNOWN(99999)": "", "UNKNOWN(9": "", "UNKNOWN(+9)": "",
	} {
		_, err := statuses.Parse(name)
		var unknown *fsm.UnknownNameError
		require.ErrorAs(t, err, &unknown, name)
		require.Equal(t, near, unknown.Near, name)
	}
}
