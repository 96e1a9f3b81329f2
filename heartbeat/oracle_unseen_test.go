package heartbeat

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/spec"
)

// unseenDeviations are the declarations that no fact of any comparison shows to be a difference, with what keeps Kafka's client
// from being seen there. A new declaration needs facts, not a line here.
var unseenDeviations = map[string]string{
	"join/loop_exists and loop_failed":   "no fact lets the heartbeat thread end while a poll waits",
	"request JoinGroup":                  unseenLifetime,
	"request SyncGroup":                  unseenLifetime,
	"request Heartbeat":                  "a fact has no second connection",
	"request OffsetCommit":               unseenLifetime,
	"result FindCoordinator/unconfirmed": "Kafka's client asks for no coordinator while it knows one, so that no such answer comes to it",
	"result JoinGroup/sync_again":        "Kafka's client cuts its connection to a coordinator that it loses, so that no SyncGroup is under way when the next is found",
	"result JoinGroup/no_node":           "Kafka's client cuts its connection to a coordinator that it loses, so that JoinGroup is not answered after that",
	"OffsetCommit/COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR, REQUEST_TIMED_OUT, DISCONNECT, MALFORMED/former": "a commit is abandoned when its coordinator is lost, so that a Core has none left when the next is found",
	"SyncGroup/NONE/rejoin_again/leased":                    noLease,
	"result heartbeat/lease_ended":                          noLease,
	"heartbeat/poll_expired/static/join_lost":               unseenLostJoin,
	"late_member_id/leaves/coordinator_known/not same_node": "in no life on record does another coordinator answer before the former one",
	"LeaveGroup/DISCONNECT, MALFORMED/former":               "who leaves looks up no coordinator before it has left, so that Kafka's client would have to be brought there by force",
}

const unseenLifetime = "how long it waits is no fact of its own: that shows in lose_coordinator, and in what its response does when it is ABANDONED"

const unseenLostJoin = "in no life on record does this follow within max.poll.interval.ms of a first JoinGroup whose answer was lost"

// Whatever a declaration says that Kafka does, Kafka's client was seen to do, in one comparison at least.
func TestDeviationsAreSeen(t *testing.T) {
	text, err := os.ReadFile(differencesFile)
	require.NoError(t, err)
	for _, what := range readDifferences(string(text)).unseen(newOracleReading(t).machine, unseenDeviations) {
		t.Error(what)
	}
}

// unseen are the declarations that nothing on record bears out, and those listed as such that are none.
func (r recorded) unseen(m *spec.Machine, listed map[string]string) (mistakes []string) {
	declared := map[string]bool{}
	for _, d := range deviationsOf(m) {
		declared[d.name] = true
		switch seen := len(r[d.name]) > 0; {
		case !seen && listed[d.name] == "":
			mistakes = append(mistakes, fmt.Sprintf("%s deviates, and no fact of Kafka's client shows a difference; let tools/oracle ask it for one", d.name))
		case seen && listed[d.name] != "":
			mistakes = append(mistakes, fmt.Sprintf("%s is seen by now; delete it from unseenDeviations", d.name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		if !declared[name] {
			mistakes = append(mistakes, fmt.Sprintf("%s does not deviate (any more); delete it from unseenDeviations", name))
		}
	}
	return mistakes
}

// One fact of one comparison will do, and a declaration that has none passes only where it is listed.
func TestUnseen(t *testing.T) {
	seen, never := &spec.Rule{Name: "seen", Deviates: "on purpose"}, &spec.Rule{Name: "never", Deviates: "on purpose"}
	m := &spec.Machine{Events: []*spec.Input{{Cases: []*spec.Case{{Decision: seen}, {Decision: never}, {Decision: &spec.Rule{Name: "plain"}}}}}}
	d := newDifferences("lives")
	d.note("seen", "one life", change{"state", "STABLE", "UNJOINED"})
	text, _ := d.renew("", m)
	text, _ = newDifferences("timers").renew(text, m) // has seen nothing
	for name, c := range map[string]struct {
		listed []string
		says   []string
	}{
		"a declaration without facts": {nil, []string{"never deviates, and no fact"}},
		"one that is listed":          {[]string{"never"}, nil},
		"one that is seen by now":     {[]string{"never", "seen"}, []string{"seen is seen by now"}},
		"one that is no declaration":  {[]string{"never", "plain", "rule"}, []string{"plain does not deviate", "rule does not deviate"}},
	} {
		t.Run(name, func(t *testing.T) {
			listed := map[string]string{}
			for _, l := range c.listed {
				listed[l] = "why"
			}
			got := readDifferences(text).unseen(m, listed)
			require.Len(t, got, len(c.says))
			for i, says := range c.says {
				require.Contains(t, got[i], says)
			}
		})
	}
}
