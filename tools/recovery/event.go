package main

import (
	"encoding/json"
	"io"
	"sync"
	"time"
)

// event is what a member has seen or done. Members in Java print them as lines of JSON, with these names.
type event struct {
	At         int64  `json:"at"` // milliseconds since 1970; all processes have the same clock
	Member     string `json:"member"`
	Kind       kind   `json:"kind"`
	Partitions int    `json:"partitions,omitempty"` // of assigned, revoked, lost, committed
	Partition  int32  `json:"partition,omitempty"`  // of records
	From       int64  `json:"from,omitempty"`       // of records: the first offset
	To         int64  `json:"to,omitempty"`         // of records: the offset after the last
	Text       string `json:"text,omitempty"`       // of failed
}

func (e event) time() time.Time { return time.UnixMilli(e.At) }

type kind string

const (
	assigned  kind = "assigned"
	revoked   kind = "revoked"
	lost      kind = "lost"
	committed kind = "committed" // all that the member had to commit
	records   kind = "records"
	failed    kind = "failed" // a poll or a commit; the member goes on
)

// events collects what all members of a repetition do. It is safe for concurrent use.
type events struct {
	mu   sync.Mutex
	all  []event
	copy io.Writer // nil: none
}

func (e *events) add(v event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, v)
	if e.copy != nil {
		line, _ := json.Marshal(v)            // it has strings and numbers only
		_, _ = e.copy.Write(append(line, 10)) // for people who look into a failure
	}
}

func (e *events) list() []event {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.all[:len(e.all):len(e.all)]
}

// journal is the events of one member.
type journal struct {
	events *events
	member string
}

func (j journal) add(k kind, v event) {
	v.At, v.Member, v.Kind = time.Now().UnixMilli(), j.member, k
	j.events.add(v)
}

func (j journal) failed(what string, err error) {
	j.add(failed, event{Text: what + ": " + err.Error()})
}
