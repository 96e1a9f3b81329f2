package franz

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain sees that nothing which a test has started outlives it: connections' clients, timers, members.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
