// Package world is a group of members in virtual time: heartbeat.Cores with their applications, a network, and the model of
// a coordinator, to which a Plan lets things happen. All follows from the plan's seed: the same plan gives the same events.
//
//	plan := world.NewPlan(seed, world.Size{Length: 10 * time.Minute, Fewest: 3, Most: 30})
//	outcome := world.Run(plan, world.Options{})
//	for _, v := range outcome.Violations { … }
//
// Applications poll, work, let go and commit; some have workers that commit in their own time, when the generation in which
// they have read can have ended.
//
// It judges nothing itself: package judge does, by what is seen from outside.
package world
