package live

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/kbeat/application"
)

// pause is between two tries to reach the cluster.
const pause = 250 * time.Millisecond

// silence is how long brokers may take to answer before that is said.
const silence = 2 * time.Second

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
	end := time.Now().Add(timeout)
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	var once sync.Once
	note := func(why string) {
		once.Do(func() { g.say(fmt.Sprintf("no broker answers yet%s; trying for %s", why, timeout)) })
	}
	defer time.AfterFunc(silence, func() { note("") }).Stop()
	var last error
	for {
		answer := g.transport.Send(ctx, heartbeat.Request{
			API: classic.InputFindCoordinator, Node: heartbeat.AnyBroker, Timeout: timeout, Group: g.config.Member.Group,
		})
		rule := classic.DecideFindCoordinator(classic.Initial(), answer.Code, classic.FindCoordinatorGuards{})
		switch {
		case rule.Result.Class() == fsm.ClassFatal:
			return &heartbeat.Error{
				Name: answer.Code.String(), Input: rule.Input, Code: answer.Code, Group: g.config.Member.Group,
				Generation: heartbeat.NoGeneration, Rule: rule, Err: answer.Err,
			}
		case !application.Unanswered(answer.Code):
			return nil
		}
		inTime := ctx.Err() == nil && time.Now().Before(end) // a dialer can notice the end before ctx does
		if inTime {
			note(fmt.Sprintf(": %v", answer.Err))
		}
		if last == nil || inTime { // the end of the time says less than what came before
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

// partitions is how many each topic has. It asks the brokers each time.
func (g *group) partitions(ctx context.Context) (map[string]int32, error) {
	ctx, cancel := context.WithTimeout(ctx, g.config.StartTimeout)
	defer cancel()
	req := kmsg.NewPtrMetadataRequest()
	for _, topic := range g.config.Topics {
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = &topic
		req.Topics = append(req.Topics, t)
	}
	answer, err := req.RequestWith(ctx, g.client)
	if err != nil {
		return nil, fmt.Errorf("the topics cannot be described: %w", err)
	}
	counts := map[string]int32{}
	for _, t := range answer.Topics {
		if err := kerr.ErrorForCode(t.ErrorCode); err != nil {
			return nil, &TopicError{*t.Topic, err}
		}
		counts[*t.Topic] = int32(len(t.Partitions))
	}
	return counts, nil
}
