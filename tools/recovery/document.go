package main

import (
	"fmt"
	"time"
)

// document is the page that -o writes.
func document(p plan, at time.Time, text string) string {
	return fmt.Sprintf(`# How consumers come back after their coordinator has failed

Measured on %s by `+"`make recovery ARGS=\"-o FILE\"`"+`, which renews this page: three brokers of Apache Kafka on one machine, and groups of
kbeat, of Apache Kafka's Java consumer and of franz-go's side by side in one cluster, all with the same coordinator. Each fault
has a new cluster; repetitions: %d.

- Settings are the same for all: classic protocol, cooperative-sticky assignment of %d partitions, heartbeats at a tenth of the
  session but not more than 3 s apart, all else as the client has it by default. Topics have 3 replicas and min.insync.replicas 2. A
  broker that falls silent is replaced as coordinator after %.0f s (broker.session.timeout.ms; Apache Kafka's default is 9 s).
- Each member commits every %d ms what it has read, waits for each commit (commitSync), and tries again when it fails.
- Partitions lost are those of onPartitionsLost or its counterpart. Rejoins are JoinGroup requests, lookups are FindCoordinator
  requests from the fault to the end of the observation, both counted at a proxy before all brokers. Gaps are of a member, from the last
  commit before the fault on; medians are over all members and repetitions.
- A broker that is cut off is cut off from clients, brokers and controllers: the proxy swallows bytes in both directions, and
  closes or resets nothing. A connection of which bytes were swallowed stays silent afterwards.
- A proxy before a stopped broker accepts connections that the broker itself would leave in its accept queue.
- Records lost are those that a group has committed and none of its members has received.

The gates, for kbeat: partitions lost and rejoins not more than Java's; no gap longer than Java's median in the same repetition
and %.0f s (when a cluster replaces its coordinator varies by more from one repetition to the next); commits again within %.0f s when the coordinator is stopped for 60 s and the session is 20 s; no record lost.

%s`, at.Format(time.DateOnly), p.repetitions, partitions, p.silence.Seconds(), commitEvery.Milliseconds(), gapAllowance.Seconds(), stopLimit.Seconds(), text)
}
