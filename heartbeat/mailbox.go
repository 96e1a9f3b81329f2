package heartbeat

import "sync"

// message is an input for the member's Core, with who waits for what comes of it.
type message struct {
	input   Input   // nil with givenUp of a leave
	from    *caller // or nil
	givenUp bool    // from does not wait any more
	renews  bool    // from has polled already, and still waits
}

// mailbox holds messages for the member's goroutine. Posting never blocks, so that whoever is called by the member may post.
type mailbox struct {
	mu       sync.Mutex
	messages []message
	closed   bool
	arrived  chan struct{} // holds something while there are messages
}

func newMailbox() *mailbox { return &mailbox{arrived: make(chan struct{}, 1)} }

func (m *mailbox) post(msg message) {
	m.mu.Lock()
	if !m.closed {
		m.messages = append(m.messages, msg)
	}
	m.mu.Unlock()
	wake(m.arrived)
}

// take empties the box.
func (m *mailbox) take() []message {
	m.mu.Lock()
	defer m.mu.Unlock()
	messages := m.messages
	m.messages = nil
	return messages
}

// close drops all messages, and each that is posted later.
func (m *mailbox) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed, m.messages = true, nil
}

// wake puts something into a channel of room one, unless it holds something already.
func wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
