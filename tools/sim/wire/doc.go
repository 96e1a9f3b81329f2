// Package wire is the simulation of whole groups over real wire bytes: heartbeat.Member and heartbeat/franz, as programs
// use them, against an embedded cluster of three brokers, on a network without sockets, in virtual time. All that goes
// wrong is planned from a seed: processes that are killed, suspended, stuck or replaced, brokers that are away, that load,
// throttle or answer any code, connections that are cut, half-open, slow or full of garbage.
//
// It is all tests, since virtual time is testing/synctest's:
//
//	go test -v ./tools/sim/wire -run TestSeeds -seeds=100 -from=1 -minutes=10
//
// What a seed decides is the plan: who is in the group, with which settings, what happens to whom and when, and which of
// the requests that a fault meets it spoils. What it cannot decide is how an embedded cluster and a Go scheduler choose:
// kfake picks leaders and protocols by the order of its maps, and goroutines that wake at one instant of virtual time run
// in any order. So the same seed is the same trouble, and the same demands, and not the same bytes; a failing seed is tried
// several times, and what its members were told is written down for `kbeat replay`, which is exact.
package wire
