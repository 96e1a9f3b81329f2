package spec

import "slices"

// section is a place of the notation that has keys of its own.
type section int

const (
	atTop section = iota
	atState
	atFlag
	atGuard
	atTimer
	atEffect
	atRequest
	atError
	atResult
	atRule
	atInvariant
	atDisagreement
	atCatalogue
	atCode
	atUnanswered
	sections // how many there are
)

// keys are the words of the format that a section may have, and how its place is called in messages.
func (at section) keys() (keys []string, place string) {
	switch at {
	case atTop:
		return []string{"machine", "doc", "original", "catalogue", "states", "groups", "identity", "flags", "guards", "timers", "effects", "requests", "errors",
			"results", "responses", "loops", "events", "outside", "invariants", "disagreements"}, "the top"
	case atState:
		return []string{"initial", "final", "from", "unused", "enters_with", "leaves_with", "doc"}, "a state"
	case atFlag:
		return []string{"initial", "doc"}, "a flag"
	case atGuard:
		return []string{"one_of", "doc"}, "a guard"
	case atTimer:
		return []string{"after", "default", "most", "jitter", "free", "from", "guard", "event", "doc"}, "a timer"
	case atEffect:
		return []string{"sets", "clears", "drops", "takes", "starts", "forgets", "sends", "calls", "answered_by", "only", "with", "deviates",
			"doc"}, "an effect"
	case atRequest:
		return []string{"limit", "again", "abandoned", "when", "doc", "deviates"}, "a request"
	case atError:
		return []string{"retriable", "doc"}, "an error"
	case atResult:
		return []string{"is", "error", "do", "deviates", "doc"}, "a result"
	case atRule:
		return []string{"to", "do", "result", "why", "deviates"}, "a rule"
	case atInvariant:
		return []string{"drops", "must", "absorbing", "why"}, "an invariant"
	case atDisagreement:
		return []string{"about", "others", "chosen", "why", "rules"}, "a disagreement"
	case atCatalogue:
		return []string{"codes", "unanswered", "documented", "settings", "callbacks"}, "a catalogue"
	case atCode:
		return []string{"code", "retriable", "message"}, "a code"
	case atUnanswered:
		return []string{"retriable", "message", "doc"}, "an unanswered end"
	}
	return nil, ""
}

// has reports whether a section has a key.
func (at section) has(key string) bool {
	keys, _ := at.keys()
	return slices.Contains(keys, key)
}

// knows is the key of the section that is meant: the key itself, or after a report the one that it nearly is; "" for none.
func (s *source) knows(key word, what string, at section) string {
	if at.has(key.text) {
		return key.text
	}
	keys, _ := at.keys()
	best := nearest(key.text, keys)
	if best == "" {
		for other := atTop; other < sections; other++ {
			if _, place := other.keys(); other.has(key.text) {
				s.say(MisplacedKey, key.pos, "%s: the key %s belongs to %s", what, key.text, place)
				return ""
			}
		}
	}
	s.say(UnknownKey, key.pos, "%s: unknown key %s%s", what, key.text, near(key.text, keys))
	return best
}

// isRuleKey reports whether a word is a key of a rule, and so can be no condition.
func isRuleKey(key string) bool { return atRule.has(key) }

// isReason reports whether the key explains a decision instead of being a part of it.
func isReason(key string) bool { return key == "why" || key == "deviates" }
