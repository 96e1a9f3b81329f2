package fsm

type FSM struct{}
