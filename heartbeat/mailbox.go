package heartbeat

import "sync"

// letter is an input for the member's Core, with who waits for what comes of it.
type letter struct {
	input   Input   // nil with givenUp of a leave
	from    *caller // or nil
	givenUp bool    // from does not wait any more
}

// mailbox holds letters for the member's goroutine. Posting never blocks, so that whoever is called by the member may post.
type mailbox struct {
	mu      sync.Mutex
	letters []letter
	closed  bool
	arrived chan struct{} // holds something while there are letters
}

func newMailbox() *mailbox { return &mailbox{arrived: make(chan struct{}, 1)} }

func (m *mailbox) post(l letter) {
	m.mu.Lock()
	if !m.closed {
		m.letters = append(m.letters, l)
	}
	m.mu.Unlock()
	wake(m.arrived)
}

// take empties the box.
func (m *mailbox) take() []letter {
	m.mu.Lock()
	defer m.mu.Unlock()
	letters := m.letters
	m.letters = nil
	return letters
}

// close lets no letter in any more.
func (m *mailbox) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed, m.letters = true, nil
}

// wake puts something into a channel of room one, unless it holds something already.
func wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
