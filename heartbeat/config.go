package heartbeat

//kbeat:pure

import (
	"fmt"
	"math"
	"time"
	"unicode/utf8"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
)

// Config says which group to be a member of, and how. Durations that are zero take Apache Kafka's default.
type Config struct {
	// Group is the group's id.
	Group string

	// InstanceID makes the member static (KIP-345): within SessionTimeout a process that comes back with the same id takes
	// its former place without a rebalance. The price: what a process that does not come back owned stays idle that long.
	// Empty, the member is dynamic, and leaves the group when it closes.
	InstanceID string

	// ProtocolType must be the same for all members of the group: "consumer", or a name of one's own.
	ProtocolType string

	// Protocols are what the member offers for dividing the work, the preferred one first.
	Protocols []Protocol

	// SessionTimeout is how long the coordinator waits for a heartbeat before it gives the member up, 45 s by default.
	// Raised, it forgives longer pauses; and what a dead process owned stays idle for longer. The broker bounds it
	// (group.min.session.timeout.ms, group.max.session.timeout.ms).
	SessionTimeout time.Duration

	// HeartbeatInterval is how often the member says that it is alive, 3 s by default. A rebalance is noticed within one
	// interval. It must be less than SessionTimeout; a third of it is usual, so that two heartbeats may get lost.
	HeartbeatInterval time.Duration

	// MaxPollInterval is how long the application may take between two polls before the member leaves the group on its
	// behalf, 5 min by default. It is the rebalance timeout too: how long the group waits for this member to let go of
	// what it owns and join again.
	MaxPollInterval time.Duration

	// RetryBackoff is the pause after a first failure, 100 ms by default. It doubles with each further failure up to
	// RetryBackoffMax, 1 s by default, each time ± 20 %.
	RetryBackoff, RetryBackoffMax time.Duration

	// RequestTimeout bounds the wait for an answer, 30 s by default. A JoinGroup, which the broker holds back until all
	// members have joined, has at least MaxPollInterval + 5 s; a Heartbeat has at most SessionTimeout.
	RequestTimeout time.Duration

	// Lease makes the member work only while the coordinator cannot have given its partitions to others, as exclusive work
	// needs it: Session.Valid and Session.Deadline say how long that is, and the work is ended, and counts as lost, when it is
	// over. The lease counts from the sending of the last request that the coordinator has answered as one of a live member;
	// it lasts as long as SessionTimeout, and from the last heartbeat that was answered with no rebalance under way
	// as long as MaxPollInterval; each less the greater of 1 % and 50 ms. The work of a generation begins when its first
	// heartbeat is answered. Everything is given up before the member joins anew, whatever the protocol. HeartbeatInterval
	// may then be half of SessionTimeout and of MaxPollInterval at most, and has to be 100 ms less than either.
	//
	// The price: an outage of the coordinator that lasts as long as the session ends the work, which goes on without it; and
	// each generation begins a round trip later. It is not covered: a coordinator that is cut off from its controllers and
	// answers heartbeats though another has taken its place; a second process with the same InstanceID; the removal of the
	// member by an administrator; a virtual machine that is suspended, whose clock stands still. Against these use
	// Session.Generation as a fencing token, where what is written to can compare it.
	Lease bool

	// CommitTimeout ends a Commit whose context does not end earlier, 60 s by default, as Kafka's default.api.timeout.ms.
	// Raised, a commit outlasts longer failures of its coordinator; and the application waits for longer before it learns
	// of them. In a callback, called with its context, a commit ends after half of MaxPollInterval at the latest, so that the
	// other half is left to join again; so does one whose session has ended, while the group waits for the application to let
	// go:
	//
	//	min(CommitTimeout, MaxPollInterval/2 from the beginning of the callback, or the end of Session.Context)
	CommitTimeout time.Duration

	// Seed of the pauses' ± 20 %. Members of one group must differ in it, so that they do not retry in step; NewMember draws
	// one where it is zero.
	Seed uint64
}

// ConfigError says which field of a Config cannot be as it is, and why.
type ConfigError struct {
	Field   string
	Problem string
}

func (e *ConfigError) Error() string { return fmt.Sprintf("config: %s %s", e.Field, e.Problem) }

// leaseMargin is what a lease leaves out of SessionTimeout and MaxPollInterval at least, and as much again for an answer.
const leaseMargin = 100 * time.Millisecond

// defaultRequestTimeout is Kafka's request.timeout.ms.
const defaultRequestTimeout = 30 * time.Second

// defaultCommitTimeout is Kafka's default.api.timeout.ms.
const defaultCommitTimeout = time.Minute

// withDefaults fills in what is zero.
func (c Config) withDefaults() Config {
	set := func(d *time.Duration, def time.Duration) {
		if *d == 0 {
			*d = def
		}
	}
	set(&c.SessionTimeout, classic.TimerSession.Spec().Default)
	set(&c.HeartbeatInterval, classic.TimerInterval.Spec().Default)
	set(&c.MaxPollInterval, classic.TimerMaxPoll.Spec().Default)
	set(&c.RetryBackoff, classic.TimerJoinRetry.Spec().Default)
	set(&c.RetryBackoffMax, classic.TimerJoinRetry.Spec().Most)
	set(&c.RequestTimeout, defaultRequestTimeout)
	set(&c.CommitTimeout, defaultCommitTimeout)
	return c
}

// check finds what cannot work; c has its defaults.
func (c Config) check() error {
	for _, s := range []struct{ field, value string }{
		{"Group", c.Group}, {"ProtocolType", c.ProtocolType},
	} {
		if s.value == "" {
			return &ConfigError{s.field, "is empty: all members of a group give the same"}
		}
	}
	for _, s := range []struct{ field, value string }{
		{"Group", c.Group}, {"InstanceID", c.InstanceID}, {"ProtocolType", c.ProtocolType},
	} {
		if !utf8.ValidString(s.value) {
			return &ConfigError{s.field, fmt.Sprintf("is %q: the protocol's texts are UTF-8", s.value)}
		}
	}
	if len(c.Group) > math.MaxInt16 {
		return &ConfigError{"Group", fmt.Sprintf("has %d bytes; the protocol has room for %d", len(c.Group), math.MaxInt16)}
	}
	if err := checkProtocols(c.Protocols); err != nil {
		return err
	}
	for _, d := range []struct {
		field string
		value time.Duration
	}{
		{"SessionTimeout", c.SessionTimeout}, {"HeartbeatInterval", c.HeartbeatInterval},
		{"MaxPollInterval", c.MaxPollInterval}, {"RetryBackoff", c.RetryBackoff},
		{"RetryBackoffMax", c.RetryBackoffMax}, {"RequestTimeout", c.RequestTimeout},
		{"CommitTimeout", c.CommitTimeout},
	} {
		if d.value < time.Millisecond || d.value > math.MaxInt32*time.Millisecond {
			return &ConfigError{d.field, fmt.Sprintf("is %s: between 1ms and %s", d.value, math.MaxInt32*time.Millisecond)}
		}
	}
	if c.HeartbeatInterval >= c.SessionTimeout {
		return &ConfigError{"HeartbeatInterval", fmt.Sprintf("is %s, not less than SessionTimeout (%s): a third of it is usual", c.HeartbeatInterval, c.SessionTimeout)}
	}
	if most := min(c.SessionTimeout, c.MaxPollInterval, 2*(min(c.SessionTimeout, c.MaxPollInterval)-leaseMargin)) / 2; c.Lease && c.HeartbeatInterval > most {
		return &ConfigError{"HeartbeatInterval", fmt.Sprintf("is %s; with Lease it may be %s: half of SessionTimeout or MaxPollInterval, and %s less than either", c.HeartbeatInterval, max(0, most), leaseMargin)}
	}
	if c.RetryBackoffMax < c.RetryBackoff {
		return &ConfigError{"RetryBackoffMax", fmt.Sprintf("is %s, less than RetryBackoff (%s)", c.RetryBackoffMax, c.RetryBackoff)}
	}
	return nil
}

func checkProtocols(protocols []Protocol) error {
	if len(protocols) == 0 {
		return &ConfigError{"Protocols", "is empty: offer at least one"}
	}
	seen := make(map[string]bool, len(protocols))
	for _, p := range protocols {
		if p.Name == "" || seen[p.Name] {
			return &ConfigError{"Protocols", fmt.Sprintf("has the name %q twice, or empty: each protocol needs a name of its own", p.Name)}
		}
		seen[p.Name] = true
	}
	return nil
}

// lengths is how long each timer lasts, before it grows.
type lengths [classic.NumTimers + 1]time.Duration

// lengths finds the length of each timer, and sees that each setting of the specification has a field.
func (c *Config) lengths() (out lengths, err error) {
	setting := func(name string) time.Duration {
		d, known := c.setting(name)
		if !known {
			err = fmt.Errorf("no field of Config is the setting %q: add one", name)
		}
		return d
	}
	for t := classic.Timer(1); t <= classic.NumTimers; t++ {
		out[t] = t.Spec().Length.Length(setting)
	}
	for in := classic.Input(1); in.Kind() == fsm.KindResponse; in++ {
		lifetime := in.Lifetime()
		lifetime.Limit.Length(setting)
		lifetime.Again.Length(setting)
	}
	return out, err
}

// setting is the length that goes by Kafka's name for it.
func (c *Config) setting(name string) (time.Duration, bool) {
	switch name {
	case "session.timeout.ms":
		return c.SessionTimeout, true
	case "max.poll.interval.ms":
		return c.MaxPollInterval, true
	case "heartbeat.interval.ms":
		return c.HeartbeatInterval, true
	case "retry.backoff.ms":
		return c.RetryBackoff, true
	case "request.timeout.ms":
		return c.RequestTimeout, true
	}
	return 0, false
}

// limit is what a request has for its answer.
func (c *Config) limit(api classic.Input) time.Duration { return api.Lifetime().Limit.Length(c.length) }

// again is after what silence a request is sent once more; 0 for never.
func (c *Config) again(api classic.Input) time.Duration { return api.Lifetime().Again.Length(c.length) }

// length is a setting that NewCore has seen to exist.
func (c *Config) length(name string) time.Duration {
	d, _ := c.setting(name)
	return d
}
