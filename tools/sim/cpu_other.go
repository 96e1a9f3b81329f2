//go:build !unix

package main

import "time"

// cpu is the time that the processors have worked for this process, or 0 where nobody says.
func cpu() time.Duration { return 0 }
