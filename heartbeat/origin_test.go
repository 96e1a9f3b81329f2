package heartbeat_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// The origin of this package is the heartbeat thread of Apache Kafka's Java client: AbstractCoordinator.HeartbeatThread,
// HeartbeatResponseHandler and Heartbeat. What that does are the rows O1 to O28; each has a test that begins with its name
// and says what the row is. Where a rule does something else on purpose, the test names the rule's `deviates`.
const originRows = 28

func TestEachRowOfTheOriginHasATest(t *testing.T) {
	files, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	have := map[string]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`(?m)^func TestO(\d+)[A-Z]\w*\(t \*testing\.T\)`).FindAllStringSubmatch(string(text), -1) {
			have[m[1]]++
		}
	}
	for row := 1; row <= originRows; row++ {
		require.Equal(t, 1, have[strconv.Itoa(row)], "tests whose name begins with TestO%d", row)
	}
	require.Len(t, have, originRows)
}

// ruleNamed is the one rule whose name begins and ends so.
func ruleNamed(t *testing.T, begins, ends string) *classic.Rule {
	t.Helper()
	var found []*classic.Rule
	for _, r := range classic.Rules() {
		if strings.HasPrefix(r.Name, begins) && strings.HasSuffix(r.Name, ends) {
			found = append(found, r)
		}
	}
	require.Len(t, found, 1, "rules %s...%s", begins, ends)
	return found[0]
}

// turn is the rule that decides a turn of the loop.
func turn(state classic.State, flags classic.Flags, g classic.HeartbeatTurnGuards) *classic.Rule {
	return classic.DecideHeartbeatTurn(classic.Memory{State: state, Flags: flags}, g)
}

// looping is what a member remembers whose loop goes round.
const looping = classic.LoopExists | classic.LoopEnabled

// requests are what has come to the broker since the diary was emptied, by when.
func requests(w *world) (at []time.Duration, texts []string) {
	for _, e := range w.diary.take() {
		if e.kind == sent {
			at, texts = append(at, e.at), append(texts, e.text)
		}
	}
	return at, texts
}

// requestsOf are when requests of one API have come to the broker since the diary was emptied.
func requestsOf(w *world, api string) (of []time.Duration) {
	at, texts := requests(w)
	for i, text := range texts {
		if name, _, _ := strings.Cut(text, " "); name == api {
			of = append(of, at[i])
		}
	}
	return of
}

// decided is the rules about an API that have decided since the diary was emptied.
func decided(w *world, input classic.Input) []string {
	var names []string
	for _, e := range w.diary.take() {
		if strings.HasPrefix(e.rule, input.String()+"/") {
			names = append(names, e.rule)
		}
	}
	return names
}

// code is an answer by a code.
func code(c classic.Code) answer { return answer{way: byCode, code: c} }

// gaps are the times between.
func gaps(at []time.Duration) []time.Duration {
	var gaps []time.Duration
	for i := range at[1:] {
		gaps = append(gaps, at[i+1]-at[i])
	}
	return gaps
}

// requireBackoff sees that pauses are 100 ms, twice that, and so on up to a second, each ± 20 %.
func requireBackoff(t *testing.T, pauses []time.Duration) {
	t.Helper()
	for i, pause := range pauses {
		want := min(100*time.Millisecond<<i, time.Second)
		require.InDelta(t, want.Seconds(), pause.Seconds(), want.Seconds()/5+0.01, "pause %d", i+1)
	}
}

// session makes a member's session shorter.
func session(d time.Duration) func(*heartbeat.Config) {
	return func(c *heartbeat.Config) { c.SessionTimeout = d }
}

func static(c *heartbeat.Config) { c.InstanceID = "i" }
