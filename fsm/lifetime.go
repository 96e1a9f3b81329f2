package fsm

import "time"

// Lifetime says how long a request of a machine waits for its answer.
type Lifetime struct {
	Limit Limit // counted from its sending; when it is over, the request has ended without an answer
	Again Limit // after which it is sent once more beside itself, and either answer counts; zero: it is sent once
}

// Limit is a length of time that settings give: First, or as Choice says the least or the greatest of First and Second.
type Limit struct {
	Choice        Choice
	First, Second Term
}

// Choice says which of the two terms of a Limit counts.
type Choice uint8

// The choices.
const (
	OnlyFirst Choice = iota
	Least
	Greatest
)

// Term is a setting times Times, divided by Over (of each 0 and 1: as it is), plus Plus. Without a setting it is Plus alone.
type Term struct {
	Setting     string // "request.timeout.ms"
	Times, Over int
	Plus        time.Duration // can be negative
}

// IsZero reports whether no limit is given.
func (l Limit) IsZero() bool { return l == Limit{} }

// Length is how long the limit is; setting gives the length of a setting by its name, and is called for no other name than
// those of the limit. The length of the zero Limit is 0.
func (l Limit) Length(setting func(name string) time.Duration) time.Duration {
	first := l.First.length(setting)
	switch l.Choice {
	case Least:
		return min(first, l.Second.length(setting))
	case Greatest:
		return max(first, l.Second.length(setting))
	default:
		return first
	}
}

func (t Term) length(setting func(name string) time.Duration) time.Duration {
	if t.Setting == "" {
		return t.Plus
	}
	return setting(t.Setting)*time.Duration(max(t.Times, 1))/time.Duration(max(t.Over, 1)) + t.Plus
}
