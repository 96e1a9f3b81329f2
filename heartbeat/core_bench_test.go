package heartbeat

import (
	"testing"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
)

// A heartbeat, from its timer's end to its answer: what a member in a group that is at rest costs every three seconds.
func BenchmarkCoreHeartbeat(b *testing.B) {
	d := drive(b).join()
	b.ReportAllocs()
	for b.Loop() {
		d.now += 3 * time.Second
		for _, o := range d.core.Step(d.now, Tick{}) {
			if r, ok := o.(Request); ok {
				d.core.Step(d.now, Response{ID: r.ID})
			}
		}
		if d.core.over(classic.TimerMaxPoll) {
			b.Fatal("the member left")
		}
		d.core.Step(d.now, Poll{})
	}
}

// A poll of a member that has what it should have.
func BenchmarkCorePoll(b *testing.B) {
	d := drive(b).join()
	b.ReportAllocs()
	for b.Loop() {
		d.core.Step(d.now, Poll{})
	}
}
