// Package classic decides what a member of a Kafka group does by the classic protocol: which rule applies to the response,
// the turn of a loop or the event at hand, how the member's memory changes, and which effects follow. It is generated from
// spec/classic.yaml; RULES.md beside it says the same for readers.
//
//	memory := classic.Initial()
//	rule := classic.HandleHeartbeat(&memory, classic.CodeRebalanceInProgress, classic.HeartbeatGuards{}, handler)
//	fmt.Println(rule, rule.At(), rule.Result.Class(), memory.State)
//
// It sends nothing, knows no clock, and holds no state but the Memory that its caller gives: the handler does what has to do
// with the world. All its functions may be called from any number of goroutines.
package classic

//go:generate go run github.com/kbeat/kbeat/tools/fsmgen generate ../../spec/classic.yaml -o .
