package clock

import "time"

func today() string { return time.Now().Format(time.DateOnly) }
