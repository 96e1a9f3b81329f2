package heartbeat

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
)

// grace is how long a call whose context has ended waits for what is ending too, before it says that this has not ended.
const grace = 100 * time.Millisecond

// task is one thing that the member has begun, or has called, and that has not ended.
type task struct {
	what   string             // "the assignor"; "" for a request
	api    classic.Input      // of a request
	node   int32              // of a request
	cancel context.CancelFunc // of a request
	holds  bool               // it holds up the member's goroutine
	since  time.Time

	stopped   bool // it was told to end
	abandoned bool // a request that is over for the member; it has not returned
	listened  bool // an abandoned one whose late answer may bring a member id
}

// String is what the task is, and since when, as the end of a sentence that begins with "waiting for".
func (t *task) String() string {
	age := time.Since(t.since)
	if age >= time.Second {
		age = age.Round(100 * time.Millisecond)
	} else {
		age = age.Round(time.Millisecond)
	}
	if t.stopped {
		return fmt.Sprintf("%s, which was told to end %s ago", t.what, age)
	}
	if t.what != "" {
		return fmt.Sprintf("%s, which has been running for %s", t.what, age)
	}
	switch {
	case t.listened:
		return fmt.Sprintf("%s, sent %s ago to %s and not answered, as its answer may bring a member id", t.api, age, brokerName(t.node))
	case t.abandoned:
		return fmt.Sprintf("%s, sent %s ago to %s and abandoned, which has not returned", t.api, age, brokerName(t.node))
	}
	text := fmt.Sprintf("%s, sent %s ago to %s and not answered", t.api, age, brokerName(t.node))
	if t.api == classic.InputJoinGroup || t.api == classic.InputSyncGroup {
		text += ", as the group may be waiting for its other members"
	}
	return text
}

// underway is what has begun and has not ended, for the errors of calls that have waited for it.
type underway struct {
	mu    sync.Mutex
	tasks []*task // the oldest first
}

// begin adds a task, which end takes away.
func (u *underway) begin(t *task) *task {
	t.since = time.Now()
	u.mu.Lock()
	defer u.mu.Unlock()
	u.tasks = append(u.tasks, t)
	return t
}

func (u *underway) end(t *task) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if i := slices.Index(u.tasks, t); i >= 0 {
		u.tasks = slices.Delete(u.tasks, i, i+1)
	}
}

// goesOn reports whether a task has not ended.
func (u *underway) goesOn(t *task) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Contains(u.tasks, t)
}

// abandon notes that the member does not wait for a request any more, unless it listens for a late answer. t may be nil.
func (u *underway) abandon(t *task, listen bool) {
	if t == nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	t.abandoned, t.listened = true, listen
}

// describe is what a task is now.
func (u *underway) describe(t *task) string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return t.String()
}

// list is the tasks that a call may wait for; "" where there are none.
func (u *underway) list(may func(*task) bool) string {
	u.mu.Lock()
	defer u.mu.Unlock()
	var texts []string
	for _, t := range u.tasks {
		if may(t) {
			texts = append(texts, t.String())
		}
	}
	return strings.Join(texts, "; and for ")
}

// forPoll reports whether a poll may wait for a task.
func forPoll(t *task) bool {
	return t.what != "" || !t.abandoned && t.api != classic.InputHeartbeat && t.api != classic.InputOffsetCommit
}

// forJoin is forPoll when the member does not leave (any more): a LeaveGroup that is still under way holds up nobody.
func forJoin(t *task) bool { return forPoll(t) && t.api != classic.InputLeaveGroup }

// forLeave reports whether a leave may wait for a task.
func forLeave(t *task) bool {
	return t.what != "" && t.what != theAssignor ||
		!t.abandoned && (t.api == classic.InputLeaveGroup || t.api == classic.InputJoinGroup)
}

// forLastLeave reports whether the leave of a Close may wait for a task: nobody would give back a late member id after it.
func forLastLeave(t *task) bool { return forLeave(t) || t.listened }

// forCommit reports whether a commit may wait for a task.
func forCommit(t *task) bool {
	return t.holds || t.what == "" && !t.abandoned && (t.api == classic.InputOffsetCommit || t.api == classic.InputFindCoordinator)
}

// forEnd is every task: the member has ended when there are none.
func forEnd(*task) bool { return true }

// theAssignor is what errors and logs call it.
const theAssignor = "the assignor"
