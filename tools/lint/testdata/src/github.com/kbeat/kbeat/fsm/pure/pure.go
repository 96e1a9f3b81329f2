package pure

import (
	"fmt"
	"math/rand/v2" // want `a pure file imports math/rand/v2, which is not known to be pure`
	"slices"
	"sync" // want `a pure file imports sync, which is not known to be pure`
	"time"

	"github.com/looplab/fsm"
)

type timer struct {
	at   time.Time
	last time.Duration
	mu   sync.Mutex
	m    *fsm.FSM
	n    rand.PCG
}

func (t *timer) allowed(now time.Time) string {
	t.last = now.Sub(t.at) + 3*time.Second
	return fmt.Sprintf("%v %v", time.Unix(0, 0).Add(t.last), slices.Max([]int{1}))
}
