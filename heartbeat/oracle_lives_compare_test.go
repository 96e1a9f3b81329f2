package heartbeat

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/spec"
)

// compare holds what the Core has done in a step against what Kafka's client did, and names the aspects that differ.
func (l *relived) compare(s *lifeStep) (differ []string, want, got factView) {
	want, got = s.seenView(l), l.seenView()
	if l.over {
		l.afterClose(s, want, got)
		return got.against(want), want, got
	}
	l.joinAhead(s, want, got)
	l.threadFlag(want, got)
	l.callsInOrder(want, got)
	l.lookups(want, got)
	if differ = got.against(want); len(differ) == 0 {
		l.timersSeen(s, want, got)
		differ = got.against(want)
	}
	return differ, want, got
}

// lookups compares how many have been sent since the life began. The Core may be one ahead; which is no lookup that Kafka's
// repeats, so that two ahead is another aspect.
func (l *relived) lookups(want, got factView) {
	ours, kafkas := len(l.sent[classic.InputFindCoordinator]), l.count[classic.InputFindCoordinator]
	aspect := "lookups"
	switch {
	case ours == kafkas+1:
		l.relax("a lookup is ahead")
		ours = kafkas
	case ours > kafkas:
		aspect = "lookups ahead"
	}
	want[aspect], got[aspect] = fmt.Sprint(kafkas), fmt.Sprint(ours)
}

// timersSeen compares when the heartbeat, the session and the poll are due, while both members send heartbeats.
func (l *relived) timersSeen(s *lifeStep, want, got factView) {
	l.session = 0
	if !l.core.memory.State.Joined() || want["state"] != got["state"] || want["thread"] != "enabled" || got["thread"] != "enabled" {
		return
	}
	for i, timer := range []classic.Timer{classic.TimerInterval, classic.TimerSession, classic.TimerMaxPoll} {
		aspect := timer.String() + " timer"
		want[aspect], got[aspect] = fmt.Sprint(s.Saw.Deadlines[i]), fmt.Sprint(l.core.clocks.end(timer).Milliseconds())
	}
	l.session = l.core.clocks.end(classic.TimerSession)
	l.found = l.found || slices.ContainsFunc(l.seen.decided, func(row *spec.Rule) bool { return has(row.Effects(), "take_coordinator") })
	switch kafkas := time.Duration(s.Saw.Deadlines[1]) * time.Millisecond; {
	case l.session == kafkas:
		l.found = false
	case l.found && l.session < kafkas:
		l.relax("the session goes on")
		want["session timer"] = got["session timer"]
	}
}

// afterClose compares what is sent; and in the step that closes, what becomes of the member.
func (l *relived) afterClose(s *lifeStep, want, got factView) {
	if s.Do.Close == nil {
		l.relax("nothing after close")
		for aspect := range want {
			if aspect != "requests" {
				delete(want, aspect)
				delete(got, aspect)
			}
		}
		return
	}
	if got["commits"] != want["commits"] {
		l.relax("commits end with close")
		want["commits"] = got["commits"]
	}
	// What the application has not read yet by then is never told.
	l.queue = [2][]string{}
	want["callbacks"], got["callbacks"] = notOfJoins(want["callbacks"]), notOfJoins(got["callbacks"])
}

// joinAhead takes a JoinGroup that the Core sends by a poll, and Kafka's client by one of the next, for one.
func (l *relived) joinAhead(s *lifeStep, want, got factView) {
	l.wasAhead = l.ahead != ""
	if !s.polls() {
		return
	}
	switch {
	case l.ahead != "" && want["requests"] == l.ahead && got["requests"] == "":
		want["requests"], l.ahead = "", ""
	case l.ahead == "" && want["requests"] == "" && strings.HasPrefix(got["requests"], "JoinGroup "):
		l.ahead, got["requests"] = got["requests"], ""
		l.relax("a JoinGroup is ahead")
	}
	if l.ahead != "" && got["state"] == classic.PreparingRebalance.String() {
		want["state"] = got["state"]
	}
}

func (s *lifeStep) polls() bool {
	return s.Do.Poll != nil || s.Do.Respond != nil && s.Do.Respond.InPoll
}

// threadFlag takes an enabled thread and a disabled one for the same outside a generation.
func (l *relived) threadFlag(want, got factView) {
	idle := func(thread string) bool { return thread == "enabled" || thread == "disabled" }
	if got["thread"] != want["thread"] && idle(got["thread"]) && idle(want["thread"]) && !l.core.memory.State.Joined() {
		l.relax("the thread's flag")
		want["thread"] = got["thread"]
	}
}

// callsInOrder compares the order of join_prepare and join_complete over the whole life, and the other callbacks as they are.
func (l *relived) callsInOrder(want, got factView) {
	for i, view := range []factView{want, got} {
		for call := range strings.SplitSeq(view["callbacks"], "; ") {
			switch {
			case !ofJoins(call):
			case call == l.last[i]:
				l.relax("join_prepare is counted")
			default:
				l.last[i] = call
				l.queue[i] = append(l.queue[i], call)
			}
		}
		view["callbacks"] = notOfJoins(view["callbacks"])
	}
	for len(l.queue[0]) > 0 && len(l.queue[1]) > 0 && l.queue[0][0] == l.queue[1][0] {
		l.queue[0], l.queue[1] = l.queue[0][1:], l.queue[1][1:]
	}
	open := func(i int) bool { return len(l.queue[i]) > 0 }
	if complete := func(call string) bool { return strings.HasPrefix(call, "join_complete ") }; open(0) && open(1) ||
		slices.ContainsFunc(l.queue[0], complete) || slices.ContainsFunc(l.queue[1], complete) {
		want["joins"], got["joins"] = fmt.Sprint(l.queue[0]), fmt.Sprint(l.queue[1])
	} else if open(0) || open(1) {
		l.relax("join_prepare is counted")
	}
}

func ofJoins(call string) bool { return strings.HasPrefix(call, "join_") }

func notOfJoins(calls string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(calls, "; "), ofJoins), "; ")
}

// explain finds the deviations that the differences of a step come from, with the aspects that each covers; nil where they
// are not declared.
func (l *relived) explain(differ []string) map[string][]string {
	open := slices.Clone(differ)
	by := map[string][]string{}
	cover := func(name string, aspects []string) {
		mine := slices.DeleteFunc(slices.Clone(open), func(a string) bool { return !slices.Contains(aspects, a) })
		if len(mine) > 0 {
			by[name] = append(by[name], mine...)
			open = slices.DeleteFunc(open, func(a string) bool { return slices.Contains(mine, a) })
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.lookup)) {
		cover(name, []string{"lookups"})
	}
	for _, name := range l.deviations() {
		if name == "heartbeat/session_expired" && l.found {
			cover("effect take_coordinator", lifeDeviations["effect take_coordinator"].over)
			continue
		}
		cover(name, lifeDeviations[name].now)
	}
	for _, name := range slices.Sorted(maps.Keys(l.late)) {
		cover(name, lifeDeviations[name].later)
	}
	if len(open) > 0 {
		return nil
	}
	return by
}

// deviations are the rules that have decided in the step and deviate, and such effects and results of theirs.
func (l *relived) deviations() (names []string) {
	for _, row := range l.seen.decided {
		// The session has ended when it should have: its timer was compared before.
		if row.Deviates != "" && (row.Name != "heartbeat/session_expired" || 0 < l.session && l.session <= l.now) {
			names = append(names, row.Name)
		}
	}
	return append(names, partsOf(l.seen.decided)...)
}

// remember keeps what shows later: until the next join begins, and in lookups until the Core's next is sent, or until the one
// that is under way has ended.
func (l *relived) remember() {
	if slices.ContainsFunc(l.seen.requests, func(q Request) bool { return q.API == classic.InputJoinGroup }) {
		clear(l.late)
	}
	sent := l.sent[classic.InputFindCoordinator]
	for _, name := range l.deviations() {
		d := lifeDeviations[name]
		if len(d.later) > 0 {
			l.late[name] = true
		}
		if d.lookups != "" {
			l.lookup[name] = len(sent)
		}
	}
	maps.DeleteFunc(l.lookup, func(name string, n int) bool {
		return n < len(sent) || lifeDeviations[name].lookups == whileLookedUp && l.ended[sent[n-1].ID]
	})
}

// structural is why the comparison of an impatient life ends though nothing deviates; "" where that is a difference.
func (l *relived) structural(s *lifeStep, differ []string, want, got factView) string {
	why := ""
	switch {
	case l.fact.Config.Patient:
	case l.ahead != "" && slices.Contains(s.Saw.Loop, "poll_expired"):
		why = "the poll is over, a JoinGroup ahead"
	case l.ahead != "" || l.wasAhead || strings.HasPrefix(got["requests"], "JoinGroup ") && !strings.Contains(want["requests"], "JoinGroup "):
		why = "a JoinGroup ahead"
	case s.polls() && got["error"] != "" && want["error"] == "" && want["coordinator"] == "":
		why = "an error is sooner"
	}
	if slices.ContainsFunc(differ, func(aspect string) bool { return !slices.Contains(lifeStructure[why], aspect) }) {
		return ""
	}
	return why
}

// where is the rule that decided, for a message.
func where(rows []*spec.Rule) string {
	var all []string
	for _, row := range rows {
		all = append(all, fmt.Sprintf("classic.yaml:%d %s", row.Pos.Line, row.Name))
	}
	return strings.Join(all, ", ")
}
