package heartbeat_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// expect is what keeps a rewritten transcript honest: it says what must have happened since the last expect, shown or not,
// one demand a line. LINE is how a line begins, after its time; `...` in it is anything.
//
//	LINE                     has happened, after the LINE before it
//	no LINE                  has not happened after the LINE before it
//	within D LINE            has happened no later than D after the LINE before it
//	after D LINE             has happened, and not sooner than D after the LINE before it
//	exactly N LINE           has happened N times in all; so `at most N`, `at least N`
//	every D LINE             has happened again and again: never for longer than D has it not
//	growing LINE             has happened three times or more, each time after a longer pause
func (s *script) expect() string {
	s.fresh = true
	e := expectation{lines: s.lines, rest: s.lines, since: s.since, last: s.since, now: s.now()}
	for demand := range strings.Lines(s.d.Input) {
		if demand = strings.TrimSpace(demand); demand == "" {
			continue
		}
		if unmet := e.unmet(demand); unmet != "" {
			var b strings.Builder
			for _, l := range s.lines {
				b.WriteString("\n" + (entry{at: l.at, text: l.text}).String())
			}
			s.d.Fatalf(s.t, "wanted: %s; but %s. Since the last expect:%s", demand, unmet, b.String())
		}
	}
	return "ok\n"
}

// expectation is how far the demands of one expect have been met.
type expectation struct {
	lines      []line
	since, now time.Duration // in which they are
	rest       []line        // after the one that was found last
	last       time.Duration // when that was
}

// unmet says what is wrong, or nothing.
func (e *expectation) unmet(demand string) string {
	words := strings.Fields(demand)
	want := func(from int) string { return strings.Join(words[min(from, len(words)):], " ") }
	switch words[0] {
	case "no":
		if i := find(e.rest, want(1)); i >= 0 {
			return "it has: " + e.rest[i].text
		}
		return ""
	case "within", "after":
		return e.timed(words[0], words[1], want(2))
	case "exactly":
		return counted(len(e.all(want(2))), words[1], "exactly")
	case "at":
		return counted(len(e.all(want(3))), words[2], words[1])
	case "every":
		return e.steady(words[1], want(2))
	case "growing":
		return growing(e.all(want(1)))
	}
	return e.take(demand)
}

// take goes on after the next line that is wanted.
func (e *expectation) take(want string) string {
	i := find(e.rest, want)
	if i < 0 {
		return "it has not, in this order"
	}
	e.last, e.rest = e.rest[i].at, e.rest[i+1:]
	return ""
}

// timed is take of a line that comes so soon after the one before it, or so late.
func (e *expectation) timed(how, limit, want string) string {
	d, err := time.ParseDuration(limit)
	if err != nil {
		return err.Error()
	}
	before := e.last
	if unmet := e.take(want); unmet != "" {
		return unmet
	}
	if passed := e.last - before; how == "within" && passed > d || how == "after" && passed < d {
		return "it has after " + passed.String()
	}
	return ""
}

// steady says where a line is missing for longer than allowed.
func (e *expectation) steady(limit, want string) string {
	d, err := time.ParseDuration(limit)
	if err != nil {
		return err.Error()
	}
	before := e.since
	for _, at := range append(e.all(want), e.now) {
		if at-before > d {
			return fmt.Sprintf("not between %.3f and %.3f", before.Seconds(), at.Seconds())
		}
		before = at
	}
	return ""
}

// all is when a line has happened, in any order.
func (e *expectation) all(want string) []time.Duration {
	var times []time.Duration
	for _, l := range e.lines {
		if matches(l.text, want) {
			times = append(times, l.at)
		}
	}
	return times
}

func counted(n int, number, how string) string {
	want, err := strconv.Atoi(number)
	switch {
	case err != nil:
		return err.Error()
	case how == "exactly" && n == want, how == "most" && n <= want, how == "least" && n >= want:
		return ""
	}
	return fmt.Sprintf("it has happened %d times", n)
}

func growing(times []time.Duration) string {
	if len(times) < 3 {
		return fmt.Sprintf("it has happened %d times", len(times))
	}
	for i := 2; i < len(times); i++ {
		if times[i]-times[i-1] <= times[i-1]-times[i-2] {
			return fmt.Sprintf("at %.3f the pause was no longer than the one before it", times[i].Seconds())
		}
	}
	return ""
}

func find(lines []line, want string) int {
	for i, l := range lines {
		if matches(l.text, want) {
			return i
		}
	}
	return -1
}

// matches reports whether a line begins as wanted; "..." stands for anything.
func matches(line, want string) bool {
	for i, part := range strings.Split(want, "...") {
		at := strings.Index(line, strings.TrimSpace(part))
		if at < 0 || i == 0 && at > 0 {
			return false
		}
		line = line[at+len(strings.TrimSpace(part)):]
	}
	return true
}

// Each demand can be met, and can be unmet.
func TestWhatATranscriptExpects(t *testing.T) {
	lines := []line{
		{1 * time.Second, "sent Heartbeat member=m1"}, {2 * time.Second, "rule Heartbeat/NONE/not stale -> STABLE"}, {3 * time.Second, "sent Heartbeat member=m1"},
		{6 * time.Second, "sent Heartbeat member=m2"}, {6 * time.Second, "now STABLE"},
	}
	for _, c := range []struct{ demands, unmet string }{
		{"sent Heartbeat\nrule Heartbeat\nnow STABLE", ""},
		{"now STABLE\nsent Heartbeat", "it has not, in this order"},
		{"sent Heartbeat member=m3", "it has not, in this order"},
		{"Heartbeat", "it has not, in this order"},
		{"rule ...NONE...-> STABLE", ""},
		{"rule ...NONE...-> UNJOINED", "it has not, in this order"},
		{"no sent JoinGroup", ""},
		{"rule Heartbeat\nno sent Heartbeat member=m2", "it has: sent Heartbeat member=m2"},
		{"now STABLE\nno sent Heartbeat", ""},
		{"sent Heartbeat\nwithin 1s rule", ""},
		{"sent Heartbeat\nwithin 999ms rule", "it has after 1s"},
		{"sent Heartbeat\nafter 1s rule", ""},
		{"sent Heartbeat\nafter 1001ms rule", "it has after 1s"},
		{"within 1s sent Heartbeat", ""},
		{"within 1s sent JoinGroup", "it has not, in this order"},
		{"exactly 3 sent Heartbeat", ""},
		{"exactly 2 sent Heartbeat", "it has happened 3 times"},
		{"exactly 4 sent Heartbeat", "it has happened 3 times"},
		{"now STABLE\nexactly 0 sent Heartbeat", "it has happened 3 times"},
		{"at most 3 sent Heartbeat\nat least 3 sent Heartbeat", ""},
		{"at most 2 sent Heartbeat", "it has happened 3 times"},
		{"at least 4 sent Heartbeat", "it has happened 3 times"},
		{"every 3s sent Heartbeat", ""},
		{"every 2s sent Heartbeat", "not between 3.000 and 6.000"},
		{"every 3s sent Heartbeat member=m1", "not between 3.000 and 7.000"},
		{"every 3s sent Heartbeat member=m2", "not between 0.000 and 6.000"},
		{"growing sent Heartbeat", ""},
		{"growing sent Heartbeat member=m1", "it has happened 2 times"},
		{"exactly many sent Heartbeat", `strconv.Atoi: parsing "many": invalid syntax`},
		{"within reach sent Heartbeat", `time: invalid duration "reach"`},
	} {
		e := expectation{lines: lines, rest: lines, now: 7 * time.Second}
		unmet := ""
		for demand := range strings.Lines(c.demands) {
			if unmet = e.unmet(strings.TrimSpace(demand)); unmet != "" {
				break
			}
		}
		require.Equal(t, c.unmet, unmet, c.demands)
	}
	require.NotEmpty(t, growing([]time.Duration{1, 2, 3}), "pauses of one length")
	require.NotEmpty(t, growing([]time.Duration{1, 4, 5}), "pauses that shrink")
}
