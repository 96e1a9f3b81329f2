package judge

import "time"

// ghosts is what the coordinator holds that no member is.
type ghosts struct {
	view   *View
	formed time.Duration            // when its generation was first seen
	orphan map[string]time.Duration // since when the id of nobody is held
	gone   map[string]departure     // of members that have left, by their ids
}

// departure is a member that has left.
type departure struct {
	name string
	at   time.Duration
}

func newGhosts() ghosts {
	return ghosts{orphan: map[string]time.Duration{}, gone: map[string]departure{}}
}

// seen takes another view.
func (g *ghosts) seen(j *Judge, v *View) {
	if g.view == nil || g.view.Generation != v.Generation {
		g.formed = j.now
	}
	g.view = v
}

// checkGhosts looks at whom the coordinator holds.
func (j *Judge) checkGhosts() {
	g := &j.ghosts
	if g.view == nil {
		return
	}
	for _, m := range g.view.Members {
		if d, ok := g.gone[m.ID]; ok && d.at >= g.view.Loaded { // what another coordinator loads may be from before
			j.broken(NoGhost, d.name, "has left, and the coordinator holds %q in %s", m.ID, g.view.State)
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
		if m.Instance != "" { // each generation begins its session anew, whether it has joined or not
			since = max(since, g.formed)
		}
		if most := j.ghostLimit(); j.now-since > most {
			name := ""
			if l := j.byID[m.ID]; l != nil {
				name = l.name
			}
			j.broken(NoGhost, name, "the coordinator holds %q for %s, and no live member is it; it should be gone within %s", m.ID, j.now-since, most)
		}
	}
}

// ghostLimit is how long an id may be held that nobody is: a last request may be on its way, then the coordinator waits
// while a rebalance lasts, and then for the session to end. A second is the judge's own, who looks no more often.
func (j *Judge) ghostLimit() time.Duration {
	var session, rebalance, request time.Duration
	for _, l := range j.lives {
		session, rebalance = max(session, l.config.SessionTimeout), max(rebalance, l.config.MaxPollInterval)
		request = max(request, l.config.RequestTimeout)
	}
	return request + rebalance + session + time.Second + j.settings.Slack
}
