package heartbeat

import (
	"slices"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
)

// troubles are the last failures of what calls wait for. Each is forgotten when that has succeeded, and not before: that
// the coordinator was found says nothing about why joining failed there.
type troubles struct {
	lookup, join, leave error
	lookupLast          bool // the lookup has failed after the join has
}

// note takes note of a rule that has decided: err is what it has failed with, or nil.
func (t *troubles) note(f Fired, err error) {
	var of *error
	switch f.Rule.Input {
	case classic.InputFindCoordinator:
		of = &t.lookup
	case classic.InputJoinGroup, classic.InputSyncGroup, classic.InputAssigned, classic.InputAssignmentFailed:
		of = &t.join
	case classic.InputLeaveGroup, classic.InputReleased:
		of = &t.leave
	default:
		return
	}
	switch {
	case err != nil:
		*of, t.lookupLast = err, of == &t.lookup
	case f.Rule.Result.Class() == fsm.ClassOK:
		*of = nil
	}
}

// ofPoll is the last failure of what a poll waits for; nil where there is none.
func (t *troubles) ofPoll() error {
	if t.lookup != nil && (t.lookupLast || t.join == nil) {
		return t.lookup
	}
	return t.join
}

// ofLeave is the last failure of what a leave waits for; nil where there is none.
func (t *troubles) ofLeave() error { return t.leave }

// troubleOf is what a rule has failed with; nil where it has not, or where the rules only go on.
func (m *Member) troubleOf(f Fired) error {
	if f.Rule.Result.Error().Kind == fsm.ErrorNone {
		return nil
	}
	switch f.Rule.Result.Class() {
	case fsm.ClassBackoff, fsm.ClassFatal, fsm.ClassIgnored:
	case fsm.ClassRetry:
		if !slices.ContainsFunc(f.Rule.Do, func(do classic.Do) bool { return do.Effect == classic.EffectFailJoin }) {
			return nil
		}
	default:
		return nil
	}
	now := m.status.Load()
	return failureOf(f, m.config.Group, identity{member: now.Member, generation: now.Generation})
}
