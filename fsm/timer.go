package fsm

import "time"

// TimerSpec says how long a timer of a machine lasts.
type TimerSpec struct {
	Setting string        // the setting that gives the length: "session.timeout.ms"
	Default time.Duration // its length where the setting is not given
	Most    time.Duration // above 0: the length doubles with each attempt, up to Most
	Jitter  float64       // the share by which the length varies: 0.2 is ± 20 %
}
