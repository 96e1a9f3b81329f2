package heartbeat

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/spec"
)

// Where a configuration does not say how long a time is, it is as long as Kafka's client has it: in the specification, and in
// a Core.
func TestOracleOfDefaults(t *testing.T) {
	kafka := map[string]int{}
	for _, f := range readFacts[struct {
		Setting string
		Default int
	}](t, "defaults") {
		kafka[f.Setting] = f.Default
	}
	machine, err := spec.Load("../spec/classic.yaml")
	require.NoError(t, err)
	for _, timer := range machine.Timers {
		length := int(lengthOfLimit(timer.After, func(setting string) time.Duration { return time.Duration(kafka[setting]) * time.Millisecond }).Milliseconds())
		require.Equal(t, length, timer.Default, "timer %s: %s", timer.Name, timer.After.Text)
		if timer.Most > 0 { // as often the pause that settings give as the first is
			require.Equal(t, kafka["retry.backoff.max.ms"]*length/kafka["retry.backoff.ms"], timer.Most, "timer %s: retry.backoff.max.ms", timer.Name)
		}
	}
	core, err := NewCore(Config{Group: "g", ProtocolType: "consumer", Protocols: []Protocol{{Name: "range"}}})
	require.NoError(t, err)
	for setting, is := range map[string]time.Duration{
		"session.timeout.ms": core.config.SessionTimeout, "heartbeat.interval.ms": core.config.HeartbeatInterval,
		"max.poll.interval.ms": core.config.MaxPollInterval, "retry.backoff.ms": core.config.RetryBackoff,
		"retry.backoff.max.ms": core.config.RetryBackoffMax, "request.timeout.ms": core.config.RequestTimeout,
	} {
		require.Equal(t, kafka[setting], int(is.Milliseconds()), setting)
		delete(kafka, setting)
	}
	require.Empty(t, kafka, "facts that nothing is held against")
}
