package judge

import "time"

// ghosts is what the coordinator holds that no member is.
type ghosts struct {
	view   *View
	orphan map[string]time.Duration // since when the id of nobody is held
	gone   map[string]string        // ids of members that have left, with their names
}

func newGhosts() ghosts {
	return ghosts{orphan: map[string]time.Duration{}, gone: map[string]string{}}
}

// checkGhosts looks at whom the coordinator holds.
func (j *Judge) checkGhosts() {
	g := &j.ghosts
	if g.view == nil {
		return
	}
	for _, m := range g.view.Members {
		if name, ok := g.gone[m.ID]; ok {
			j.broken(NoGhost, name, "has left, and the coordinator holds %q in %s", m.ID, g.view.State)
		}
		if l := j.byID[m.ID]; l != nil && !l.over {
			delete(g.orphan, m.ID)
			continue
		}
		since, ok := g.orphan[m.ID]
		if !ok {
			since = j.now
			g.orphan[m.ID] = since
		}
		since = max(since, g.view.Loaded)
		if most := j.ghostLimit(); j.now-since > most {
			name := ""
			if l := j.byID[m.ID]; l != nil {
				name = l.name
			}
			j.broken(NoGhost, name, "the coordinator holds %q for %s, and no live member is it; it should be gone within %s", m.ID, j.now-since, most)
		}
	}
}

// ghostLimit is how long an id may be held that nobody is: the coordinator waits for it while a rebalance lasts, and then
// for its session to end. A second is the judge's own, who looks no more often.
func (j *Judge) ghostLimit() time.Duration {
	var session, rebalance time.Duration
	for _, l := range j.lives {
		session, rebalance = max(session, l.config.SessionTimeout), max(rebalance, l.config.MaxPollInterval)
	}
	return rebalance + session + time.Second + j.settings.Slack
}
