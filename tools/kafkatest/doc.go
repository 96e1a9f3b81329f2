// Package kafkatest holds kbeat against a real Apache Kafka: the transport, members, and whole processes, which
// are stopped and cut off. Its tests have the build tag "kafka" and need java and mvn on the PATH:
//
//	go test -tags kafka ./tools/kafkatest/...
//
// tools/sim/coordinator holds its model of the coordinator against a real one as well. Everything else in this module is
// tested without a broker that is not in the test's own process.
package kafkatest
