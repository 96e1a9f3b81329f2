package heartbeat

import "time"

const limit = "types and constants are the same in every file"

var started = time.Unix(0, 0)

type loop struct{ name string }

// An interface does nothing itself; who hands in its value decides.
type runner interface{ start() }

func (loop) run() { go time.Sleep(time.Second) }
