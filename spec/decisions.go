package spec

import (
	"strings"

	"go.yaml.in/yaml/v4"
)

// context is where a decision stands: what it belongs to, the path to it, and the reasons given above it.
type context struct {
	in            *Input
	path          []string
	why, deviates string
}

func (c context) below(key string) context {
	c.path = append(append([]string(nil), c.path...), key)
	return c
}

// reasons takes over `why` and `deviates` where they are given.
func (r *reader) reasons(c context, a fields) context {
	if n := a.get("why"); n != nil {
		c.why = r.text(n, "why")
	}
	if n := a.get("deviates"); n != nil {
		c.deviates = r.text(n, "deviates")
	}
	return c
}

// decision reads a rule (one word, or keys of a rule), a mapping of branches or an ordered list.
func (r *reader) decision(n *yaml.Node, c context) Decision {
	switch n.Kind {
	case yaml.SequenceNode:
		return r.ordered(n, c)
	case yaml.MappingNode:
		if r.isRule(n) {
			return r.rule(n, c)
		}
		return r.branches(n, c)
	case yaml.ScalarNode:
		return r.oneWord(n, c)
	}
	r.lost = lost{true, true, true, true}
	return r.unread(&Rule{Name: r.ruleName(c), Input: c.in, Pos: pos(n)}) // an alias, which is reported
}

func (r *reader) unread(d Decision) Decision {
	r.broken[d] = true
	return d
}

func (r *reader) ruleName(c context) string {
	return strings.Join(append([]string{c.in.Name}, c.path...), "/")
}

// isRule says that a mapping is a rule, not branches.
func (r *reader) isRule(n *yaml.Node) bool {
	rule := 0
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if isScalar(k) && isRuleKey(k.Value) {
			if !isReason(k.Value) {
				return true
			}
			rule++
		}
	}
	return rule > 0 && 2*rule == len(n.Content)
}

// oneWord reads a decision of one word: a result, or the state to go to.
func (r *reader) oneWord(n *yaml.Node, c context) Decision {
	w := r.word(n)
	rule := &Rule{Name: r.ruleName(c), Input: c.in, Why: c.why, Deviates: c.deviates, Pos: w.pos}
	if w.text == "" {
		r.lost = lost{true, true, true, true}
		return r.unread(rule) // reported as a key without a value
	}
	if d := r.names[w.text]; d != nil && d.kind == stateKind {
		rule.To = []*State{d.at.(*State)}
	} else if rule.Result = r.result(c.in, w.text); rule.Result == nil {
		r.say(UnknownName, w.pos, "%s: %s is neither a result nor a state%s", c.in.Name, w.text,
			r.guess(w.text, append(r.resultNames(c.in), r.namesOf(stateKind)...)))
		r.lost.targets, r.lost.results = true, true
		return r.unread(rule)
	}
	return r.finish(rule)
}

// rule reads `{to, do, result, why, deviates}`.
func (r *reader) rule(n *yaml.Node, c context) Decision {
	a := r.ruleKeys(n)
	c = r.reasons(c, a)
	rule := &Rule{Name: r.ruleName(c), Input: c.in, Why: c.why, Deviates: c.deviates, Pos: pos(n)}
	if a.get("to") == nil && a.get("do") == nil && a.get("result") == nil {
		r.say(Shape, rule.Pos, "%s: a rule that does nothing: say `ignored`", rule.Name)
		r.lost = lost{true, true, true, true}
		return r.unread(rule)
	}
	to := r.words(a.get("to"), "to")
	if rule.To = resolve[*State](r, to, "state", stateKind); len(rule.To) < len(to) {
		r.lost.targets = true
		r.unread(rule)
	}
	rule.Do = r.readDo(a.get("do"), rule)
	if n := a.get("result"); n != nil {
		w := r.scalar(n, "result")
		if rule.Result = r.result(c.in, w.text); rule.Result == nil {
			if w.text != "" {
				r.say(UnknownName, w.pos, "%s: unknown result %s%s", c.in.Name, w.text, r.guess(w.text, r.resultNames(c.in)))
			}
			r.lost.results, r.lost.effects = true, true
			return r.unread(rule)
		}
	}
	return r.finish(rule)
}

// ruleKeys reads the keys of a rule, and reports conditions beside them.
func (r *reader) ruleKeys(n *yaml.Node) fields {
	all := r.mapping(n, "a rule")
	out := all[:0]
	for _, f := range all {
		if isRuleKey(f.key.text) {
			out = append(out, f)
			continue
		}
		keys, _ := atRule.keys()
		if best := near(f.key.text, keys); best != "" {
			r.say(UnknownKey, f.key.pos, "a rule: unknown key %s%s", f.key.text, best)
		} else {
			r.say(Shape, f.key.pos, "%s stands beside to, do or result: a rule or conditions, not both", f.key.text)
			r.lost = lost{true, true, true, true}
		}
	}
	return out
}

// finish checks that a rule says what the one who waits is told.
func (r *reader) finish(rule *Rule) Decision {
	if in := rule.Input; rule.Result == nil && in.Results != nil && in.Kind != Event {
		r.say(NoResult, rule.Pos, "%s: no result: say what the one who waits is told, one of %s", rule.Name,
			strings.Join(r.resultNames(in)[2:], ", "))
	}
	return rule
}

// branches reads a mapping: no order, exactly one branch holds.
func (r *reader) branches(n *yaml.Node, c context) Decision {
	s := &Switch{Pos: pos(n)}
	a := r.mapping(n, "branches")
	c = r.reasons(c, a)
	s.Why, s.Deviates = c.why, c.deviates
	for _, f := range a {
		if !isReason(f.key.text) {
			r.arm(s, f, c)
		}
	}
	r.elseAlone(s)
	if len(s.Arms) == 0 {
		if len(a) == 0 && n.Style&yaml.FlowStyle != 0 {
			r.say(Empty, s.Pos, "%s: no branches", r.ruleName(c))
		}
		r.unread(s)
	}
	return s
}

// elseAlone allows `else` in a mapping beside one branch by state only: beside several, the loss of one would pass unseen.
func (r *reader) elseAlone(s *Switch) {
	for _, a := range s.Arms {
		if a.When != nil || r.broken[s] {
			continue
		}
		if len(s.Arms) != 2 || s.Arms[0].When == nil || len(s.Arms[0].When.Tests) > 0 {
			r.say(Else, a.Pos, "else stands only beside one branch by state, after it: here it could hide a missing branch; name the other cases")
			r.unread(s)
		}
	}
}

// ordered reads a list: the first line that holds decides.
func (r *reader) ordered(n *yaml.Node, c context) Decision {
	s := &Switch{Ordered: true, Why: c.why, Deviates: c.deviates, Pos: pos(n)}
	if len(n.Content) < 2 {
		r.say(Shape, s.Pos, "%s: an ordered list of less than two lines; say it without the list", r.ruleName(c))
	}
	for _, line := range n.Content {
		a := r.mapping(line, "a line")
		below := r.reasons(c, a)
		var own fields
		for _, f := range a {
			if !isReason(f.key.text) {
				own = append(own, f)
			}
		}
		if len(own) != 1 {
			if line.Kind == yaml.MappingNode {
				r.say(Shape, pos(line), "%s: a line is one `condition: decision`", r.ruleName(c))
			}
			r.lost = lost{true, true, true, true}
			r.broken[s] = true
			continue
		}
		r.arm(s, own[0], below)
	}
	for i, a := range s.Arms {
		last := i == len(s.Arms)-1
		switch {
		case a.When == nil && !last:
			r.say(Else, a.Pos, "else hides the lines below it: it is the last line")
			r.unread(s)
		case a.When != nil && last:
			r.say(Else, a.Pos, "the last line of an ordered list is else: say what happens when nothing above holds")
			r.unread(s)
		}
	}
	return s
}

// arm reads one `condition: decision` of a switch.
func (r *reader) arm(s *Switch, f field, c context) {
	arm := Arm{Pos: f.key.pos}
	text := strings.Join(strings.Fields(f.key.text), " ")
	if text != "else" {
		var ok bool
		if arm.When, ok = r.condition(f.key); !ok {
			r.lost.conditions = true
			r.unread(s)
		}
	}
	arm.Then = r.decision(f.value, c.below(text))
	if r.broken[arm.Then] {
		r.unread(s)
	}
	s.Arms = append(s.Arms, arm)
}
