package heartbeat

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/kbeat/kbeat/fsm/classic"
)

// seenView is what can be seen of a member after a step of its life, in words that are the same for both.
func (l *relived) seenView() factView {
	c := l.core
	coordinator := ""
	if c.has(classic.CoordinatorKnown) {
		coordinator = strconv.Itoa(int(c.node))
	}
	var requests, commits, raised []string
	for _, q := range l.seen.requests {
		if q.API != classic.InputFindCoordinator {
			requests = append(requests, requestSeen(q))
		}
	}
	for _, o := range l.seen.commits {
		text := commitSeen(o)
		if with, abandoned := strings.CutSuffix(text, " ABANDONED retriable true"); abandoned {
			l.relax("a commit is abandoned")
			text = with + " DISCONNECT retriable true"
		}
		commits = append(commits, text)
	}
	for _, err := range l.seen.raised {
		raised = append(raised, raisedSeen(err))
	}
	return factView{
		"state": c.memory.State.String(), "member": c.who.member, "generation": strconv.Itoa(int(c.who.generation)), "protocol": c.who.protocol,
		"rejoin_needed": strconv.FormatBool(c.has(classic.RejoinNeeded)), "coordinator": coordinator,
		"requests": strings.Join(requests, "; "), "callbacks": strings.Join(l.seen.callbacks, "; "), "error": strings.Join(raised, "; "),
		"commits": strings.Join(commits, "; "), "thread": l.threadSeen(),
	}
}

// called is what an effect calls, as Kafka names it; "" where it calls nothing that Kafka does.
func (l *relived) called(e classic.Effect) string {
	c := l.core
	switch e {
	case classic.EffectCallLost, classic.EffectSkipPrepare, classic.EffectCallRevoked:
		return fmt.Sprint("join_prepare ", c.who.generation)
	case classic.EffectCallAssigned:
		return fmt.Sprintf("join_complete %d %s %s %s", c.who.generation, c.who.member, c.who.protocol, c.join.assignment)
	case classic.EffectRunAssignment:
		var members []string
		for _, m := range c.join.members {
			members = append(members, m.ID)
		}
		return fmt.Sprintf("leader_elected %s %s %v", c.who.member, c.who.protocol, members)
	case classic.EffectRelease, classic.EffectGiveUp:
		return fmt.Sprintf("leave_prepare %d %s", c.who.generation, c.who.member)
	}
	return ""
}

// requestSeen is a request; with the identity it was made under, also where that is not on the wire.
func requestSeen(q Request) string {
	s := fmt.Sprintf("%s to %d by %s/%d", q.API, q.Node, q.Member, q.Generation)
	switch q.API {
	case classic.InputLeaveGroup:
		return s
	case classic.InputSyncGroup:
		var members []string
		for _, a := range q.Assignments {
			members = append(members, a.Member)
		}
		s += fmt.Sprintf(" %s %v", q.Protocol, members)
	}
	return fmt.Sprintf("%s %s within %d", s, q.Instance, q.Timeout.Milliseconds())
}

// raisedSeen is the name of an error, or its text.
func raisedSeen(err error) string {
	var named *Error
	if errors.As(err, &named) {
		return named.Name
	}
	return err.Error()
}

func commitSeen(o CommitEnded) string {
	var named *Error
	switch {
	case o.Err == nil:
		return strconv.FormatUint(o.ID, 10)
	case errors.As(o.Err, &named):
		return fmt.Sprintf("%d %s retriable %t", o.ID, named.Name, named.Retriable)
	}
	return fmt.Sprintf("%d %s", o.ID, o.Err)
}

// threadSeen is what becomes of the heartbeat loop, as Kafka's thread is seen.
func (l *relived) threadSeen() string {
	switch c := l.core; {
	case l.over:
		return "closed"
	case !c.has(classic.LoopExists):
		return "none"
	case c.has(classic.LoopFailed):
		return "failed"
	case c.has(classic.LoopEnabled):
		return "enabled"
	}
	return "disabled"
}

// seenView is the same of Kafka's client.
func (s *lifeStep) seenView(l *relived) factView {
	v := &s.Saw
	var requests, callbacks, commits []string
	for _, q := range v.Requests {
		if q.API != "FindCoordinator" {
			requests = append(requests, q.seen(l))
		}
	}
	for _, c := range v.Callbacks {
		callbacks = append(callbacks, c.seen())
	}
	for _, c := range v.Commits {
		if c.Error == "" {
			commits = append(commits, strconv.Itoa(c.Commit))
		} else {
			commits = append(commits, fmt.Sprintf("%d %s retriable %t", c.Commit, raisedBy(c.Error, c.ErrorCode), c.Retriable))
		}
	}
	coordinator, protocol := "", ""
	if v.CoordinatorKnown {
		coordinator = strconv.Itoa(v.Coordinator)
	}
	if v.Protocol != nil {
		protocol = *v.Protocol
	}
	return factView{
		"state": v.State, "member": v.Member, "generation": strconv.Itoa(v.Generation), "protocol": protocol,
		"rejoin_needed": strconv.FormatBool(v.RejoinNeeded), "coordinator": coordinator,
		"requests": strings.Join(requests, "; "), "callbacks": strings.Join(callbacks, "; "), "error": raisedBy(v.Error, v.ErrorCode),
		"commits": strings.Join(commits, "; "), "thread": v.HeartbeatThread,
	}
}

func (q *lifeRequest) seen(l *relived) string {
	s := fmt.Sprintf("%s to %d by %s/%d", q.API, q.To, q.Member, q.Generation)
	instance, within := "", q.Timeout
	if q.Instance != nil {
		instance = *q.Instance
	}
	if within == 0 {
		within = l.fact.Config.RequestTimeout
	}
	switch q.API {
	case "LeaveGroup":
		if instance != l.config.InstanceID {
			l.relax("no instance in a leave")
		}
		return s
	case "SyncGroup":
		s += fmt.Sprintf(" %s %v", q.Protocol, q.Assignments)
	case "Heartbeat":
		if within != l.fact.Config.SessionTimeout {
			l.relax("a heartbeat's time")
			within = l.fact.Config.SessionTimeout
		}
	}
	return fmt.Sprintf("%s %s within %d", s, instance, within)
}

func (c *lifeCallback) seen() string {
	switch c.Call {
	case "join_prepare":
		return fmt.Sprint("join_prepare ", c.Generation)
	case "leader_elected":
		return fmt.Sprintf("leader_elected %s %s %v", c.Leader, c.Protocol, c.Members)
	case "join_complete":
		return fmt.Sprintf("join_complete %d %s %s %s", c.Generation, c.Member, c.Protocol, c.Assignment)
	}
	return fmt.Sprintf("%s %d %s", c.Call, c.Generation, c.Member)
}

// kafkaErrors are Kafka's classes of errors that have no code, by what the specification calls them.
var kafkaErrors = map[string]string{
	"KafkaException": "UNEXPECTED", "CommitFailedException": "COMMIT_FAILED", "DisconnectException": "DISCONNECT",
	"UnknownServerException": "UNKNOWN_SERVER_ERROR",
}

// raisedBy is the name of what Kafka's client threw.
func raisedBy(class string, code int) string {
	if code != 0 {
		return classic.Code(code).String()
	}
	if name := kafkaErrors[class]; name != "" {
		return name
	}
	return class
}
