package world

import (
	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/sim/judge"
)

// read reads what comes next, as who the application is now, and commits it when it is worked through. A worker that takes
// its time does not look at what has become of its partitions meanwhile: they may be somebody else's, or this member's
// again in a later generation.
func (a *application) read() {
	x, reader := a.process, a.told
	if x.person.Batch == 0 {
		a.commit(reader)
		return
	}
	x.after(x.draw.between(0, x.person.Batch), func() { a.commit(reader) })
}

// commit commits offsets that were read as reader.
func (a *application) commit(reader judge.Identity) {
	x := a.process
	if reader != x.who() {
		x.world.outcome.AskedLate++
	}
	a.commits++
	x.step(heartbeat.CommitAsked{
		ID: a.commits, Member: reader.MemberID, Generation: reader.Generation,
		Offsets: []heartbeat.Offset{{Topic: "t", Offset: int64(a.commits), LeaderEpoch: -1, Metadata: reader.Metadata()}},
	})
}

// readers are whose offsets a request carries.
func readers(r heartbeat.Request) []judge.Identity {
	metadata := make([]string, len(r.Offsets))
	for i, o := range r.Offsets {
		metadata[i] = o.Metadata
	}
	return judge.Readers(metadata...)
}

// reportStored answers a commit, and reports that the coordinator has taken it, where it has.
func (f *flight) reportStored(answer func(heartbeat.Response)) func(heartbeat.Response) {
	return func(r heartbeat.Response) {
		if r.Code == classic.CodeNone {
			f.process.world.saw(judge.Event{
				Member: f.process.name, Kind: judge.Stored, Who: sender(f.request), Read: readers(f.request),
			})
		}
		answer(r)
	}
}
