package judge

import (
	"slices"

	"github.com/kbeat/kbeat/heartbeat"
)

// callbackBegun holds what the application is told against what it was told before.
func (j *Judge) callbackBegun(l *life, e Event) {
	if l.running != 0 {
		j.broken(CallbacksPaired, l.name, "%s while %s runs", e.Callback, l.running)
	}
	l.running, l.letting, l.runs = e.Callback, l.leaving, j.now
	switch e.Callback {
	case heartbeat.CallbackAssigned:
		if l.holding == holdsAll {
			j.broken(CallbacksPaired, l.name, "assigned twice, and neither revoked nor lost between")
		}
		l.holding, l.told = holdsAll, e.Who
		j.checkLeaseBegun(l)
	case heartbeat.CallbackRevoked:
		if l.holding != holdsAll && !(l.leaving && l.holding == holdsUntilNext) {
			j.broken(CallbacksPaired, l.name, "revoked, and nothing is owned")
		}
		l.holding = holdsUntilNext
	case heartbeat.CallbackLost:
		if l.holding == holdsNothing {
			j.broken(CallbacksPaired, l.name, "lost, and nothing is owned")
		}
		l.holding, l.told = holdsNothing, Nobody()
	}
}

func (j *Judge) callbackEnded(l *life, e Event) {
	if l.running != e.Callback {
		j.broken(CallbacksPaired, l.name, "%s has ended, and did not run", e.Callback)
	}
	if e.Callback == heartbeat.CallbackAssigned {
		j.worksAs(l, l.told)
		j.calm.told(j.now)
	}
	if l.letting {
		l.holding, l.told, l.keeps = holdsNothing, Nobody(), e.Err != nil
	}
	l.running, l.letting = 0, false
	for c, w := range l.calls {
		if c.Call != CallCommit {
			w.over += j.now - max(l.runs, w.since)
		}
	}
}

// checkJoin: who joins has told its application, and claims what that still works on.
func (j *Judge) checkJoin(l *life, e Event) {
	switch {
	case l.running != 0:
		j.broken(CallbacksPaired, l.name, "JoinGroup while %s runs", l.running)
		return
	case l.holding == holdsAll:
		j.broken(CallbacksPaired, l.name, "JoinGroup, and the application was told neither revoked nor lost")
		return
	}
	for _, p := range l.holds {
		if !slices.Contains(e.Partitions, p) {
			j.broken(OneOwner, l.name, "JoinGroup without a claim to %s, on which the application works", p)
			return
		}
	}
}

// pollReturned: a poll returns well only when the application has what the member has.
func (j *Judge) pollReturned(l *life, e Event) {
	if e.Err != nil {
		return
	}
	switch {
	case l.holding == holdsAll && l.told != l.who && l.who.Generation == heartbeat.NoGeneration:
		j.broken(NoZombie, l.name, "a poll returns, and nobody has said that generation %d is lost", l.told.Generation)
	case l.holding != holdsAll || l.told != l.who:
		j.broken(CallbacksPaired, l.name, "a poll returns, and the application was not told of generation %d", l.who.Generation)
	}
}

// left: who has left works on nothing, unless it has said by its callback's error that it does not stop in time; and a coordinator that did not refuse to hear of it does not hold it.
func (j *Judge) left(l *life, e Event) {
	if len(l.holds) > 0 && !l.keeps || l.holding != holdsNothing {
		j.broken(CallbacksPaired, l.name, "it has left, and the application still has %v", l.holds)
	}
	if e.Err == nil && l.leaves && l.leavingAs != "" && !l.unheard {
		j.ghosts.gone[l.leavingAs] = departure{l.name, j.now}
	}
	l.leaving, l.leavingAs, l.unheard = false, "", false
}
