package fsm

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLimitLength(t *testing.T) {
	settings := map[string]time.Duration{"short": time.Second, "long": time.Minute}
	setting := func(name string) time.Duration {
		length, ok := settings[name]
		require.True(t, ok, "the setting %q is in no limit", name)
		return length
	}
	short, long := Term{Setting: "short"}, Term{Setting: "long"}
	for name, x := range map[string]struct {
		limit Limit
		want  time.Duration
	}{
		"none":                    {Limit{}, 0},
		"a setting":               {Limit{First: long}, time.Minute},
		"a part of a setting":     {Limit{First: Term{Setting: "long", Over: 4}}, 15 * time.Second},
		"the whole of a setting":  {Limit{First: Term{Setting: "long", Over: 1}}, time.Minute},
		"a setting and more":      {Limit{First: Term{Setting: "short", Plus: time.Millisecond}}, 1001 * time.Millisecond},
		"no setting":              {Limit{First: Term{Plus: time.Hour}}, time.Hour},
		"the least is the first":  {Limit{Least, short, long}, time.Second},
		"the least is the second": {Limit{Least, long, short}, time.Second},
		"the greatest, first":     {Limit{Greatest, long, short}, time.Minute},
		"the greatest, second":    {Limit{Greatest, short, long}, time.Minute},
	} {
		require.Equal(t, x.want, x.limit.Length(setting), name)
		require.Equal(t, name == "none", x.limit.IsZero(), name)
	}
}
