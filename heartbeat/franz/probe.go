package franz

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/heartbeat"
)

// attempt is a request on one link.
type attempt struct {
	link   *link
	out    *outgoing
	answer kmsg.Response
	end    ending
	took   time.Duration
}

func (a *attempt) run(ctx context.Context) {
	began := time.Now()
	a.answer, a.end = exchange(ctx, a.link.broker, a.link.home.settings, a.out, a.link.conn.up)
	a.took = time.Since(began)
	a.end.broker = a.link.home.addr
}

// answered reports whether the attempt was made and answered.
func (a *attempt) answered() bool { return a.link != nil && a.end.err == nil }

// use is how the link has served the attempt. A link that has failed is not taken again: franz-go may still be closing its
// connection, and the next request would fall into that. That ctx has ended says nothing against a connection that many
// share; the one of a request that is held is its own, and closes with it.
func (a *attempt) use(ctx context.Context) use {
	if a.end.err == nil {
		return use{}
	}
	u := use{failed: ctx.Err() == nil || a.out.route == held}
	if !a.out.sent.Load() && !a.link.conn.up() {
		u.unconnected = a.took
	}
	return u
}

// delay is how long a request waits on the link before it is sent again elsewhere. Where the link is silent already, that
// counts. Up to a tenth of again is added, the same for all requests of the link, so that the processes whose broker hangs
// do not fill its accept queue (50 on Linux) in one moment.
func (l *link) delay(again time.Duration) time.Duration {
	return max(0, again-l.conn.silence()) + time.Duration(l.spread*float64(again)/10)
}

// twice sends r on first's link, and again on a second one when it is not answered in its time. The first stays open: a
// broker that was stopped for a while answers what it has received, and closing takes no request back. Either answer counts.
// When the second is answered first, its link takes the place of the silent one. When the first is, or when both fail, the
// second link is closed with its last user.
func twice(ctx context.Context, first *attempt, r heartbeat.Request) (kmsg.Response, ending) {
	both, cancel := context.WithCancel(ctx)
	defer cancel()
	home := first.link.home
	var second attempt
	var unopened error
	done := make(chan struct{})
	timer := time.AfterFunc(first.link.delay(r.Again), func() {
		defer close(done)
		out, err := encode(r) // franz-go writes the version into the other one
		if err == nil {
			second.out = out
			second.link, err = home.second(first.link, r.Timeout)
		}
		if err != nil {
			unopened = err
			return
		}
		if second.run(both); second.answered() {
			home.replace(first.link)
			cancel()
		}
	})
	first.run(both)
	first.link.give(first.use(both)) // before the second, which takes its place if it is dead
	if timer.Stop() {
		return first.answer, first.end
	}
	if first.answered() {
		cancel()
	}
	<-done
	if second.link != nil {
		served := second.use(both)
		served.second = true
		second.link.give(served)
	}
	switch {
	case first.answered():
		return first.answer, first.end
	case second.answered():
		return second.answer, second.end
	}
	if second.out != nil && second.out.sent.Load() && !first.out.sent.Load() {
		first.end.sent, first.end.code = true, second.end.code
	}
	if unopened == nil {
		unopened = second.end.err
	}
	first.end.err = fmt.Errorf("%w; on a second connection: %w", first.end.err, unopened)
	return nil, first.end
}
