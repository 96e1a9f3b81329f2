package heartbeat

import (
	"fmt"
	"slices"
	"strings"
)

// callerTally counts how facts of the callers compare.
type callerTally struct {
	about           map[string]*callerCount
	left            map[string]int // facts that are not compared, by the limit
	relaxed         map[string]int // facts by the relaxation
	lines, compared int            // of Kafka's, and of those that were reached by the comparison
	reach           map[string]*oracleReach
	ends            map[string]bool // of callerEnds
	failed          int
	failures        []string                // the first of them
	differences     *differences            // what differs as declared, by value
	meddle          func(*callerComparison) // changes what was seen, before it is compared; may be nil
}

// callerCount is how the facts about one thing compare.
type callerCount struct{ equal, declared, ended, failed, left int }

func newCallerTally() *callerTally {
	return &callerTally{about: map[string]*callerCount{}, left: map[string]int{}, relaxed: map[string]int{}, reach: map[string]*oracleReach{}, ends: map[string]bool{},
		differences: newDifferences("callers")}
}

// callerPauses are those whose difference is that something comes later than Kafka's, which then goes on as Kafka's does.
var callerPauses = []string{
	"effect put_off_join",
	"effect fail_join",
	"effect repeat_join",
	ruleJoinNotDue,
}

// callerLookupPauses are those of lookups. The pause may have begun long before it shows.
var callerLookupPauses = []string{
	"effect take_coordinator",
	"effect put_off_lookup",
	ruleLookupNotDue,
}

// callerAspects are those whose difference shows in these aspects before it shows in others.
var callerAspects = map[string][]string{
	"loop_broke":                    {"rejoin_needed", "reason"},
	"result FindCoordinator/raise":  {"lookup_failed"},
	"callback_failed":               {"prepare_needed"},
	"result JoinGroup/sync_backoff": {"reason"},
}

// laterGivenUp shows in the poll after the call in which a join was given up.
const laterGivenUp = "result JoinGroup/given_up"

// callerComparison goes through what was seen of Kafka's client and of a Core.
type callerComparison struct {
	t           *callerTally
	f           callerFact
	w           *callerWorld
	kafka, core []callerLine
	shift       int                 // ms by which the Core is later
	decided     int                 // uses that had decided when the two were last at one
	called      int                 // and at the last call
	differ      map[string][]change // what the fact bears out, by declaration
	relaxed     map[string]bool
}

func (t *callerTally) compare(r *oracleReading, e kafkaExceptions, f callerFact) {
	if t.about[f.About] == nil {
		t.about[f.About] = &callerCount{}
	}
	n := t.about[f.About]
	if why := f.limit(); why != "" {
		t.left[why]++
		n.left++
		return
	}
	w := newCallerWorld(r, e, f)
	c := callerComparison{t: t, f: f, w: w, kafka: f.seen(), core: w.run(), differ: map[string][]change{}, relaxed: map[string]bool{}}
	if t.meddle != nil {
		t.meddle(&c)
	}
	reached, failure := c.run()
	t.lines += len(c.kafka)
	t.compared += reached
	c.count()
	switch {
	case failure != "":
		n.failed++
		t.failed++
		if len(t.failures) < 20 {
			t.failures = append(t.failures, failure)
		}
	case reached < len(c.kafka):
		n.ended++
	case len(c.differ) > 0:
		n.declared++
	default:
		n.equal++
	}
	for why := range c.relaxed {
		t.relaxed[why]++
	}
	for name, changes := range c.differ {
		t.differences.note(name, f.String(), changes...)
	}
}

// run returns how many lines of Kafka's were compared, and where the two differ undeclared.
func (c *callerComparison) run() (reached int, failure string) {
	before := 0
	for i := range max(len(c.kafka), len(c.core)) {
		var k, g callerLine
		used := len(c.w.used)
		if i < len(c.kafka) {
			k = c.kafka[i]
		}
		if i < len(c.core) {
			g = c.core[i]
			used = g.used
		}
		if i > 0 && k.at >= 0 && c.kafka[min(i, len(c.kafka))-1].at < 0 { // the next call
			c.called = before
		}
		if k.what == g.what && k.text != g.text && c.relax(k, g) {
			g.text = k.text
		}
		if !c.same(k, g, used) {
			name := c.ended(k, g, used)
			if name == "" {
				return i, c.failure(i, k, g, used)
			}
			c.note(name, c.change(k, g))
			return i, ""
		}
		if k.what != "sent FindCoordinator" { // which may be ahead of the pause that the next line ends
			c.decided = used
		}
		before = used
	}
	return len(c.kafka), ""
}

// same reports whether a line is the same, or differs as the declarations say of its aspect, so that the comparison goes on.
func (c *callerComparison) same(k, g callerLine, used int) bool {
	if k.what != g.what {
		return false
	}
	if k.text != g.text {
		name := c.aspect(k.what, used)
		if name != "" {
			c.note(name, c.change(k, g))
		}
		return name != ""
	}
	late := g.at - c.shift - k.at
	switch {
	case k.at < 0 || late == 0:
		return true
	case late < 0 && c.relaxTime(k, -late):
		return true
	case late < 0: // in the pause after the failed join, which Kafka's comes after
		name, u := c.latestUse(0, used, func(name string) bool { return name == ruleLookupDue })
		if k.what == "sent FindCoordinator" && name != "" && u.join.since <= g.at && g.at-late <= u.join.until {
			c.note(name, change{k.what, "when the pause after the failed join is over", "in that pause"})
			return true
		}
		return false
	}
	name := c.pause(g.at, used)
	if name == "" {
		return false
	}
	c.shift += late
	c.note(name, change{k.what, "sooner", "when the pause is over that grows with each failure"})
	return true
}

// pause is the declaration whose pause ends at a time; it is as long as the specification says.
func (c *callerComparison) pause(at, used int) string {
	name, u := c.latestUse(c.decided, used, func(name string) bool { return slices.Contains(callerPauses, name) })
	if name != "" && u.join.until == at {
		return name
	}
	name, u = c.latestUse(0, used, func(name string) bool { return slices.Contains(callerLookupPauses, name) })
	if name != "" && u.lookup.until == at {
		return name
	}
	return ""
}

// note has a difference on record, once, which a declaration covers.
func (c *callerComparison) note(name string, change change) {
	if !slices.Contains(c.differ[name], change) {
		c.differ[name] = append(c.differ[name], change)
	}
}

// change is what differs between two lines.
func (c *callerComparison) change(k, g callerLine) change {
	switch {
	case k.what != g.what:
		return c.w.words.ofLines(c.f.Code, "next", strings.TrimSpace(k.what+" "+k.text), strings.TrimSpace(g.what+" "+g.text))
	case k.text != g.text:
		return c.w.words.ofLines(c.f.Code, k.what, k.text, g.text)
	case k.at < g.at-c.shift:
		return change{k.what, "sooner", "later"}
	}
	return change{k.what, "later", "sooner"}
}

// aspect is the declaration that covers a difference in this aspect.
func (c *callerComparison) aspect(what string, used int) string {
	return c.latest(0, used, func(name string) bool { return slices.Contains(callerAspects[name], what) })
}

// ended is the declaration after which the two are not compared any more: one that has decided in this call, or one that has
// shown before, and that parts them in this way.
func (c *callerComparison) ended(k, g callerLine, used int) string {
	at := parting(k, g)
	ends := func(name string) bool { return slices.Contains(callerEnds[name], at) }
	name := c.latest(c.called, used, ends)
	if name == "" {
		name = c.latest(0, used, func(name string) bool {
			return (name == laterGivenUp || c.differ[name] != nil && callerAspects[name] != nil) && ends(name)
		})
	}
	c.t.ends[name+" in "+at] = true
	return name
}

// latest is the latest declaration of a part of the uses that is one of these.
func (c *callerComparison) latest(from, to int, one func(string) bool) string {
	name, _ := c.latestUse(from, to, one)
	return name
}

// latestUse says also where it was used.
func (c *callerComparison) latestUse(from, to int, one func(string) bool) (declared string, use callerUse) {
	for _, u := range slices.Backward(c.w.used[min(from, to):to]) {
		for _, name := range u.deviates {
			if one(name) {
				return name, u
			}
		}
	}
	return "", callerUse{}
}

// count notes which declarations the fact has reached, and which it bears out.
func (c *callerComparison) count() {
	reached := map[string]bool{}
	for _, u := range c.w.used {
		for _, name := range u.deviates {
			reached[name] = true
		}
	}
	for name := range reached {
		r := c.t.reach[name]
		if r == nil {
			r = &oracleReach{}
			c.t.reach[name] = r
		}
		r.facts++
		if c.differ[name] != nil {
			r.differ++
		}
	}
}

func (c *callerComparison) failure(i int, k, g callerLine, used int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", c.f)
	for _, l := range c.core[max(0, i-10):min(i, len(c.core))] {
		fmt.Fprintf(&b, "\tboth        %s\n", l)
	}
	fmt.Fprintf(&b, "\tKafka       %s\n\tCore        %s\n", k, g)
	for _, u := range c.w.used[max(0, used-4):used] {
		fmt.Fprintf(&b, "\tdecided by  classic.yaml:%d %s\n", u.row.Pos.Line, u.row.Name)
	}
	return b.String()
}
