package heartbeat

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A difference in an aspect that no list has is found also where a deviation has decided, and where an impatient life may part.
func TestUnlistedAspect(t *testing.T) {
	r := newOracleReading(t)
	deviating, hasty := 0, 0
	eachLife(t, "testdata/oracle/lives.ndjson.gz", func(life *lifeFact) {
		if deviating >= 40 && hasty >= 20 || life.Config.Patient && deviating >= 40 {
			return
		}
		c, n := newLivesTally(), 0
		open := map[int]bool{} // steps that something may excuse
		c.meddle = func(l *relived) {
			if n++; l.over {
				return
			}
			switch {
			case !l.fact.Config.Patient && l.ahead != "":
				open[n-1] = true
				hasty++
			case len(l.deviations()) > 0:
				open[n-1] = true
				deviating++
			}
		}
		c.relive(t, r, life)
		for i := range open {
			was := life.Steps[i].Saw
			changed := copyOf(was)
			changed.Callbacks = append(changed.Callbacks, lifeCallback{Call: "leave_prepare"})
			life.Steps[i].Saw = changed
			c := newLivesTally()
			c.relive(t, r, life)
			life.Steps[i].Saw = was
			require.Equal(t, 1, c.failed, "life %d step %d: a callback too many, and no undeclared difference", life.Life, i+1)
		}
	})
	require.NotZero(t, deviating)
	require.NotZero(t, hasty)
}
