//go:build unix

// Package processor says how much a process has worked.
package processor

import (
	"syscall"
	"time"
)

// Time is how long all cores together have worked for this process, or 0 where nobody says.
func Time() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
