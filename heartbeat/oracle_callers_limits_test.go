package heartbeat

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
)

// What cannot be compared, and why; each with the number of its facts in the figures.
const (
	limitBroken     = "an answer that no broker gives (no coordinator, or two; two members): heartbeat/franz takes it for MALFORMED, of which Kafka's classes are never told"
	limitNotTold    = "onJoinPrepare when nothing is owned: here nobody is told, so that nothing can fail"
	limitConnection = "Kafka's client asks whether the connection to the coordinator has failed before it does anything; here the end of the next request says so"
	limitForgotten  = "the coordinator is forgotten by force, without what Kafka's client does else when it loses one: it cuts the connection. Here the commit has ended by then"
	limitCommitSync = "commitOffsetsSync tries again by itself: TestOracleOfCommits has it, with Member.Commit"
)

// What is relaxed, and why.
const (
	relaxReason      = "the reason of the rejoin after leaving: here the words with which the application has left"
	relaxUnavailable = "that a connection has failed is here the end of a request that could not be sent, which shows in the reason"
	relaxClose       = "Kafka's close waits for answers that nobody needs any more"
	relaxStuck       = "Kafka looks for requests that cannot be sent once in a retry.backoff.ms"
	relaxLimit       = "a Core's Heartbeat has the session's time for its answer; Kafka's has that of any request"
	relaxFenced      = "that a commit was fenced is told to who commits; Kafka throws it from the next poll too, as nobody waits for commitAsync"
)

// callerParts are effects and results that deviate in what no caller can see.
var callerParts = map[string]string{
	"effect lose_coordinator": "who waits for a commit is told at once too: here it is abandoned",
}

// limit says why a fact is not compared; "" for one that is.
func (f callerFact) limit() string {
	_, shape, _ := strings.Cut(f.Code, ":")
	switch {
	case shape == "no_coordinator" || shape == "two_coordinators" || shape == "two_members":
		return limitBroken
	case f.API == "join_prepare" && (strings.HasPrefix(f.As, "first") || strings.HasPrefix(f.As, "left")):
		return limitNotTold
	case f.About == "unavailable" && !strings.HasPrefix(f.As, "first"):
		return limitConnection
	case f.As == "async_former" && slices.Contains([]string{"COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR", "REQUEST_TIMED_OUT", "DISCONNECT", "SILENCE", "MALFORMED"}, f.Code):
		return limitForgotten
	case f.triesAgain():
		return limitCommitSync
	}
	return ""
}

// triesAgain reports whether a fact is of a commit that is tried again after a pause.
func (f callerFact) triesAgain() bool {
	switch f.As {
	case "sync_known", "sync_5_times", "sync_no_time":
		return true
	}
	return false
}

// relax reports whether two texts differ as the relaxations say.
func (c *callerComparison) relax(k, g callerLine) bool {
	left := "consumer pro-actively leaving the group"
	why := ""
	switch {
	case limits(k, g):
		why = relaxLimit
	case k.what != "reason" && k.what != "sent JoinGroup" && k.what != "poll ended":
	case strings.Contains(k.text, left) && !strings.Contains(g.text, "rebalance failed"):
		for _, words := range []string{"the consumer unsubscribed from all topics", "the consumer is being closed"} {
			if strings.ReplaceAll(g.text, words, left) == k.text {
				why = relaxReason
			}
		}
	case c.f.About == "unavailable" && strings.ReplaceAll(g.text, "rebalance failed due to DisconnectException", "") == k.text:
		why = relaxUnavailable
	case k.what == "poll ended" && c.f.Code == "FENCED_INSTANCE_ID" && c.f.About == "commit" && k.text == "FencedInstanceIdException" && g.text == "ok":
		why = relaxFenced
	}
	return c.relaxing(why)
}

// limits reports whether two heartbeats differ in their time limits alone, which is as the specification has it here.
func limits(k, g callerLine) bool {
	own := fmt.Sprintf("time limit of %d ms", callerConfig(false).SessionTimeout.Milliseconds())
	return k.what == "sent Heartbeat" && strings.HasSuffix(g.text, own) && strings.TrimSuffix(g.text, own)+"time limit of 30000 ms" == k.text
}

// relaxTime reports whether the Core may be so much earlier.
func (c *callerComparison) relaxTime(k callerLine, early int) bool {
	why := ""
	switch {
	case c.f.Code == "SEND_TIMEOUT" && early <= 100:
		why = relaxStuck
		c.shift -= early
	case k.what == "close ended" && early < int(callerLatency(classic.InputJoinGroup)/time.Millisecond):
		why = relaxClose
	}
	return c.relaxing(why)
}

// relaxing notes a relaxation, if it is one.
func (c *callerComparison) relaxing(why string) bool {
	if why != "" {
		c.relaxed[why] = true
	}
	return why != ""
}
