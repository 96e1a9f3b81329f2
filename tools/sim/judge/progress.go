package judge

import (
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// calm is the time in which nothing is disturbed.
type calm struct {
	at      time.Duration // when it began; never before
	settled time.Duration // when all are to be well
	last    time.Duration // when the last member was told of its assignment, since then
	checked bool
}

// Settled is how long it took, since nothing was disturbed any more, until the last member was told of its assignment.
func (j *Judge) Settled() time.Duration {
	if j.calm.at == never {
		return 0
	}
	return j.calm.last - j.calm.at
}

func (c *calm) begin(j *Judge) {
	var configs []*heartbeat.Config
	for _, l := range j.lives {
		if !l.over {
			configs = append(configs, l.config)
		}
	}
	c.at, c.last = j.now, j.now
	c.settled = j.now + Settle(configs...) + j.settings.Slack
}

// Settle is how long a group that nothing disturbs any more may take until all its members are STABLE. With the longest of
// each time that its members are configured with it is
//
//	a JoinGroup's limit      that went into a connection which does not answer
//	2 · RequestTimeout       the lookup that follows, and a request that the answer leads to a dead node with
//	SessionTimeout           until the coordinator has given up who does not exist any more
//	3 · MaxPollInterval      rebalances: for the last one that comes, for the last one that goes, and a second one of those
//	                         where members keep what is theirs; each waits for the slowest application
//	5 · RetryBackoffMax      pauses between them
func Settle(configs ...*heartbeat.Config) time.Duration {
	var c heartbeat.Config
	for _, m := range configs {
		c.RequestTimeout = max(c.RequestTimeout, m.RequestTimeout)
		c.SessionTimeout = max(c.SessionTimeout, m.SessionTimeout)
		c.MaxPollInterval = max(c.MaxPollInterval, m.MaxPollInterval)
		c.RetryBackoffMax = max(c.RetryBackoffMax, m.RetryBackoffMax)
	}
	return max(c.RequestTimeout, c.MaxPollInterval+joinGrace) + 2*c.RequestTimeout + c.SessionTimeout + 3*c.MaxPollInterval + 5*c.RetryBackoffMax
}

// joinGrace is what a JoinGroup's answer may take beyond the rebalance timeout.
const joinGrace = 5 * time.Second

// told notes when a member was told of its assignment.
func (c *calm) told(at time.Duration) {
	if c.at != never {
		c.last = at
	}
}

// check looks at all members once, when the time has come.
func (c *calm) check(j *Judge) {
	if c.at == never || c.checked || j.now < c.settled {
		return
	}
	c.checked = true
	generation := heartbeat.NoGeneration
	for _, l := range j.lives {
		switch {
		case l.over || l.leaving:
		case l.state != classic.Stable:
			j.broken(Progress, l.name, "is %s, %s after the last disturbance", l.state, j.now-c.at)
		case l.holding != holdsAll || l.told != l.who:
			j.broken(Progress, l.name, "is in generation %d, and its application was not told so, %s after the last disturbance", l.who.Generation, j.now-c.at)
		case generation != heartbeat.NoGeneration && generation != l.who.Generation:
			j.broken(Progress, l.name, "is in generation %d, and others are in %d, %s after the last disturbance", l.who.Generation, generation, j.now-c.at)
		default:
			generation = l.who.Generation
		}
	}
}

// moved: who has settled stays so.
func (c *calm) moved(j *Judge, l *life, e Event) {
	if c.checked && e.From == classic.Stable && e.To != classic.Stable && !l.leaving {
		j.broken(Progress, l.name, "is not STABLE any more, %s after the last disturbance: %s", j.now-c.at, e.Rule)
	}
}
