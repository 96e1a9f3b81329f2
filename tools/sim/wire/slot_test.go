package wire

import (
	"fmt"
	"sync"
	"time"

	"github.com/kbeat/kbeat/tools/sim/judge"
)

// slot is a place in the group.
type slot struct {
	index int
	role  role

	mu      sync.Mutex
	lives   int
	process *process // nil while there is none
	away    int      // faults that keep the place empty
	twins   int
}

// start lets a process take a place, unless a fault keeps it empty.
func (w *world) start(s *slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.mu.Lock()
	ended := w.ended
	w.mu.Unlock()
	if ended || s.away > 0 || s.process != nil {
		return
	}
	s.lives++
	p, err := w.begin(nameOf(s.index, s.lives), s.role, newDice(w.plan.seed, 10).fork(uint64(1000*s.index+s.lives)))
	if err != nil {
		w.fail(err)
		return
	}
	s.process = p
	w.work.Go(func() { w.attend(s, p) })
}

// nameOf is the name of the nth process in a place.
func nameOf(slot, nth int) string {
	if nth > 1 {
		return fmt.Sprintf("m%d.%d", slot+1, nth)
	}
	return fmt.Sprintf("m%d", slot+1)
}

// attend starts a process anew that has ended by itself.
func (w *world) attend(s *slot, p *process) {
	<-p.over
	if p.err == nil || !s.leave(p) {
		return // somebody has ended it
	}
	if err := p.close(10 * time.Second); err != nil {
		w.see(judge.Event{Member: p.name, Kind: judge.Left, Err: err})
	}
	time.Sleep(3 * time.Second)
	w.start(s)
}

// twinName is the name of another process beside who is in the place.
func (s *slot) twinName() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.twins++
	return fmt.Sprintf("m%d-twin%d", s.index+1, s.twins)
}

// take empties the place, and is who was in it.
func (s *slot) take() *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.process
	s.process = nil
	return p
}

// leave empties the place of p; false where it was not p's any more.
func (s *slot) leave(p *process) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process != p {
		return false
	}
	s.process = nil
	return true
}

// present is who is in the place.
func (s *slot) present() *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process
}

// keep says that a fault keeps the place empty, or does so no more.
func (s *slot) keep(by int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away += by
}
