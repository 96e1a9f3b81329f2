package judge

import (
	"slices"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// answered keeps an answer for the rule that decides about it.
func (j *Judge) answered(l *life, e Event) {
	l.answers[e.Request] = e
	sent := l.open[e.Request].at
	delete(l.open, e.Request)
	if e.Code != classic.CodeNone && (e.API == lookup || e.API == classic.InputHeartbeat) {
		l.failed = j.now
	}
	switch e.API {
	case lookup:
		l.lookups--
		l.sign, l.lookedUp, l.named = j.now, j.now, e.Node
	case classic.InputHeartbeat:
		if e.Code == classic.CodeNone {
			l.beaten = l.asked[e.Request]
			j.owners.confirmed(j, l, sent)
		}
	case classic.InputJoinGroup:
		l.offered = e.Who.MemberID
	case classic.InputLeaveGroup:
		l.unheard = l.unheard || e.Code != classic.CodeNone
	}
}

// fired follows what a rule does to the identity, the state and the session.
func (j *Judge) fired(l *life, e Event) {
	answer, answered := l.answers[e.Request]
	asked, known := l.asked[e.Request]
	if e.Request != 0 {
		delete(l.answers, e.Request)
		delete(l.asked, e.Request)
		if e.Code == classic.CodeAbandoned {
			delete(l.open, e.Request)
		} else if !answered {
			j.broken(IdentityByRules, l.name, "rule %s decided about an answer to request %d, and there was none", e.Rule, e.Request)
		} else if e.Code != answer.Code && e.Code != classic.CodeMalformed {
			j.broken(IdentityByRules, l.name, "rule %s decided about %s, and the answer was %s", e.Rule, e.Code, answer.Code)
		}
	}
	before, joined, loop := l.who, l.joined(), l.loop
	if e.Rule.Input == classic.InputReleased {
		l.leavingAs = l.who.MemberID
	}
	for _, do := range e.Rule.Do {
		j.follow(l, do.Effect, answer.Who)
	}
	j.paced(l, e)
	l.checked = l.checkDue
	l.watch(j.now, e.Rule.Starts)
	if e.Rule.Starts.Has(classic.TimerSession) {
		l.session = j.now
	}
	if l.who.Generation == heartbeat.NoGeneration {
		l.session = never
	}
	l.state = e.To
	if known && asked != before {
		j.checkLate(l, e, asked, before)
	}
	if before != l.who || joined != l.joined() || loop != l.loop {
		j.owners.change(j, l)
	}
	j.calm.moved(j, l, e)
}

// follow does what an effect does to the identity, the coordinator and the loop; given is the identity in the answer that the
// rule decided about.
func (j *Judge) follow(l *life, do classic.Effect, given Identity) {
	switch do {
	case classic.EffectTakeMemberID:
		j.become(l, Identity{given.MemberID, heartbeat.NoGeneration})
	case classic.EffectTakeIdentity:
		j.become(l, given)
	case classic.EffectResetGeneration:
		j.become(l, Identity{l.who.MemberID, heartbeat.NoGeneration})
	case classic.EffectResetIdentity:
		j.become(l, Nobody())
	case classic.EffectTakeCoordinator:
		l.known, l.node = true, l.named
	case classic.EffectLoseCoordinator:
		l.known = false
	case classic.EffectFailLoop:
		l.loop = loopBroken
	case classic.EffectStartLoop:
		l.loop = loopNew
		if l.quiet != never { // from now on it is watched for again
			l.quiet = j.now
		}
	case classic.EffectEnableLoop:
		if l.loop == loopNew {
			l.loop = loopRuns
		}
		l.sign = j.now
	}
}

// checkLate: what is answered to a request is about who has sent it, and the member is somebody else by now.
func (j *Judge) checkLate(l *life, e Event, asked, before Identity) {
	if l.who != before || e.From != e.To {
		j.broken(LateAnswersIgnored, l.name, "rule %s decided about an answer to %s, and has made %s, %s, into %s, %s",
			e.Rule, asked, before, e.From, l.who, e.To)
	}
}

// become gives the member another identity, and remembers the former as long as its instant lasts: what was sent in it may
// be seen after it.
func (j *Judge) become(l *life, who Identity) {
	l.was = slices.DeleteFunc(l.was, func(f former) bool { return f.until < j.now-j.settings.Slack })
	l.was = append(l.was, former{l.who, j.now})
	if j.byID[l.who.MemberID] == l {
		delete(j.byID, l.who.MemberID)
	}
	l.who = who
	if who.MemberID != "" {
		j.byID[who.MemberID] = l
	}
}

// sent holds a request against the identity that the rules have led to.
func (j *Judge) sent(l *life, e Event) {
	j.checkPace(l, e)
	j.checkRefused(l, e)
	j.checkOffsets(l, e, "leave")
	if e.Request != 0 {
		l.asked[e.Request] = l.who
		j.opened(l, e)
	}
	switch e.API {
	case classic.InputHeartbeat, classic.InputSyncGroup, classic.InputOffsetCommit:
		if !l.is(j, e.Who) {
			j.broken(IdentityByRules, l.name, "%s as %s, and the rules have made it %s", e.API, e.Who, l.who)
		}
		if e.API == classic.InputHeartbeat {
			j.checkSession(l, "sends a heartbeat")
		}
	case classic.InputJoinGroup:
		if !slices.ContainsFunc(l.identities(j), func(i Identity) bool { return i.MemberID == e.Who.MemberID }) {
			j.broken(IdentityByRules, l.name, "JoinGroup as %q, and the rules have made it %q", e.Who.MemberID, l.who.MemberID)
		}
		j.checkJoin(l, e)
	case classic.InputLeaveGroup:
		if !slices.ContainsFunc(l.identities(j), func(i Identity) bool { return i.MemberID == e.Who.MemberID }) && !j.given(l, e.Who.MemberID) {
			j.broken(IdentityByRules, l.name, "LeaveGroup as %q, which it never was", e.Who.MemberID)
		}
	}
}

// stray notes a request that no rule has sent, whoever it says that it is from.
func (j *Judge) stray(l *life, e Event) {
	j.checkPace(l, e)
	j.broken(IdentityByRules, l.name, "%s as %s has left, and no rule has sent it", e.API, e.Who)
}

// identities are what the member is, and was at this instant.
func (l *life) identities(j *Judge) []Identity {
	all := []Identity{l.who}
	for _, f := range l.was {
		if f.until >= j.now-j.settings.Slack {
			all = append(all, f.Identity)
		}
	}
	return all
}

func (l *life) is(j *Judge, who Identity) bool {
	return l.who == who || slices.Contains(l.identities(j), who)
}

// given reports whether an answer has given this member id to the member. One that nobody wants any more is dismissed.
func (j *Judge) given(l *life, id string) bool { return id != "" && l.offered == id }
