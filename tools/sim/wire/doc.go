// Package wire is the simulation of whole groups over real wire bytes: heartbeat.Member and heartbeat/franz, as programs
// use them, against an embedded cluster of three brokers, on a network without sockets, in virtual time. All that goes
// wrong is planned from a seed: processes that are killed, suspended, starved, stuck or replaced, clients that are closed
// under their members, brokers that are away, that load, throttle or answer any code, connections that are cut, half-open,
// slow or full of garbage. Applications give a part of what they read to workers that commit it in their own time, by the
// Session in which it was read, whether that has ended or not.
//
// It is all tests, since virtual time is testing/synctest's:
//
//	go test -v ./tools/sim/wire -run TestSeeds -seeds=100 -from=1 -minutes=10 -members=30
//
// The judge hears of a member by its trace, and of each request besides by what leaves on the wire: one that no rule has
// sent, or that carries another member id or generation, is seen. Whose the offsets of a commit are stands in their metadata,
// and the judge hears of those that a broker has taken.
//
// # What a seed decides
//
// A seed decides the plan: who is in the group, with which settings, what happens to whom and when, and which of the
// requests that a fault meets it spoils. It does not decide how an embedded cluster and a Go scheduler choose: kfake picks
// leaders and protocols by the order of its maps and draws member ids at random, and goroutines that wake at one instant of
// virtual time run in any order; the Go runtime lets nobody seed either. So in a test run the same seed is the same
// trouble, and the same demands, and not the same bytes (in a group of one it is the same events at the same times); a
// failing seed is tried several times, and what its members were told is written down for `kbeat replay`, which is exact.
//
// Where the same seed must give the same bytes, tools/sim/exact plays it on a machine on which also the runtime's chance
// and clock are decided:
//
//	go run ./tools/sim/exact -from=7 -twice
//
// # Clocks
//
// A member's clock is the monotonic one alone: it makes differences by time.Since, and the Core takes them as values.
// tools/lint lets nothing in heartbeat/... read the time of day. So a member cannot see a step of the wall clock, and there is
// none here; below franz-go TLS checks certificates by it, of which this cluster has none.
// What a member can see is that its own clock is far ahead when it is next at work, since its process or only its goroutine
// did not run: that is what suspended and starved members live through. A monotonic clock that goes back does not exist
// outside tools/sim/world, which gives it to bare Cores.
package wire
