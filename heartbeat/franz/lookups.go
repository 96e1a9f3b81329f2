package franz

import (
	"context"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// lookups asks brokers for coordinators, by a franz-go client that knows the whole cluster and, as franz-go clients do,
// refreshes what it knows.
//
// However many members of a group ask, and however often, there are at most four lookups of the group in the first two
// seconds, and then one in 2 s and later in 2.5 s, until one names another node: members wait for each other (see recent). A
// lookup asks one broker after the other. That bounds what an outage costs, in which the brokers go on naming a coordinator
// that does not answer, or none.
type lookups struct {
	settings  settings
	unsure    func(string, time.Duration) []int32 // nodes that may no longer be the coordinator of the group; see Transport
	addresses addresses
	first     uint64 // which of the brokers that are not known comes first

	mu      sync.Mutex
	cl      *kgo.Client // nil before the first lookup
	closed  bool
	learned bool // the client has been told to discover the brokers behind its seeds
	known   map[kgo.Broker]*standing
	open    map[string]*lookup // under way, by group
	recent  map[string]*recent // by group
}

func newLookups(s settings, unsure func(string, time.Duration) []int32) *lookups {
	return &lookups{
		settings: s, unsure: unsure, first: s.random.uint64(),
		known: map[kgo.Broker]*standing{}, open: map[string]*lookup{}, recent: map[string]*recent{},
	}
}

// ask looks up the coordinator of r's group. Whoever asks while a lookup of the group is under way waits for that one, each
// until its own ctx ends; whoever asks in the pause after one waits for the end of the pause, and gets a fresh answer. One that came
// late is as good, as long as it is not forgotten.
func (l *lookups) ask(ctx context.Context, r heartbeat.Request) outcome {
	asked := time.Now()
	for {
		q, last := l.join(r)
		switch {
		case q != nil:
			return q.await(ctx)
		case last == nil:
			return outcome{end: ending{code: classic.CodeDisconnect, err: kgo.ErrClientClosed}}
		case last.at.After(asked):
			return last.outcome
		}
		timer := time.NewTimer(time.Until(last.at.Add(last.pause())))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return outcome{end: ending{code: classic.CodeDisconnect, err: ctx.Err()}}
		}
	}
}

// await is the result of a lookup, for one who waits until ctx ends.
func (q *lookup) await(ctx context.Context) outcome {
	select {
	case <-q.done:
		return q.result
	case <-ctx.Done():
		return q.quit(ctx)
	}
}

// join is the lookup of r's group that is under way, or a new one; or the last one, in the pause after that. It is neither
// where nothing can be asked any more.
func (l *lookups) join(r heartbeat.Request) (*lookup, *recent) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, nil
	}
	q := l.open[r.Group]
	if q == nil {
		switch last := l.recent[r.Group]; {
		case last != nil && last.late:
			last.late = false
			q = &lookup{home: l, request: r, result: last.outcome, done: make(chan struct{})}
			close(q.done)
		case last != nil && time.Since(last.at) < last.pause():
			return nil, last
		default:
			q = l.begin(r)
		}
	}
	q.waiting++
	return q, nil
}

// recent is how the last lookup of a group has ended. Who asks within the pause that follows waits for its end. It grows while
// the brokers name the same node, or none, and are asked more often than every 2 s: 0, 500 ms, 1.25 s, 2 s. So after a node
// that is new the next lookup is made at once, and after one that is still wrong ever later. It is 2.5 s when a broker that
// has died must have been replaced long ago (broker.session.timeout.ms is 9 s by default).
type recent struct {
	outcome outcome
	at      time.Time
	node    int32     // that a lookup has named last; AnyBroker where none has
	since   time.Time // that node is named, or none
	step    int       // of the pauses
	late    bool      // the answer came when its lookup was over, and nobody has had it yet
}

var lookupPauses = [...]time.Duration{0, 500 * time.Millisecond, 1250 * time.Millisecond, 2 * time.Second}

const (
	longPause   = 2500 * time.Millisecond
	longOutage  = 20 * time.Second // after it pauses are the longest
	forgetAfter = 4 * longPause    // without a lookup of the group
)

func (r *recent) pause() time.Duration {
	if last := len(lookupPauses) - 1; r.step == last && r.at.Sub(r.since) > longOutage {
		return longPause
	}
	return lookupPauses[r.step]
}

// late keeps an answer that has come when its lookup was over: for the lookup that is under way, or else for the next one,
// if the last one had none.
func (l *lookups) late(group string, o outcome) {
	if !o.found() {
		return
	}
	if q := l.open[group]; q != nil {
		q.finish(o)
	} else if last := l.recent[group]; last != nil && last.outcome.answer == nil {
		l.remember(group, o)
		l.recent[group].late = true
	}
}

// remember keeps how a lookup of a group has ended. One that names no node, or the same one as before, is no news.
func (l *lookups) remember(group string, o outcome) {
	at, last := time.Now(), l.recent[group]
	now := &recent{outcome: o, node: heartbeat.AnyBroker, at: at, since: at}
	if last != nil {
		now.node = last.node
	}
	news := last == nil
	if o.found() {
		node := o.response().Node
		news, now.node = node != now.node, node
	}
	if !news {
		most := len(lookupPauses) - 1
		rested := int(at.Sub(last.at) / lookupPauses[most])
		now.since, now.step = last.since, min(max(last.step+1-rested, 0), most)
	}
	l.recent[group] = now
	time.AfterFunc(forgetAfter, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.recent[group] == now {
			delete(l.recent, group)
		}
	})
}

// close ends the lookups that are under way by ending their requests.
func (l *lookups) close() {
	l.mu.Lock()
	l.closed = true
	cl := l.cl
	l.mu.Unlock()
	if cl != nil {
		cl.Close()
	}
}
