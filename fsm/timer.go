package fsm

import "time"

// TimerSpec says how long a timer of a machine lasts.
type TimerSpec struct {
	Length  Limit         // by the settings
	Default time.Duration // its length where no setting is given
	Most    time.Duration // above 0: the length doubles with each attempt, up to Most
	Jitter  float64       // the share by which the length varies: 0.2 is ± 20 %
	Free    int           // with Most: how many attempts have no pause, before the length begins to grow

	// FromSending says that it counts from the sending of the request that is answered, and not from its answer.
	FromSending bool
}
