// Package heartbeat is one member of a Kafka group: it finds the coordinator, joins, receives an assignment, and keeps
// itself alive by a heartbeat loop, as the classic group protocol wants it.
//
// What to do about each error code, in each state, is not decided here: package fsm/classic decides, and is generated
// from spec/classic.yaml. This package evaluates what the rules ask, and carries out what they say.
//
//	member, err := heartbeat.NewMember(config, transport, assignor)
//	err = member.Run(ctx, func(ctx context.Context, s *heartbeat.Session) error {
//		return work(ctx, s.Assignment()) // until ctx ends: then the partitions must be let go
//	})
//
// A Member is a goroutine, timers and a Transport around a Core. The Core is pure: it takes time and events as values
// and returns what is to be done as values, so that the same code runs in a goroutine, in virtual time, in a fuzzer and
// in a replay of a Trace.
//
// The package never opens a connection; a Transport does, such as that of heartbeat/franz. It never retries a request by
// itself: the rules do. It calls the application with no lock held, and never after Close has returned.
package heartbeat
