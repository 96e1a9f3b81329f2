package franz

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// broker is the links to one address. It begins with its first link and ends with its last.
type broker struct {
	addr     string
	settings settings
	ended    func(*broker) // called when there is no link any more, with no lock held

	mu    sync.Mutex
	joint [held]*link        // by route, those that many requests share; nil when there is none
	probe *link              // beside joint[prompt] while that is silent; nil when there is none
	lanes []*link            // each has carried a request that was held, and is free for another; the last used is last
	links map[*link]struct{} // all that are open

	closed bool
}

func newBroker(addr string, s settings, ended func(*broker)) *broker {
	return &broker{addr: addr, settings: s, ended: ended, links: map[*link]struct{}{}}
}

// take is a link for one request, which has limit for its answer. One that has died while it rested is given up.
func (b *broker) take(r route, limit time.Duration) (*link, error) {
	b.mu.Lock()
	var dead *link
	l := b.free(r)
	if l != nil && l.users == 0 && l.dead(use{}) {
		b.withdraw(l)
		dead, l = l, b.free(r)
	}
	taken, err := b.occupy(l, r, limit)
	b.mu.Unlock()
	if dead != nil {
		b.shut(dead)
	}
	return taken, err
}

// occupy counts a user of l, or of a new link where that is nil.
func (b *broker) occupy(l *link, r route, limit time.Duration) (*link, error) {
	if l == nil {
		var err error
		if l, err = b.open(r); err != nil {
			return nil, err
		}
		if r != held {
			b.joint[r] = l
		}
	}
	return l.use(limit), nil
}

// second is a link for a request that l does not answer. All requests that l leaves unanswered share it.
func (b *broker) second(l *link, limit time.Duration) (*link, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if joint := b.joint[prompt]; joint != l && joint != nil {
		return joint.use(limit), nil // it has taken l's place
	}
	if b.probe == nil {
		p, err := b.open(prompt)
		if err != nil {
			return nil, err
		}
		b.probe = p
	}
	return b.probe.use(limit), nil
}

// open makes a link, unless the transport has closed.
func (b *broker) open(r route) (*link, error) {
	if b.closed {
		return nil, kgo.ErrClientClosed
	}
	l, err := newLink(b, r)
	if err != nil {
		return nil, err
	}
	b.links[l] = struct{}{}
	return l, nil
}

// free is an open link that a request by route r can take.
func (b *broker) free(r route) *link {
	if r != held {
		return b.joint[r]
	}
	n := len(b.lanes)
	if n == 0 {
		return nil
	}
	l := b.lanes[n-1]
	b.lanes = b.lanes[:n-1]
	return l
}

// give ends the use of a link. One that has failed, or is dead, is not taken again: others that use it may end, then it is
// closed.
func (b *broker) give(l *link, u use) {
	b.mu.Lock()
	l.users--
	if u.failed || l.dead(u) || l == b.probe && l.users == 0 {
		b.withdraw(l)
	}
	unused := l.spent && l.users == 0
	if _, open := b.links[l]; open && !l.spent && l.users == 0 {
		if l.route == held {
			b.lanes = append(b.lanes, l)
		}
		l.rest = time.AfterFunc(b.settings.rest, func() { b.rested(l) })
	}
	b.mu.Unlock()
	if unused {
		b.shut(l)
	}
}

// replace lets the probe take the place of l, which it was opened beside, because it has been answered first.
func (b *broker) replace(l *link) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.joint[prompt] == l && b.probe != nil {
		b.withdraw(l)
	}
}

// withdraw keeps a link from being taken again. The probe, if there is one, takes the place of the link beside it.
func (b *broker) withdraw(l *link) {
	l.spent = true
	switch {
	case l.route == held:
		b.lanes = slices.DeleteFunc(b.lanes, func(o *link) bool { return o == l })
	case l == b.probe:
		b.probe = nil
	case l == b.joint[prompt]:
		b.joint[prompt], b.probe = b.probe, nil
	case l == b.joint[l.route]:
		b.joint[l.route] = nil
	}
}

// heardWithin reports whether the broker has answered anything in the last d.
func (b *broker) heardWithin(d time.Duration) bool {
	for l := range b.links {
		if l.conn.heardWithin(d) {
			return true
		}
	}
	return false
}

// silence is how long the connection for heartbeats has answered nothing.
func (b *broker) silence() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l := b.joint[prompt]; l != nil {
		return l.conn.silence()
	}
	return 0
}

// rested closes a link that nobody has used for long enough. One in which a commit is under way that nobody waits for any
// more is kept, so that the next commit comes after it.
func (b *broker) rested(l *link) {
	b.mu.Lock()
	unused := l.users == 0 && !l.spent
	switch {
	case unused && l.route == replicated && l.conn.silence() > 0:
		unused = false
		l.rest.Reset(b.settings.rest)
	case unused:
		b.withdraw(l)
	}
	b.mu.Unlock()
	if unused {
		b.shut(l)
	}
}

func (b *broker) shut(l *link) {
	b.mu.Lock()
	_, open := b.links[l]
	delete(b.links, l)
	last := open && len(b.links) == 0
	b.mu.Unlock()
	if open {
		l.cl.Close()
	}
	if last {
		b.ended(b)
	}
}

// linked reports whether there is a link.
func (b *broker) linked() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.links) > 0
}

// close closes all links, whoever uses them.
func (b *broker) close() {
	b.mu.Lock()
	b.closed = true
	links := slices.Collect(maps.Keys(b.links))
	for _, l := range links {
		b.withdraw(l)
		if l.rest != nil {
			l.rest.Stop()
		}
	}
	b.mu.Unlock()
	for _, l := range links {
		b.shut(l)
	}
}
