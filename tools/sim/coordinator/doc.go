// Package coordinator is a model of Kafka's group coordinator for one group of the classic protocol: as pure as the member
// that it is to try, so that a simulation of both is the same each time.
//
//	g := coordinator.New(coordinator.Config{})
//	g.Handle(now, request, func(r heartbeat.Response) { … }) // now, later, or never
//	deadline, ok := g.Deadline()
//	g.Tick(deadline)
//
// testdata/scripts has what members ask in turn, and what a real Apache Kafka has answered: the tests hold the model against
// that. The rules that it has:
//
//   - Member ids: a dynamic member that joins without one is given one by MEMBER_ID_REQUIRED, and is pending until it joins
//     with it, for a session timeout at most (KIP-394). The rebalance waits for pending members. One that leaves begins a
//     rebalance; one whose time is over does not.
//
//   - Static members (KIP-345): a join without an id under a known instance takes the place over; who had it is fenced. In a
//     stable group whose protocol does not change that is no rebalance, and a leader that comes back so is told to skip the
//     assignment (KIP-814).
//
//   - The join: begun by who is new, by a leader that joins again, by other metadata, by who leaves or whose session ends. It
//     ends when all have joined, or when the longest of the members' rebalance timeouts is over; dynamic members that have
//     not joined by then are removed, static ones stay. A group of static members none of which has joined waits on. A first
//     join into an empty group ends when nobody new has come for Config.InitialDelay.
//
//   - Who joins again with the same metadata, while SyncGroup is awaited, or in a stable group as a follower, is told the
//     present generation once more. A second JoinGroup of a member that waits takes the place of the first, which is never
//     answered.
//
//   - The leader is the first member, while it is there and joins; else the first that has joined. The protocol is what most
//     members prefer of those that all have. Where members are equal in that, Kafka takes any, and the model the first.
//
//   - Who joins must have a protocol in common with all that are in the group, itself as it was before included.
//
//   - SyncGroup waits for the leader's. Who has not sent one within the rebalance timeout is removed. A rebalance that begins
//     meanwhile answers those that wait by REBALANCE_IN_PROGRESS.
//
//   - Sessions begin anew with each heartbeat and commit that is taken, and with each answer that was waited for; not with a
//     JoinGroup or SyncGroup that is answered at once. Who waits for such an answer is alive; but a new member's first join is
//     given up after five minutes.
//
//   - LeaveGroup removes at once, pending members too, and static ones also without their id; a join that waits is then
//     answered by UNKNOWN_MEMBER_ID, and a sync that waits never.
//
//   - Commits are taken in a stable group and while it is being joined, in the present generation.
//
//   - A group is there from the first JoinGroup without an id on.
//
//   - When the group moves to another coordinator, what had been stored is there again: the last assignment with its
//     members, whose sessions begin anew, and replaced static members. A join under way, and pending ids, are forgotten.
//
//   - A coordinator that was stopped (Resume) finds requests and timers that were due meanwhile, and may see either first.
//
// What it leaves out: versions of the requests before JoinGroup 5 (members without MEMBER_ID_REQUIRED), limits of the
// group's size and of session timeouts, authorisation, groups that were deleted or have expired, failures to store, a former
// coordinator that has not heard yet that it is one, and groups in transit to the protocol of KIP-848. testdata/model.txt
// has what else it leaves out, with the scripts that show it.
package coordinator
