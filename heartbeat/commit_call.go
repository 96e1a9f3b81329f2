package heartbeat

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
)

// partition is what an offset is of.
type partition struct {
	topic  string
	number int32
}

func partitionOf(o Offset) partition { return partition{o.Topic, o.Partition} }

// commitCall is a commit that goes on. All but replaced belongs to the goroutine that has called it.
type commitCall struct {
	who      identity
	offsets  []Offset // as asked
	pending  []Offset // neither stored nor given up
	dropped  []Offset // given up, because they were replaced
	refused  *Error   // of what can never succeed; nil where there is none
	last     *Error   // of what may yet succeed
	tried    bool     // once
	before   error    // what was behind the failure of the first try
	unknown  bool     // a request was sent and not answered
	replaced map[partition]bool
	begun    bool          // it is among the commits that go on
	news     chan struct{} // holds something when replaced has grown, or the member's identity has changed
}

// answered takes note of the failure of a try: what is pending is what may succeed next time.
func (c *commitCall) answered(e *Error) {
	if !c.tried {
		c.tried, c.before = true, e.Err
	} else if cause, ok := errors.AsType[*Error](e.Err); ok && cause != c.before && cause.Rule.Result.Class() == fsm.ClassFatal {
		failed := *cause // the lookup has failed for good during this call: a poll, which came first, has received that
		e = &failed
	}
	c.unknown = c.unknown || e.Unknown
	if len(e.Partitions) == 0 {
		if c.last = e; !e.Retriable {
			c.refuse(e)
			c.pending = nil
		}
		return
	}
	again := map[partition]bool{}
	retriable, refused := *e, *e
	retriable.Partitions, refused.Partitions, refused.Retriable = nil, nil, false
	for i, p := range e.Partitions {
		to := &refused
		if e.rules[i].Result.Class() == fsm.ClassBackoff {
			to, again[partition{p.Topic, p.Partition}] = &retriable, true
		}
		if len(to.Partitions) == 0 {
			to.Name, to.Code, to.Rule = errorName(e.rules[i], p.Code), p.Code, e.rules[i]
		}
		to.Partitions = append(to.Partitions, p)
	}
	if len(refused.Partitions) > 0 {
		c.refuse(&refused)
	}
	if c.last = nil; len(retriable.Partitions) > 0 {
		retriable.Retriable = true
		c.last = &retriable
	}
	c.pending = slices.DeleteFunc(slices.Clone(c.pending), func(o Offset) bool { return !again[partitionOf(o)] })
}

// refuse adds what can never succeed to what was refused before.
func (c *commitCall) refuse(e *Error) {
	if c.refused == nil {
		c.refused = e
		return
	}
	all := *c.refused
	all.Partitions = slices.Concat(all.Partitions, e.Partitions)
	c.refused = &all
}

// lastFailure is why the last try has failed; nil where it has not.
func (c *commitCall) lastFailure() error {
	if c.last == nil {
		return nil
	}
	last := *c.last
	last.Unknown = c.unknown
	return &last
}

// outcome is the error of a commit of which nothing is pending.
func (c *commitCall) outcome() error { return c.cut(nil) }

// cut is the error of a commit that ends with cause, unless that is nil, and with what of it was refused or replaced.
func (c *commitCall) cut(cause error) error {
	var errs []error
	if cause != nil {
		errs = append(errs, cause)
	}
	if c.refused != nil {
		refused := *c.refused
		if refused.Unknown = c.unknown; c.unknown && refused.Is(classic.ErrorCommitFailed) { // an earlier try may have stored them
			refused.Name = classic.ErrorCommitUnknown.String()
		}
		errs = append(errs, &refused)
	}
	if len(c.dropped) > 0 {
		errs = append(errs, fmt.Errorf("commit of %s: %w", listOffsets(c.dropped), ErrReplaced))
	}
	if len(errs) == 0 {
		return nil
	}
	err := errs[0]
	for _, other := range errs[1:] {
		err = fmt.Errorf("%w; and %w", err, other)
	}
	if c.unknown && !errors.Is(err, ErrOutcomeUnknown) {
		err = fmt.Errorf("%w; %w", err, ErrOutcomeUnknown)
	}
	return err
}

// listOffsets names the partitions of offsets: "t-0, t-1".
func listOffsets(offsets []Offset) string {
	names := make([]string, 0, mostListed)
	for _, o := range offsets[:min(len(offsets), mostListed)] {
		names = append(names, fmt.Sprintf("%s-%d", o.Topic, o.Partition))
	}
	return withMore(names, len(offsets))
}

func newCommitCall(who identity, offsets []Offset) *commitCall {
	return &commitCall{
		who: who, offsets: offsets, pending: offsets, replaced: map[partition]bool{}, news: make(chan struct{}, 1),
	}
}

// commits are the commits that go on.
type commits struct {
	mu    sync.Mutex
	calls []*commitCall
}

// post sends what is pending of a commit and was not replaced, by post, which is not called where nothing is left. One lock
// is held from the look at what was replaced until post has returned, and from the moment in which a commit replaces others
// until its own first post: an older commit that is tried again is either replaced, or posted before the newer one.
func (s *commits) post(c *commitCall, post func([]Offset) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !c.begun {
		s.begin(c)
	}
	if s.dropReplaced(c); len(c.pending) == 0 {
		return nil
	}
	return post(c.pending)
}

// begin adds a commit. It replaces those of the same partitions, of the same identity, that came before it.
func (s *commits) begin(c *commitCall) {
	mine := make(map[partition]bool, len(c.offsets))
	for _, o := range c.offsets {
		mine[partitionOf(o)] = true
	}
	for _, other := range s.calls {
		if other.who != c.who {
			continue
		}
		for _, o := range other.offsets {
			if p := partitionOf(o); mine[p] {
				other.replaced[p] = true
				wake(other.news)
			}
		}
	}
	s.calls = append(s.calls, c)
	c.begun = true
}

func (s *commits) end(c *commitCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = slices.DeleteFunc(s.calls, func(other *commitCall) bool { return other == c })
}

// drop gives up what of a commit was replaced.
func (s *commits) drop(c *commitCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropReplaced(c)
}

// dropReplaced is drop under the lock.
func (s *commits) dropReplaced(c *commitCall) {
	var pending []Offset
	for _, o := range c.pending {
		if c.replaced[partitionOf(o)] {
			c.dropped = append(c.dropped, o)
		} else {
			pending = append(pending, o)
		}
	}
	c.pending = pending
}

// wakeAll lets every commit look whether its generation has ended.
func (s *commits) wakeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		wake(c.news)
	}
}
