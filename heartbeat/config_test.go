package heartbeat

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

// What cannot work is refused before anything is sent, by the name of its field.
func TestConfigIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(*Config)
		problem string
	}{
		"no group":              {func(c *Config) { c.Group = "" }, "config: Group is empty"},
		"a group too long":      {func(c *Config) { c.Group = strings.Repeat("g", math.MaxInt16+1) }, "config: Group has 32768 bytes"},
		"a group, no text":      {func(c *Config) { c.Group = "\xff" }, `config: Group is "\xff": the protocol's texts are UTF-8`},
		"no protocol type":      {func(c *Config) { c.ProtocolType = "" }, "config: ProtocolType is empty"},
		"no protocols":          {func(c *Config) { c.Protocols = nil }, "config: Protocols is empty"},
		"a protocol twice":      {func(c *Config) { c.Protocols = append(c.Protocols, c.Protocols...) }, `config: Protocols has the name "range" twice`},
		"a protocol, no name":   {func(c *Config) { c.Protocols = []Protocol{{}} }, "config: Protocols has the name"},
		"less than nothing":     {func(c *Config) { c.SessionTimeout = -time.Second }, "config: SessionTimeout is -1s"},
		"too short a time":      {func(c *Config) { c.RetryBackoff = time.Microsecond }, "config: RetryBackoff is 1µs"},
		"too long a time":       {func(c *Config) { c.MaxPollInterval = 1000 * time.Hour }, "config: MaxPollInterval is 1000h0m0s"},
		"too rare heartbeats":   {func(c *Config) { c.HeartbeatInterval = 45 * time.Second }, "config: HeartbeatInterval is 45s, not less than SessionTimeout (45s)"},
		"backoffs that shrink":  {func(c *Config) { c.RetryBackoffMax = 50 * time.Millisecond }, "config: RetryBackoffMax is 50ms, less than RetryBackoff (100ms)"},
		"no time for a lease":   {func(c *Config) { c.Lease, c.MaxPollInterval = true, 50*time.Millisecond }, "config: HeartbeatInterval is 3s; with Lease it may be 0s: half of SessionTimeout or MaxPollInterval, and 100ms less than either"},
		"no time to commit":     {func(c *Config) { c.CommitTimeout = -1 }, "config: CommitTimeout is -1ns"},
		"no time for an answer": {func(c *Config) { c.RequestTimeout = 1 }, "config: RequestTimeout is 1ns"},
	} {
		config := Config{Group: "g", ProtocolType: "consumer", Protocols: []Protocol{{Name: "range"}}}
		c.change(&config)
		core, err := NewCore(config)
		require.Nil(t, core, name)
		var refused *ConfigError
		require.ErrorAs(t, err, &refused, name)
		require.ErrorContains(t, err, c.problem, name)
	}
}

// What is left out is Kafka's default.
func TestConfigDefaults(t *testing.T) {
	core, err := NewCore(Config{Group: "g", ProtocolType: "consumer", Protocols: []Protocol{{Name: "range"}}})
	require.NoError(t, err)
	require.Equal(t, Config{
		Group: "g", ProtocolType: "consumer", Protocols: []Protocol{{Name: "range"}},
		SessionTimeout: 45 * time.Second, HeartbeatInterval: 3 * time.Second, MaxPollInterval: 5 * time.Minute,
		RetryBackoff: 100 * time.Millisecond, RetryBackoffMax: time.Second, RequestTimeout: 30 * time.Second,
		CommitTimeout: time.Minute,
	}, core.config)
}

// Each timer of the specification lasts as long as the field that is its setting, and not one is without; and each request waits
// as long.
func TestTimersAndRequestsLastAsConfigured(t *testing.T) {
	for _, c := range []struct {
		config        Config
		timers        map[classic.Timer]time.Duration
		limits, again map[classic.Input]time.Duration
	}{
		{
			Config{SessionTimeout: 40 * time.Second, HeartbeatInterval: 4 * time.Second, MaxPollInterval: 4 * time.Minute, RetryBackoff: 40 * time.Millisecond},
			map[classic.Timer]time.Duration{
				classic.TimerSession: 40 * time.Second, classic.TimerSessionLease: 39600 * time.Millisecond, classic.TimerMaxPoll: 4 * time.Minute,
				classic.TimerRebalanceLease: 237600 * time.Millisecond, classic.TimerInterval: 4 * time.Second, classic.TimerFirstHeartbeat: 0,
				classic.TimerHeartbeatRetry: 40 * time.Millisecond, classic.TimerLookupRetry: 80 * time.Millisecond, classic.TimerJoinRetry: 40 * time.Millisecond,
				classic.TimerJoinRepeat: 40 * time.Millisecond, classic.TimerRejoin: 100 * time.Millisecond, classic.TimerSilence: 8 * time.Second, classic.TimerStillSilent: 4 * time.Second, classic.TimerHeld: 10 * time.Second,
				classic.TimerLostJoin: 4 * time.Minute,
			},
			map[classic.Input]time.Duration{
				classic.InputFindCoordinator: 30 * time.Second, classic.InputJoinGroup: 245 * time.Second, classic.InputSyncGroup: 30 * time.Second,
				classic.InputHeartbeat: 40 * time.Second, classic.InputLeaveGroup: 30 * time.Second, classic.InputOffsetCommit: 30 * time.Second,
			},
			map[classic.Input]time.Duration{classic.InputHeartbeat: 20 * time.Second},
		},
		{
			Config{SessionTimeout: 3 * time.Second, HeartbeatInterval: time.Second, MaxPollInterval: 2 * time.Second, RetryBackoff: 60 * time.Millisecond, RequestTimeout: 1200 * time.Millisecond},
			map[classic.Timer]time.Duration{
				classic.TimerSession: 3 * time.Second, classic.TimerSessionLease: 2950 * time.Millisecond, classic.TimerMaxPoll: 2 * time.Second,
				classic.TimerRebalanceLease: 1950 * time.Millisecond, classic.TimerInterval: time.Second, classic.TimerFirstHeartbeat: 0,
				classic.TimerHeartbeatRetry: 60 * time.Millisecond, classic.TimerLookupRetry: 120 * time.Millisecond, classic.TimerJoinRetry: 60 * time.Millisecond,
				classic.TimerJoinRepeat: 60 * time.Millisecond, classic.TimerRejoin: 150 * time.Millisecond, classic.TimerSilence: 2 * time.Second, classic.TimerStillSilent: 2 * time.Second, classic.TimerHeld: time.Second,
				classic.TimerLostJoin: 2 * time.Second,
			},
			map[classic.Input]time.Duration{
				classic.InputFindCoordinator: 1200 * time.Millisecond, classic.InputJoinGroup: 7 * time.Second, classic.InputSyncGroup: 1200 * time.Millisecond,
				classic.InputHeartbeat: 3 * time.Second, classic.InputLeaveGroup: 1200 * time.Millisecond, classic.InputOffsetCommit: 1200 * time.Millisecond,
			},
			map[classic.Input]time.Duration{classic.InputHeartbeat: 1200 * time.Millisecond},
		},
		{
			Config{RequestTimeout: 10 * time.Minute},
			nil,
			map[classic.Input]time.Duration{
				classic.InputFindCoordinator: 10 * time.Minute, classic.InputJoinGroup: 10 * time.Minute, classic.InputSyncGroup: 10 * time.Minute,
				classic.InputHeartbeat: 45 * time.Second, classic.InputLeaveGroup: 10 * time.Minute, classic.InputOffsetCommit: 10 * time.Minute,
			},
			map[classic.Input]time.Duration{classic.InputHeartbeat: 22500 * time.Millisecond},
		},
	} {
		c.config.Group, c.config.ProtocolType, c.config.Protocols = "g", "consumer", []Protocol{{Name: "range"}}
		core, err := NewCore(c.config)
		require.NoError(t, err)
		for timer, want := range c.timers {
			require.Equal(t, want, core.clocks.lengths[timer], timer)
		}
		for api, want := range c.limits {
			require.Equal(t, want, core.config.limit(api), api)
			require.Equal(t, c.again[api], core.config.again(api), "%s: again", api)
		}
	}
	_, known := new(Config).setting("request.timeout.m")
	require.False(t, known)
}

// The defaults that the specification prints beside each timer are what the timer lasts by default, and at most.
func TestTimersSayTheirDefaults(t *testing.T) {
	core := drive(t).core
	for timer := classic.Timer(1); timer <= classic.NumTimers; timer++ {
		declared, length := timer.Spec(), core.clocks.lengths[timer]
		require.Equal(t, length, declared.Default, timer)
		if declared.Most > 0 {
			require.Equal(t, length*(core.config.RetryBackoffMax/core.config.RetryBackoff), declared.Most, timer)
		}
	}
}
