package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// program is a Java class that asks Kafka's classes one kind of question, and prints its facts: Facts.java.
type program struct {
	name  string // of its facts, which are in NAME.ndjson.gz
	class string // in java/src/org/apache/kafka/clients/consumer/internals
	args  []string

	// key is the fields that say what was asked, so that the answers of two versions can be paired; without it lines with the
	// same number are.
	key []string
}

// programs are all there are, those that take longest first.
func programs() []program {
	return []program{
		lives("lives", committedSeed, committedLives, 1),
		{name: "cells", class: "CellFacts", key: []string{"api", "code", "variant", "state", "identity", "static"}},
		{name: "callers", class: "Callers", key: []string{"about", "api", "code", "as", "static", "leader"}},
		{name: "loop", class: "LoopFacts", key: []string{"variant", "closed", "enabled", "state", "failed", "coordinator", "lookup", "session_expired", "poll_expired", "heartbeat_due", "static"}},
		{name: "listener", class: "ListenerFacts", key: []string{"code", "variant", "n", "state", "identity", "static"}},
		{name: "timers", class: "TimerFacts", key: []string{"sequence", "step"}},
		{name: "consumer_cells", class: "ConsumerCellFacts", key: []string{"api", "code", "variant", "answer_epoch", "assignment", "state", "static", "partitions"}},
		{name: "consumer_loop", class: "ConsumerLoopFacts", key: []string{"state", "static", "coordinator_known", "poll_expired", "in_flight", "interval_over", "backing_off", "remains", "lookup_error", "newer_target"}},
		{name: "consumer_events", class: "ConsumerEventFacts", key: []string{"event", "operation", "marked", "poll_expired", "released", "ok", "rejoins", "late", "state", "static"}},
		{name: "consumer_edges", class: "ConsumerEdgeFacts", key: []string{"from", "to"}},
		{name: "consumer_reconciliation", class: "ConsumerReconciliationFacts", key: []string{"about", "auto_commit", "to_revoke", "at_poll", "reconciling", "target_is_owned", "callback", "meanwhile", "ok"}},
		{name: "defaults", class: "DefaultFacts", key: []string{"setting"}},
		{name: "timers_backoff", class: "BackoffFacts", key: []string{"initial", "multiplier", "max", "jitter", "attempts"}},
	}
}

// arePrograms says which argument is the name of none.
func arePrograms(_ *cobra.Command, args []string) error {
	var names []string
	for _, p := range programs() {
		names = append(names, p.name)
	}
	for _, name := range args {
		if !slices.Contains(names, name) {
			return fmt.Errorf("%q is no program; there are %s", name, strings.Join(names, ", "))
		}
	}
	return nil
}

// programsNamed are those with these names, or all.
func programsNamed(names []string) []program {
	return slices.DeleteFunc(programs(), func(p program) bool { return len(names) > 0 && !slices.Contains(names, p.name) })
}

func (p program) file() string { return p.name + suffix }
