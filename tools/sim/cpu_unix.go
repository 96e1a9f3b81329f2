//go:build unix

package main

import (
	"syscall"
	"time"
)

// cpu is the time that the processors have worked for this process, or 0 where nobody says.
func cpu() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
