package franz

import (
	"log/slog"

	"github.com/kbeat/kbeat/heartbeat"
)

// comesAndGoes is the partitions that come or go, for the member's log. It changes nothing, and is called before the callback
// that does.
func (c *Consumer) comesAndGoes(call heartbeat.Callback) []slog.Attr {
	c.mu.Lock()
	defer c.mu.Unlock()
	if call.Kind == heartbeat.CallbackAssigned {
		given, err := c.read(call.Protocol, call.Assignment)
		if err != nil {
			return []slog.Attr{slog.Any("err", err)}
		}
		return []slog.Attr{
			slog.String("added", given.minus(c.owned).String()), slog.String("removed", c.owned.minus(given).String()),
			slog.String("owned", given.String()),
		}
	}
	if len(c.owned) == 0 || call.Kind == heartbeat.CallbackRevoked && c.cooperative() {
		return nil
	}
	return []slog.Attr{slog.String("removed", c.owned.String())}
}
