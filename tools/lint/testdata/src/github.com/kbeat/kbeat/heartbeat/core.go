package heartbeat // want `a file of Core is pure, and says so: add //kbeat:pure below the package clause`

import "time"

func unmarked() time.Time { return time.Now() }
