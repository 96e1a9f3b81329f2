//go:build kafka

package broker_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"github.com/kbeat/kbeat/tools/kafkatest/broker"
)

func admin(t *testing.T, opts ...kgo.Opt) *kadm.Client {
	cl, err := kgo.NewClient(opts...)
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	return kadm.NewClient(cl)
}

func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func TestABrokerKeepsItsDataThroughAKill(t *testing.T) {
	cluster := broker.Start(t)
	adm := admin(t, kgo.SeedBrokers(cluster.Addrs()...))
	_, err := adm.CreateTopic(within(t, time.Minute), 4, -1, nil, "kept")
	require.NoError(t, err)

	cluster.Broker(1).Kill()
	require.NoError(t, cluster.Broker(1).Restart(t.Context()))

	topics, err := adm.ListTopics(within(t, time.Minute), "kept")
	require.NoError(t, err)
	require.Len(t, topics["kept"].Partitions, 4, "the topic must have outlived the kill")
}

func TestThreeBrokersAreOneCluster(t *testing.T) {
	cluster := broker.Start(t, broker.Brokers(3))
	adm := admin(t, kgo.SeedBrokers(cluster.Addrs()[0]))
	_, err := adm.CreateTopic(within(t, time.Minute), 3, -1, nil, "spread")
	require.NoError(t, err)
	var meta kadm.Metadata
	require.Eventually(t, func() bool { // a broker hears of a topic a little after the one that has created it
		meta, err = adm.Metadata(within(t, time.Minute), "spread")
		return err != nil || meta.Topics["spread"].Err == nil
	}, time.Minute, 10*time.Millisecond)
	require.NoError(t, err)
	require.Equal(t, []int32{1, 2, 3}, meta.Brokers.NodeIDs())
	require.Len(t, meta.Topics["spread"].Partitions[0].Replicas, 3)
}

func TestASuspendedBrokerAnswersNothing(t *testing.T) {
	cluster := broker.Start(t)
	adm := admin(t, kgo.SeedBrokers(cluster.Addrs()...))
	cluster.Broker(1).Suspend()
	_, err := adm.BrokerMetadata(within(t, 500*time.Millisecond))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	cluster.Broker(1).Resume()
	_, err = adm.BrokerMetadata(within(t, time.Minute))
	require.NoError(t, err)
}

func TestUsersMayDoWhatTheyAreAllowedTo(t *testing.T) {
	cluster := broker.Start(t, broker.Users(map[string]string{"alice": "wonder"}))
	as := func(user, password string) *kadm.Client {
		return admin(t, kgo.SeedBrokers(cluster.Addrs()...),
			kgo.SASL(plain.Auth{User: user, Pass: password}.AsMechanism()))
	}
	_, err := as("admin", broker.Admin).CreateTopic(within(t, time.Minute), 1, -1, nil, "allowed")
	require.NoError(t, err)
	_, err = as("alice", "wonder").CreateTopic(within(t, time.Minute), 1, -1, nil, "denied")
	require.ErrorIs(t, err, kerr.TopicAuthorizationFailed)
	_, err = as("alice", "wrong").BrokerMetadata(within(t, time.Minute))
	require.ErrorIs(t, err, kerr.SaslAuthenticationFailed)
}
