// Package franz carries a heartbeat.Member's requests to real brokers by franz-go, and lends it franz-go's balancers.
//
//	cl, err := kgo.NewClient(kgo.SeedBrokers("127.0.0.1:9092"))
//	transport := franz.New(cl)
//	member, err := heartbeat.NewMember(config, transport, assignor)
//
// A Transport sends requests by franz-go's single-request path, and says how they ended: the specification's rules retry,
// never this package and never franz-go. It decides nothing about an answer. Each request is sent once, but for two: a
// Heartbeat that is not answered is sent again on a second connection, and a lookup goes on to the next broker.
//
// The client says how to reach the cluster (seeds, dialer, TLS, SASL, versions, logger, hooks); the group's requests do
// not travel on its connections. A broker answers the requests of one connection one after the other, so what is answered
// late would delay each heartbeat behind it: a fetch, a commit that waits for the replicas, or a JoinGroup that is held
// until the whole group has joined. A Transport therefore has its own connections to a coordinator: one each for Heartbeat,
// LeaveGroup and OffsetCommit, shared by all members, and one for each JoinGroup and SyncGroup that is being held.
//
// A Consumer makes members whose work is the partitions of topics. Run, they are given all of their partitions anew in each
// generation; polled, they are told what changes, and keep the rest (KIP-429). The package never fetches a record.
//
// Brokers from Apache Kafka 2.3 on are spoken to: older ones do not know static members, and would quietly take one for
// a dynamic member.
package franz
