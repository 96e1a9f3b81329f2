package franz

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// broker is the links to one address. It begins with its first link and ends with its last.
type broker struct {
	addr     string
	settings settings
	ended    func(*broker) // called when there is no link any more, with no lock held

	mu    sync.Mutex
	joint [held]*link        // by route, those that many requests share; nil when there is none
	lanes []*link            // each has carried a request that was held, and is free for another; the last used is last
	links map[*link]struct{} // all that are open
}

func newBroker(addr string, s settings, ended func(*broker)) *broker {
	return &broker{addr: addr, settings: s, ended: ended, links: map[*link]struct{}{}}
}

// take is a link for one request.
func (b *broker) take(r route) (*link, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.free(r)
	if l == nil {
		var err error
		if l, err = newLink(b, r); err != nil {
			return nil, err
		}
		b.links[l] = struct{}{}
		if r != held {
			b.joint[r] = l
		}
	}
	if l.rest != nil {
		l.rest.Stop() // if it has just run out, rested sees that the link is in use
	}
	l.users++
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

// give ends the use of a link. A spent one is not taken again: others that use it may end, then it is closed.
func (b *broker) give(l *link, spent bool) {
	b.mu.Lock()
	l.users--
	if spent {
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

// withdraw keeps a link from being taken again.
func (b *broker) withdraw(l *link) {
	l.spent = true
	if l.route == held {
		b.lanes = slices.DeleteFunc(b.lanes, func(o *link) bool { return o == l })
	} else if b.joint[l.route] == l {
		b.joint[l.route] = nil
	}
}

// rested closes a link that nobody has used for long enough.
func (b *broker) rested(l *link) {
	b.mu.Lock()
	unused := l.users == 0 && !l.spent
	if unused {
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

// linked says whether there is a link.
func (b *broker) linked() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.links) > 0
}

// close closes all links, whoever uses them.
func (b *broker) close() {
	b.mu.Lock()
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
