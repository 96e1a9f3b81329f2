package classic

import "github.com/kbeat/kbeat/fsm/fsmtest"

// loop calls a function n times at one point, and returns the rule that it found.
type loop func(n int) *Rule

// loops are the two functions of a response at one point.
type loops func(p fsmtest.Point) (decide, handle loop)

// responses are what the benchmarks measure: where an answer usually finds a member, the answers that are measured beside the
// dearest one, and how the two functions are called. The calls are written out, since one through a function value costs as
// much as a decision.
var responses = []struct {
	subject
	usual State
	codes []Code
	loops loops
}{
	{findCoordinatorSubject, Unjoined, []Code{CodeNone}, loopFindCoordinator},
	{joinGroupSubject, PreparingRebalance, []Code{CodeNone, CodeRebalanceInProgress}, loopJoinGroup},
	{syncGroupSubject, CompletingRebalance, []Code{CodeNone, CodeRebalanceInProgress}, loopSyncGroup},
	{heartbeatSubject, Stable, []Code{CodeNone, CodeRebalanceInProgress}, loopHeartbeat},
	{offsetCommitSubject, Stable, []Code{CodeNone, CodeRebalanceInProgress}, loopOffsetCommit},
	{leaveGroupSubject, Unjoined, []Code{CodeNone}, loopLeaveGroup},
}

func loopFindCoordinator(p fsmtest.Point) (decide, handle loop) {
	before, c, g, h := memoryAt(p), codeAt(p), findCoordinatorGuardsAt(p), &idle{}
	decide = func(n int) (r *Rule) {
		for range n {
			r = DecideFindCoordinator(before, c, g)
		}
		return r
	}
	handle = func(n int) (r *Rule) {
		for range n {
			m := before
			r = HandleFindCoordinator(&m, c, g, h)
		}
		return r
	}
	return decide, handle
}

func loopJoinGroup(p fsmtest.Point) (decide, handle loop) {
	before, c, g, h := memoryAt(p), codeAt(p), joinGroupGuardsAt(p), &idle{}
	decide = func(n int) (r *Rule) {
		for range n {
			r = DecideJoinGroup(before, c, g)
		}
		return r
	}
	handle = func(n int) (r *Rule) {
		for range n {
			m := before
			r = HandleJoinGroup(&m, c, g, h)
		}
		return r
	}
	return decide, handle
}

func loopSyncGroup(p fsmtest.Point) (decide, handle loop) {
	before, c, g, h := memoryAt(p), codeAt(p), syncGroupGuardsAt(p), &idle{}
	decide = func(n int) (r *Rule) {
		for range n {
			r = DecideSyncGroup(before, c, g)
		}
		return r
	}
	handle = func(n int) (r *Rule) {
		for range n {
			m := before
			r = HandleSyncGroup(&m, c, g, h)
		}
		return r
	}
	return decide, handle
}

func loopHeartbeat(p fsmtest.Point) (decide, handle loop) {
	before, c, g, h := memoryAt(p), codeAt(p), heartbeatGuardsAt(p), &idle{}
	decide = func(n int) (r *Rule) {
		for range n {
			r = DecideHeartbeat(before, c, g)
		}
		return r
	}
	handle = func(n int) (r *Rule) {
		for range n {
			m := before
			r = HandleHeartbeat(&m, c, g, h)
		}
		return r
	}
	return decide, handle
}

func loopOffsetCommit(p fsmtest.Point) (decide, handle loop) {
	before, c, g, h := memoryAt(p), codeAt(p), offsetCommitGuardsAt(p), &idle{}
	decide = func(n int) (r *Rule) {
		for range n {
			r = DecideOffsetCommit(before, c, g)
		}
		return r
	}
	handle = func(n int) (r *Rule) {
		for range n {
			m := before
			r = HandleOffsetCommit(&m, c, g, h)
		}
		return r
	}
	return decide, handle
}

func loopLeaveGroup(p fsmtest.Point) (decide, handle loop) {
	before, c, g, h := memoryAt(p), codeAt(p), leaveGroupGuardsAt(p), &idle{}
	decide = func(n int) (r *Rule) {
		for range n {
			r = DecideLeaveGroup(before, c, g)
		}
		return r
	}
	handle = func(n int) (r *Rule) {
		for range n {
			m := before
			r = HandleLeaveGroup(&m, c, g, h)
		}
		return r
	}
	return decide, handle
}
