package live

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/kbeat/kbeat/tools/kbeat/event"
	"github.com/kbeat/kbeat/tools/kbeat/verdict"
)

// check looks at the group until all is well, and gives up after a while with what is not. A rebalance may be under way.
func (g *group) check(ctx context.Context) []string {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, g.config.StartTimeout)
	defer cancel()
	var problems []string
	for {
		found := g.problems(ctx)
		if len(found) == 0 {
			g.settled(time.Since(began))
			return nil
		}
		if problems == nil || ctx.Err() == nil { // the end of the time says less than what came before
			problems = found
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return problems
		}
	}
}

func (g *group) problems(ctx context.Context) []string {
	topics, err := g.partitions(ctx)
	if err != nil {
		return []string{err.Error()}
	}
	described, err := verdict.Describe(ctx, kadm.NewClient(g.client), g.config.Member.Group)
	if err != nil {
		return []string{err.Error()}
	}
	var members []verdict.Member
	for _, app := range g.members {
		members = append(members, verdict.Member{Name: app.Name(), Status: app.Status(), Owned: app.Owned()})
	}
	return verdict.Problems(members, described, topics, verdict.InCompany)
}

// settled tells who owns what, of the members of this process.
func (g *group) settled(took time.Duration) {
	e := event.Event{Kind: event.Settled, Group: g.config.Member.Group, Took: took.Seconds(), Owners: map[string]event.Partitions{}}
	for _, app := range g.members {
		e.Owners[app.Name()] = event.Partitions(app.Owned())
		e.Generation = app.Status().Generation
	}
	g.emit(e)
}
