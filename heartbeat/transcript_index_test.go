package heartbeat_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/heartbeat"
)

// scenario is a fault that some client really had. A transcript bears its name; what comes after the name in a file's is
// the same fault through another API, by another code, or at another step.
type scenario struct{ name, shows, source string }

func scenarios() []scenario {
	return []scenario{
		{"clock_steps", "the wall clock steps, or the machine sleeps: one expiry, one rejoin, no burst", "kafka-python #2714"},
		{"find_coordinator_unauthorised", "a lookup that nothing mends is raised after one request; one that time mends is repeated until the context ends", "sarama #2427"},
		{"heartbeat_error_while_joining", "an answer to a Heartbeat decides nothing while a JoinGroup is under way", "KAFKA-9801"},
		{"heartbeats_between_join_and_sync", "heartbeats go on however long the leader divides the work", "KAFKA-10134"},
		{"identity_survives_retriable", "what may be repeated does not cost the member its id", "KAFKA-13214"},
		{"illegal_generation_keeps_member_id", "22 drops the generation and keeps the id; 25 drops both", "KAFKA-13419"},
		{"in_flight_cleared_always", "whatever becomes of a request, another one follows", "librdkafka 14700e9b4, KAFKA-16215"},
		{"interrupted_wait_keeps_heartbeating", "a poll that is given up while the member joins leaves heartbeats as they are", "KAFKA-3782"},
		{"join_follows_its_coordinator", "a JoinGroup that its coordinator holds ends when the group has moved, and is sent to the next one", "seen on Apache Kafka 4.3.1"},
		{"join_rebalance_in_progress", "27 as the answer to JoinGroup is no error of the application's", "KAFKA-10870"},
		{"late_member_id", "a member id that comes when nobody wants it any more is given back", "seen on Apache Kafka 4.3.1, KIP-394"},
		{"late_error_of_old_generation", "an answer that is about what the member was says nothing about what it is", "KAFKA-9823"},
		{"leave_inside_join_completion", "a member that leaves before it was told of its assignment is not told of it", "KAFKA-8104"},
		{"leave_races", "what is under way when a member leaves does not hold up its next join", "seen on Apache Kafka 4.3.1"},
		{"leave_on_close", "Close tells the coordinator where it can, and ends in time where it cannot", "librdkafka #2010, #5327"},
		{"lease", "work under a lease ends before the coordinator could give it to others", "librdkafka #2631"},
		{"load_in_progress_stays", "a coordinator that loads is waited for, not looked for", "sarama #2058"},
		{"local_session_deadline", "a session that nobody answers loses its coordinator at its deadline, and the one that is found decides", "librdkafka #2631"},
		{"lookup_failed_is_not_in_flight", "a lookup that has failed is over, and another one follows within one backoff", "KAFKA-10793"},
		{"lookup_has_backoff", "lookups pause between failures, on whichever path", "KAFKA-13917"},
		{"loop_death_is_seen", "a heartbeat loop that fails is raised by the next poll, and the one after it starts anew", "KAFKA-14729"},
		{"member_id_required", "an id is taken and joined with at once, and is no failure", "kafka-go #1432, sarama #2759"},
		{"one_join_outstanding", "what changes while a JoinGroup is under way costs one more, with the last of it", "librdkafka 5cd6f53c4"},
		{"only_some_errors_lose_the_coordinator", "the coordinator is looked for after 15, 16 and a lost connection, and never after another code", "kafka-python #3082"},
		{"reset_means_rejoin", "whoever drops its identity joins again with the next poll", "KAFKA-10134, PR 9354"},
		{"retried_without_pause", "whatever a broker goes on answering is followed by a pause that grows", "KIP-580"},
		{"revoke_takes_longer_than_the_session", "heartbeats go on while the application lets go, and ask for it once", "sarama #2110, reverted #2193"},
		{"self_fenced_static", "a static member does not take its own lost JoinGroup for another process", "KIP-345"},
		{"shared_lookup_not_cancelled_by_others", "who gives up a wait takes nothing from those who wait for the same", "franz-go v1.15.4"},
		{"static_leave_keeps_its_id", "a static member that goes without a word joins without its id only where nothing of its own can fence it", "KIP-345"},
		{"sync_lost_after_join", "a join whose SyncGroup is lost is no success", "KAFKA-5154"},
		{"sync_rebalance_in_progress_keeps_partitions", "27 as the answer to SyncGroup costs neither id nor generation, and nobody is told", "KAFKA-13891, KAFKA-14016"},
		{"sync_sent_again", "a SyncGroup that is lost is sent again in its generation, which is good", "seen on Apache Kafka 4.3.1"},
	}
}

// of is the scenario that a file belongs to: the one with the longest name that the file's begins with.
func of(file string) (best scenario) {
	for _, s := range scenarios() {
		if name := filepath.Base(file); (name == s.name || strings.HasPrefix(name, s.name+"_")) && len(s.name) > len(best.name) {
			best = s
		}
	}
	return best
}

// The list of scenarios, the files and the index agree; each file says which report it stands for, and expects something
// of each life in it.
func TestTheIndexOfScenarios(t *testing.T) {
	files := map[string][]string{}
	for _, file := range scenarioFiles(t) {
		s, name := of(file), filepath.Base(file)
		require.NotEmpty(t, s.name, "%s begins with the name of no scenario: rename it, or add the scenario to the list in transcript_index_test.go", file)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		about := opening(string(text))
		require.Greater(t, len(about), 100, "%s does not begin with a paragraph that says what is shown and why it matters", file)
		require.Regexp(t, anyOf(s.source), strings.ReplaceAll(about, "pull request ", "PR "), "the opening of %s does not name the report", file)
		require.Empty(t, unexpected(string(text)), "%s: after these lines nothing is expected: what is merely recorded proves nothing", file)
		files[s.name] = append(files[s.name], name)
	}
	var b strings.Builder
	b.WriteString(indexHead)
	for _, s := range scenarios() {
		require.Contains(t, files[s.name], s.name, "no file shows %s", s.name)
		fmt.Fprintf(&b, "## %s\n\n%s. %s\n\n", s.name, strings.ToUpper(s.shows[:1])+s.shows[1:], s.source)
		for _, file := range files[s.name] {
			text, err := os.ReadFile(filepath.Join(scenarioDir, file))
			require.NoError(t, err)
			first, _, _ := strings.Cut(opening(string(text)), ". ")
			fmt.Fprintf(&b, "- [%s](%s): %s\n", file, file, strings.TrimSuffix(first, "."))
		}
		b.WriteString("\n")
	}
	b.WriteString(languageHead)
	for _, c := range language() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.TrimSpace(c.name+" "+c.args), c.doc)
	}
	b.WriteString(expectTail)
	index := filepath.Join(scenarioDir, "README.md")
	if heartbeat.Rewriting() {
		require.NoError(t, os.WriteFile(index, []byte(b.String()), 0o644))
	}
	got, err := os.ReadFile(index)
	require.NoError(t, err)
	require.Equal(t, b.String(), string(got), "%s is not what the files say: %s", index, heartbeat.Renew)
}

// opening is the comment that a transcript begins with, up to its first empty line of text, on one line.
func opening(text string) string {
	var words []string
	for l := range strings.Lines(text) {
		comment, ok := strings.CutPrefix(l, "#")
		if !ok {
			break
		}
		words = append(words, strings.Fields(comment)...)
	}
	return strings.Join(words, " ")
}

// anyOf matches a text that names one of the reports.
func anyOf(sources string) *regexp.Regexp {
	var parts []string
	for _, source := range strings.Split(sources, ", ") {
		words := strings.Fields(source)
		parts = append(parts, regexp.QuoteMeta(words[len(words)-1]))
	}
	return regexp.MustCompile(strings.Join(parts, "|"))
}

// unexpected is where a life of a transcript, or a table, ends without an expect after it.
func unexpected(text string) []string {
	var found []string
	last, command := "", ""
	for i, l := range strings.Split(text+"\nbegin", "\n") {
		word, _, _ := strings.Cut(l, " ")
		_, ok := commandNamed(word)
		if !ok || word == "show" || word == "missing" || strings.HasPrefix(l, " ") { // missing demands by itself
			continue
		}
		if word == "begin" && command != "" && command != "expect" {
			found = append(found, last)
		}
		if word != "expect" || command != "" {
			last, command = fmt.Sprintf("%d: %s", i+1, l), word
		}
	}
	return found
}

const indexHead = `# Faults that clients of Kafka really had

Each file here is one of them, played to a member over real wire bytes and a real coordinator, in virtual time: what is done,
and under it all that happens. An ` + "`expect`" + ` says what must be seen, so that a renewed recording cannot bless the fault.
` + "`go test -run Scenarios ./heartbeat`" + ` plays them; with ` + "`-rewrite`" + ` it renews what is recorded, and this index.

`

const languageHead = `## What a transcript can say

NAME is a member's: the first one is a, and meant where none is named.

| command | |
|---|---|
`

const expectTail = `
What ` + "`expect`" + ` can demand, one demand a line. LINE is how a line begins after its time, with the member's name where there are
several (` + "`sent b: JoinGroup`" + `); ` + "`...`" + ` in it is anything. Lines that are not shown count.

| demand | since the last expect |
|---|---|
| ` + "`LINE`" + ` | has happened, after the LINE before it |
| ` + "`no LINE`" + ` | has not happened after the LINE before it |
| ` + "`within D LINE`" + ` | has happened no later than D after the LINE before it |
| ` + "`after D LINE`" + ` | has happened, and no sooner than D after the LINE before it |
| ` + "`exactly N LINE`, `at most N LINE`, `at least N LINE`" + ` | has happened so often in all |
| ` + "`every D LINE`" + ` | has happened again and again: never for longer than D has it not |
| ` + "`growing LINE`" + ` | has happened three times or more, each time after a longer pause |
`
