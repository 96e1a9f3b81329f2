package franz

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

const (
	// overdue is how long a broker has for its answer before the next one is asked, too.
	overdue = 500 * time.Millisecond
	// hopeless is how long the last broker has where none has answered or failed.
	hopeless = 2 * time.Second
)

// outcome is how a lookup, or one broker's part in it, has ended.
type outcome struct {
	answer *kmsg.FindCoordinatorResponse
	end    ending
}

// response is what the answer says.
func (o outcome) response() heartbeat.Response {
	r, _ := foundCoordinator(o.answer)
	return r
}

// found reports whether the outcome names the coordinator.
func (o outcome) found() bool { return o.answer != nil && o.response().Code == classic.CodeNone }

// final reports whether no other broker needs to be asked: this one has answered, or failed in a way in which the others
// will.
func (o outcome) final() bool { return o.answer != nil || o.end.err != nil && !o.end.code.Retriable() }

// lookup is one question for a group's coordinator, to one broker after the other. All members of the group that ask
// meanwhile share it. It goes on when one of them gives up. What has been sent is never cancelled: a broker owes the answer
// until it comes, or until its connection ends.
//
// A lookup does not wait for brokers that hang: a broker that has failed may be back, and only another lookup asks it again.
// So it fails when there is nobody left to ask, one broker has failed, and the answers of the others are overdue; or when
// none has failed, and the last one is silent for too long. An answer that comes after that counts for the next lookup, so
// that a broker, or the way to it, may be slow.
type lookup struct {
	home    *lookups
	request heartbeat.Request // of the one who began it

	// Of the mutex of home.
	waiting int // callers
	asked   map[kgo.Broker]*question
	latest  kgo.Broker // that was asked, while its answer is not overdue
	since   time.Time  // when the latest one was asked
	next    *time.Timer
	best    outcome // that ends the lookup if no broker names the coordinator

	done   chan struct{}
	result outcome // when done is closed
}

// question is a lookup's request to one broker.
type question struct {
	*outgoing
	cancel context.CancelFunc
	since  time.Time
	ended  bool
}

// begin makes a lookup and asks the first broker. The mutex of home is held, as in all that follows unless it says otherwise.
func (l *lookups) begin(r heartbeat.Request) *lookup {
	q := &lookup{home: l, request: r, asked: map[kgo.Broker]*question{}, since: time.Now(), done: make(chan struct{})}
	l.open[r.Group] = q
	q.next = time.AfterFunc(overdue, q.overdue)
	q.ask()
	return q
}

// over reports whether the lookup has ended.
func (q *lookup) over() bool { return q.home.open[q.request.Group] != q }

// ask asks the next broker, unless one has ended the lookup. It is called when the answers of the others are overdue. If there
// is no other broker, the lookup ends with the failure of one of them, or waits for the last one.
func (q *lookup) ask() {
	if q.best.final() {
		q.finish(q.best)
		return
	}
	b, err := q.home.choose(q)
	if err != nil {
		q.best = outcome{end: ending{code: classic.CodeDisconnect, err: err}}
	}
	if b == nil {
		switch silence := time.Since(q.since); {
		case q.best.end.err != nil:
			q.finish(q.failure(nil))
		case silence >= hopeless:
			q.finish(q.failure(errHung))
		default:
			q.next.Reset(hopeless - silence)
		}
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), q.request.Timeout)
	out := &question{outgoing: outgoingFor(findCoordinator(q.request), q.request), cancel: cancel, since: time.Now()}
	q.asked[*b] = out
	q.latest, q.since = *b, out.since
	q.next.Reset(overdue)
	go q.exchange(ctx, b, out, q.home.asks(*b, q.request.Group))
}

// errHung is why a lookup ends in which brokers were asked, and none has failed.
var errHung = errors.New("all brokers that are known were asked")

// exchange asks one broker. The mutex is not held.
func (q *lookup) exchange(ctx context.Context, b *kgo.Broker, out *question, settle func(answered bool)) {
	defer out.cancel()
	l := q.home
	answer, end := exchange(ctx, b, l.settings, out.outgoing, unknown)
	end.broker, end.sent = l.addresses.of(l.cl, *b), out.sent.Load()
	o := outcome{end: end}
	o.answer, _ = answer.(*kmsg.FindCoordinatorResponse)

	l.mu.Lock()
	defer l.mu.Unlock()
	settle(o.end.err == nil)
	out.ended = true
	q.ended(*b, o)
}

// unknown is what is known of the connections for lookups: nothing is decided by it.
func unknown() bool { return false }

// ended takes how one broker's request ended.
func (q *lookup) ended(b kgo.Broker, o outcome) {
	if q.latest == b {
		q.latest = kgo.Broker{}
	}
	switch {
	case q.over():
		q.home.late(q.request.Group, o)
	case o.found():
		q.finish(o)
	default:
		if o.final() || !q.best.final() {
			q.best = o
		}
		if q.latest == (kgo.Broker{}) { // else its answer decides, or that it is overdue
			q.ask()
		}
	}
}

// overdue goes on without the broker that was asked last. The mutex is not held.
func (q *lookup) overdue() {
	q.home.mu.Lock()
	defer q.home.mu.Unlock()
	if q.over() || time.Since(q.since) < overdue { // another broker has been asked since the timer ran out
		return
	}
	q.latest = kgo.Broker{}
	if q.waiting > 0 {
		q.ask()
	} else {
		q.finish(outcome{end: ending{code: classic.CodeDisconnect, err: context.Canceled}}) // nobody waits for it
	}
}

func (q *lookup) finish(o outcome) {
	q.next.Stop()
	if o.answer != nil || q.waiting == 0 {
		for _, out := range q.asked {
			if !out.sent.Load() {
				out.cancel() // it waits for a connection, and nobody for its answer
			}
		}
	}
	delete(q.home.open, q.request.Group)
	if o.answer != nil || q.waiting > 0 {
		q.home.remember(q.request.Group, o)
	}
	q.result = o
	close(q.done)
}

// quit is the outcome for a caller whose ctx ends before the lookup. It ends with the last failure, if there was one.
func (q *lookup) quit(ctx context.Context) outcome {
	q.home.mu.Lock()
	defer q.home.mu.Unlock()
	q.waiting--
	return q.failure(ctx.Err())
}

// failure is the outcome of a lookup that ends because of why, or by the last failure where that is nil. It names the brokers
// that have not answered, and since when they have not.
func (q *lookup) failure(why error) outcome {
	end := q.best.end
	var silent []string
	for b, out := range q.asked {
		end.sent = end.sent || out.sent.Load()
		if !out.ended {
			silent = append(silent, fmt.Sprintf("%s for %s", q.home.addresses.of(q.home.cl, b), time.Since(out.since).Round(time.Millisecond)))
		}
	}
	slices.Sort(silent)
	none := "no answer from " + strings.Join(silent, ", ")
	switch {
	case len(silent) == 0 && why == nil:
	case why == nil:
		end.err = fmt.Errorf("%w; %s", end.err, none)
	default:
		end.code = classic.CodeDisconnect
		why = fmt.Errorf("%s: %w", none, why)
		if end.err != nil {
			why = fmt.Errorf("%w; the last failure: %w", why, end.err)
		}
		end.err = why
	}
	return outcome{end: end}
}
