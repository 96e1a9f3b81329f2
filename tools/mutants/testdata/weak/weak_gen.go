package weak

type State uint8

const (
	Off State = iota
	On
)

type Flags uint8

type Memory struct {
	State State
	Flags Flags
}

type Rule struct {
	To []State
}

type Handler interface{ Ring() }

func DecideSwitch(m Memory) *Rule {
	if m.State == Off {
		return &switchRules[0]
	}
	return &switchRules[1]
}

func HandleSwitch(m *Memory, h Handler) *Rule {
	if m.State == Off {
		m.State = On
		m.Flags |= 1
		h.Ring()
		return &switchRules[0]
	}
	m.State = Off
	return &switchRules[1]
}

var switchRules = [...]Rule{
	0: {To: []State{On}},
	1: {To: []State{Off}},
}
