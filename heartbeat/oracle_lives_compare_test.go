package heartbeat

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

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
	l.commitsSeen(want, got)
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

// commitsSeen takes a commit that the Core has abandoned, as its generation has ended, for one that Kafka's client is told of
// later.
func (l *relived) commitsSeen(want, got factView) {
	for _, o := range l.seen.commits {
		if text := commitSeen(o); strings.HasSuffix(text, " COMMIT_UNKNOWN retriable false") {
			l.unknown[int(o.ID)] = true
			l.relax("a commit is unknown")
			l.aside("OffsetCommit/ABANDONED/stale", change{"commits", "", text})
		}
	}
	if of, failed := strings.CutSuffix(want["commits"], " COMMIT_FAILED retriable false"); failed && l.overtakes &&
		got["commits"] == of+" REBALANCE_IN_PROGRESS retriable false" && l.present.Do.Commit != nil {
		want["commits"] = got["commits"]
	}
	for i, view := range []factView{want, got} {
		view["commits"] = strings.Join(slices.DeleteFunc(strings.Split(view["commits"], "; "), func(commit string) bool {
			id, rest, _ := strings.Cut(commit, " ")
			n, err := strconv.Atoi(id)
			known := err == nil && l.unknown[n]
			return known && (i == 0 || rest == "COMMIT_UNKNOWN retriable false")
		}), "; ")
	}
}

// timersSeen compares when the heartbeat, the session and the poll are due, while both members send heartbeats.
func (l *relived) timersSeen(s *lifeStep, want, got factView) {
	if !l.core.memory.State.Joined() || want["state"] != got["state"] || want["thread"] != "enabled" || got["thread"] != "enabled" {
		return
	}
	for i, timer := range []classic.Timer{classic.TimerInterval, classic.TimerSession, classic.TimerMaxPoll} {
		aspect := timer.String() + " timer"
		want[aspect], got[aspect] = fmt.Sprint(s.Saw.Deadlines[i]), fmt.Sprint(l.core.clocks.end(timer).Milliseconds())
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
	if l.overtakes && got["state"] == classic.PreparingRebalance.String() && want["state"] == classic.Unjoined.String() {
		want["state"] = got["state"]
	}
	if !s.polls() {
		return
	}
	switch {
	case l.ahead != "" && l.gaveUp && strings.HasPrefix(got["requests"], "JoinGroup "): // the one ahead was given up too
		got["requests"] = l.ahead + "; " + got["requests"]
	case l.ahead != "" && want["requests"] == l.ahead && got["requests"] == "":
		want["requests"], l.ahead, l.overtakes = "", "", false
	case l.ahead == "" && want["requests"] == "" && strings.HasPrefix(got["requests"], "JoinGroup "):
		if l.overtakes = l.gaveUp; l.overtakes {
			l.relax("a join is given up")
			l.aside("result JoinGroup/given_up", change{"requests", "", got["requests"]})
		} else {
			l.relax("a JoinGroup is ahead")
		}
		l.ahead, got["requests"] = got["requests"], ""
	}
	if l.gaveUp && want["error"] != "" && got["error"] == "" && got["requests"] == want["requests"] {
		l.relax("a join is given up")
		l.aside("result JoinGroup/given_up", change{"error", want["error"], ""})
		want["error"] = ""
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
		cover(name, lifeDeviations[name].now)
	}
	for _, name := range l.seen.answered {
		cover(name, lifeDeviations[name].answered)
	}
	if name := "result JoinGroup/given_up"; l.gaveUp {
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
func (l *relived) deviations() (names []string) { return deviatingParts(l.seen.decided) }

func deviatingParts(rows []*spec.Rule) (names []string) {
	for _, row := range rows {
		if row.Deviates != "" {
			names = append(names, row.Name)
		}
	}
	return append(names, partsOf(rows)...)
}

// remember keeps what shows later: until the next join begins, and in lookups until the Core's next is sent, or until the one
// that is under way has ended.
func (l *relived) remember() {
	if !l.overtakes && slices.ContainsFunc(l.present.Saw.Requests, func(q lifeRequest) bool { return q.API == "JoinGroup" }) {
		l.gaveUp = false
	}
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
