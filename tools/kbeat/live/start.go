package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/kbeat/application"
)

// pause is between two tries to reach the cluster.
const pause = 250 * time.Millisecond

// topicPatience is how long a topic may take to appear: brokers hear of a new one a little later than its maker.
const topicPatience = 2 * time.Second

// UnreachableError is brokers that do not answer.
type UnreachableError struct {
	Brokers []string
	Waited  time.Duration
	Err     error // of the last try
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("no broker has answered at %s within %s: %v", strings.Join(e.Brokers, ", "), e.Waited, e.Err)
}

// Unwrap is Err.
func (e *UnreachableError) Unwrap() error { return e.Err }

// TopicError is a topic that the members cannot share.
type TopicError struct {
	Topic string
	Err   error // mostly a *kerr.Error
}

func (e *TopicError) Error() string { return fmt.Sprintf("topic %q: %v", e.Topic, e.Err) }

// Unwrap is Err.
func (e *TopicError) Unwrap() error { return e.Err }

// reach asks for the group's coordinator, as a member will, until a broker answers. What is decided about the answer is
// the specification's; here it only matters whether there is one, and whether a repetition can mend it.
func (g *group) reach(ctx context.Context) error {
	timeout := g.config.StartTimeout
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var last error
	for {
		answer := g.transport.Send(ctx, heartbeat.Request{
			API: classic.InputFindCoordinator, Node: heartbeat.AnyBroker, Timeout: timeout, Group: g.config.Member.Group,
		})
		rule := classic.DecideFindCoordinator(classic.Initial(), answer.Code)
		switch {
		case rule.Result.Class() == fsm.ClassFatal:
			return &heartbeat.Error{
				Name: answer.Code.String(), Input: rule.Input, Code: answer.Code, Group: g.config.Member.Group,
				Generation: heartbeat.NoGeneration, Rule: rule, Err: answer.Err,
			}
		case !application.Unanswered(answer.Code):
			return nil
		}
		if last == nil && ctx.Err() == nil {
			g.say(fmt.Sprintf("no broker answers yet: %v; trying for %s", answer.Err, timeout))
		}
		if last == nil || ctx.Err() == nil { // the end of the time says less than what came before
			last = answer.Err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
				return &UnreachableError{g.config.Brokers, timeout, last}
			}
			return context.Cause(ctx)
		}
	}
}

// topicsExist says which topic the members cannot share.
func (g *group) topicsExist(ctx context.Context) error {
	patience, cancel := context.WithTimeout(ctx, topicPatience)
	defer cancel()
	for {
		_, err := g.partitions(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-time.After(pause):
		case <-patience.Done():
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return err
		}
	}
}

// partitions is how many each topic has.
func (g *group) partitions(ctx context.Context) (map[string]int32, error) {
	ctx, cancel := context.WithTimeout(ctx, g.config.StartTimeout)
	defer cancel()
	details, err := kadm.NewClient(g.client).ListTopics(ctx, g.config.Topics...)
	if err != nil {
		return nil, fmt.Errorf("the topics cannot be described: %w", err)
	}
	counts := map[string]int32{}
	for _, topic := range slices.Sorted(slices.Values(g.config.Topics)) {
		if err := details[topic].Err; err != nil {
			return nil, &TopicError{topic, err}
		}
		counts[topic] = int32(len(details[topic].Partitions))
	}
	return counts, nil
}
