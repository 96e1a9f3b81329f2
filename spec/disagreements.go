package spec

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Disagreement is a point on which those who speak the protocol differ: what others do, what is chosen here, and why.
type Disagreement struct {
	About, Others, Chosen, Why string
	Rules                      []*Rule // that say so
	Pos                        Pos
}

// readDisagreements reads on what those who speak the protocol differ, what is chosen here, and which rules say so.
func (r *reader) readDisagreements() {
	n := r.top.get("disagreements")
	if n == nil || isEmpty(n) {
		return
	}
	if n.Kind != yaml.SequenceNode {
		r.say(Shape, pos(n), "disagreements: a list is wanted")
		return
	}
	before := map[string]Pos{}
	for _, item := range n.Content {
		d := r.readDisagreement(item)
		if at, twice := before[d.About]; twice && d.About != "" {
			r.conflict(Duplicate, d.Pos, at, "disagreements: the same one stands twice")
		}
		before[d.About] = d.Pos
		r.m.Disagreements = append(r.m.Disagreements, d)
	}
}

func (r *reader) readDisagreement(item *yaml.Node) *Disagreement {
	a := r.known(item, "a disagreement", atDisagreement)
	d := &Disagreement{Pos: pos(item)}
	if len(a) == 0 {
		return d
	}
	d.About, d.Others = r.text(a.get("about"), "about"), r.text(a.get("others"), "others")
	d.Chosen, d.Why = r.text(a.get("chosen"), "chosen"), r.text(a.get("why"), "why")
	var missing []string
	for _, key := range []string{"about", "others", "chosen", "why", "rules"} {
		if n := a.get(key); n == nil || isScalar(n) && n.Value == "" && !isEmpty(n) {
			missing = append(missing, key)
		}
	}
	if missing != nil {
		r.say(Missing, d.Pos, "a disagreement is `about` something, where `others` do one thing and another is `chosen`, `why`, and which `rules` say so; missing: %s", strings.Join(missing, ", "))
	}
	for _, w := range r.words(a.get("rules"), "rules") {
		found := r.rulesUnder(w.text)
		if len(found) == 0 && !r.someRuleUnread() {
			r.say(UnknownName, w.pos, "no rule is called %s, and none stands below it%s", w.text, near(w.text, r.waysToRules()))
		}
		for _, rule := range found {
			if !slices.Contains(d.Rules, rule) {
				d.Rules = append(d.Rules, rule)
			}
		}
	}
	return d
}

// rulesUnder are the rules whose way is the given one, or begins with it. One code may stand for all that share its decision.
func (r *reader) rulesUnder(name string) []*Rule {
	var out []*Rule
	way := strings.Split(name, "/")
	for _, in := range r.m.Inputs() {
		for _, rule := range in.Rules() {
			if under(in, strings.Split(rule.Name, "/"), way) {
				out = append(out, rule)
			}
		}
	}
	return out
}

func under(in *Input, rule, way []string) bool {
	if len(way) > len(rule) {
		return false
	}
	for i, step := range way {
		if rule[i] != step && !(i == 1 && in.Kind == Response && slices.Contains(strings.Split(rule[i], ", "), step)) {
			return false
		}
	}
	return true
}

// someRuleUnread reports whether a rule may be missing because it was not understood, which is reported.
func (r *reader) someRuleUnread() bool { return r.lost != lost{} }

// waysToRules are what `rules` can name.
func (r *reader) waysToRules() []string {
	var out []string
	for _, in := range r.m.Inputs() {
		out = append(out, in.Name)
		for _, rule := range in.Rules() {
			out = append(out, rule.Name)
		}
	}
	return out
}
