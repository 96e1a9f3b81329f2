package weak

type State uint8

const (
	Off State = iota
	On
)

type Rule struct {
	To []State
}

type Handler interface{ Ring() }

func DecideSwitch(s State) *Rule {
	if s == Off {
		return &switchRules[0]
	}
	return &switchRules[1]
}

func HandleSwitch(s *State, h Handler) *Rule {
	r := DecideSwitch(*s)
	*s = r.To[0]
	h.Ring()
	return r
}

var switchRules = [...]Rule{
	0: {To: []State{On}},
	1: {To: []State{Off}},
}
