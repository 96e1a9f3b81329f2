package judge

import (
	"slices"
)

// leased notes until when a member may work.
func (j *Judge) leased(l *life, e Event) {
	l.until = e.Until
	for _, v := range j.owners.shared {
		if v.elder == l {
			j.checkShared(v)
		}
	}
}

// works reports whether a member with a lease may work, as far as it knows.
// A process beside which another one with its instance id has lived cannot know: the coordinator gives the place to either.
func (j *Judge) works(l *life) bool {
	return l.config.Lease && l.acts() && j.now < l.until && !slices.ContainsFunc(j.lives, func(o *life) bool {
		return o != l && o.isOf(l.config.InstanceID) && (!o.over || o.ends > l.born)
	})
}

// checkLeaseBegun: SyncGroup's answer prolongs nothing, so that the work waits for the first heartbeat.
func (j *Judge) checkLeaseBegun(l *life) {
	if l.config.Lease && l.told != l.beaten {
		j.broken(LeasedAlone, l.name, "begins to work as %s, and no heartbeat of that was answered", l.told)
	}
}

// checkShared: the elder of two members at work on one partition has no lease any more.
func (j *Judge) checkShared(v *overlap) {
	if l := v.elder; j.works(l) && l.who.Generation < v.younger.works.Generation && !l.isOf(v.younger.config.InstanceID) {
		j.broken(LeasedAlone, l.name, "may work on %s until %s, and %s does", v.partition, l.until, v.younger.name)
	}
}

// checkGiven: who may work on a partition is who was given it.
func (j *Judge) checkGiven(view *View) {
	for _, m := range view.Members {
		for _, p := range m.Owns {
			for _, l := range j.owners.of[p] {
				if j.works(l) && l.who.MemberID != m.ID && !l.isOf(m.Instance) && l.who.Generation < view.Generation &&
					slices.Contains(l.holds, p) {
					j.broken(LeasedAlone, l.name, "may work on %s until %s, and the coordinator has given it to %q in generation %d", p, l.until, m.ID, view.Generation)
				}
			}
		}
	}
}

// isOf reports whether the member is a process of this instance.
func (l *life) isOf(instance string) bool { return instance != "" && l.config.InstanceID == instance }
