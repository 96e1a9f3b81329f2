//go:build !unix

package wire

import "time"

// processorTime is not known here.
func processorTime() time.Duration { return 0 }
