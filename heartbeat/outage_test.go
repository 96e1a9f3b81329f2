package heartbeat

import (
	"cmp"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSummaryAfter(t *testing.T) {
	for n, want := range []time.Duration{
		10 * time.Second, 30 * time.Second, time.Minute, 6 * time.Minute, 11 * time.Minute, 16 * time.Minute,
	} {
		require.Equal(t, want, summaryAfter(n), n)
	}
}

// Each case is one outage, with a failure at each second unless something else is said for it.
func TestOutage(t *testing.T) {
	const lookup, member = true, false
	type at = map[int]func(o *outage, now time.Duration) string
	end := func(lookup bool) func(*outage, time.Duration) string {
		return func(o *outage, now time.Duration) string {
			switch told := o.succeed(now, lookup); {
			case told:
				return "recovered"
			case !o.on():
				return "ends"
			}
			return ""
		}
	}
	quiet := func(*outage, time.Duration) string { return "" }
	flaps := at{}
	for s := 1; s < 100; s += 2 {
		flaps[s] = end(member)
	}
	hung := at{}
	for s := 1; s < 59; s++ {
		hung[s] = quiet
	}
	for name, test := range map[string]struct {
		seconds int
		lookups bool
		names   map[int]string
		at      at
		want    map[int]string
	}{
		"summed up at growing intervals": {
			seconds: 1000, want: map[int]string{0: "first", 10: "summary", 30: "summary", 60: "summary", 360: "summary", 660: "summary", 960: "summary"},
		},
		"ends with a heartbeat":           {seconds: 3, at: at{2: end(member)}, want: map[int]string{0: "first", 2: "recovered"}},
		"does not end with a lookup":      {seconds: 3, at: at{2: end(lookup)}, want: map[int]string{0: "first"}},
		"of lookups ends with a lookup":   {seconds: 3, lookups: true, at: at{2: end(lookup)}, want: map[int]string{0: "first", 2: "recovered"}},
		"goes on after a moment":          {seconds: 9, at: at{2: end(member), 8: end(member)}, want: map[int]string{0: "first", 2: "recovered", 8: "ends"}},
		"goes on in another way":          {seconds: 5, at: at{2: end(member), 4: end(member)}, names: map[int]string{3: "OTHER"}, want: map[int]string{0: "first", 2: "recovered", 3: "first", 4: "recovered"}},
		"goes on, and for long":           {seconds: 14, at: at{2: end(member)}, want: map[int]string{0: "first", 2: "recovered", 10: "summary"}},
		"begins anew after a rest":        {seconds: 13, at: at{1: end(member), 2: quiet, 3: quiet, 4: quiet, 5: quiet, 6: quiet, 7: quiet, 8: quiet, 9: quiet, 10: quiet}, want: map[int]string{0: "first", 1: "recovered", 11: "first"}},
		"every other success":             {seconds: 40, at: flaps, want: map[int]string{0: "first", 1: "recovered", 10: "summary", 11: "recovered", 30: "summary", 31: "recovered"}},
		"is summed up by what comes late": {seconds: 60, at: hung, want: map[int]string{0: "first", 59: "summary"}},
	} {
		t.Run(name, func(t *testing.T) {
			var o outage
			have := map[int]string{}
			for s := range test.seconds {
				now := time.Duration(s) * time.Second
				if instead, ok := test.at[s]; ok {
					if text := instead(&o, now); text != "" && (text != "ends" || name == "goes on after a moment") {
						have[s] = text
					}
				} else if first, _ := o.fail(now, cmp.Or(test.names[s], "BROKEN"), test.lookups, errors.New("broken")); first {
					have[s] = "first"
				}
				if o.due(now) {
					have[s] = "summary"
				}
			}
			require.Equal(t, test.want, have)
		})
	}
}

func TestCodesOfAnOutage(t *testing.T) {
	var o outage
	for _, name := range []string{"B", "A", "B"} {
		o.fail(0, name, false, errors.New("broken"))
	}
	require.Equal(t, "B=2 A=1", o.codes())
	require.Equal(t, 3, o.total())
}
