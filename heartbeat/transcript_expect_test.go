package heartbeat_test

import (
	"strconv"
	"strings"
	"time"
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
	e := expectation{s: s, rest: s.lines, last: s.since}
	for demand := range strings.Lines(s.d.Input) {
		if demand = strings.TrimSpace(demand); demand != "" {
			e.check(demand)
		}
	}
	return "ok\n"
}

// expectation is how far the demands of one expect have been met.
type expectation struct {
	s    *script
	rest []line // after the line that was found last
	last time.Duration
}

func (e *expectation) check(demand string) {
	words := strings.SplitN(demand, " ", 4)
	tail := func(n int) string { return strings.Join(words[min(n, len(words)):], " ") }
	switch words[0] {
	case "no":
		if i := find(e.rest, tail(1)); i >= 0 {
			e.fail(demand, "it has: %s", e.rest[i].text)
		}
	case "within":
		before := e.last
		if e.take(demand, tail(2)); e.last-before > e.s.parse(words[1]) {
			e.fail(demand, "it has after %s", e.last-before)
		}
	case "after":
		before := e.last
		if e.take(demand, tail(2)); e.last-before < e.s.parse(words[1]) {
			e.fail(demand, "it has after %s", e.last-before)
		}
	case "exactly":
		n, want := len(e.all(tail(2))), e.number(words[1])
		if n != want {
			e.fail(demand, "it has happened %d times", n)
		}
	case "at":
		n, want := len(e.all(tail(3))), e.number(words[2])
		if words[1] == "most" && n > want || words[1] == "least" && n < want {
			e.fail(demand, "it has happened %d times", n)
		}
	case "every":
		times := append(e.all(tail(2)), e.s.now())
		before := e.s.since
		for _, at := range times {
			if at-before > e.s.parse(words[1]) {
				e.fail(demand, "not between %.3f and %.3f", before.Seconds(), at.Seconds())
			}
			before = at
		}
	case "growing":
		times := e.all(tail(1))
		if len(times) < 3 {
			e.fail(demand, "it has happened %d times", len(times))
		}
		for i := 2; i < len(times); i++ {
			if times[i]-times[i-1] <= times[i-1]-times[i-2] {
				e.fail(demand, "at %.3f the pause was no longer than the one before it", times[i].Seconds())
			}
		}
	default:
		e.take(demand, demand)
	}
}

// take goes on after the next line that is wanted.
func (e *expectation) take(demand, want string) {
	i := find(e.rest, want)
	if i < 0 {
		e.fail(demand, "it has not, in this order")
	}
	e.last, e.rest = e.rest[i].at, e.rest[i+1:]
}

// all is when a line has happened, in any order.
func (e *expectation) all(want string) []time.Duration {
	var times []time.Duration
	for _, l := range e.s.lines {
		if matches(l.text, want) {
			times = append(times, l.at)
		}
	}
	return times
}

func (e *expectation) number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		e.s.d.Fatalf(e.s.t, "%v", err)
	}
	return n
}

func (e *expectation) fail(demand, format string, args ...any) {
	var b strings.Builder
	for _, l := range e.s.lines {
		b.WriteString("\n" + (entry{at: l.at, text: l.text}).String())
	}
	e.s.d.Fatalf(e.s.t, "wanted: %s; but "+format+". Since the last expect:%s", append(append([]any{demand}, args...), b.String())...)
}

func find(lines []line, want string) int {
	for i, l := range lines {
		if matches(l.text, want) {
			return i
		}
	}
	return -1
}

// matches says whether a line begins as wanted; "..." stands for anything.
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
