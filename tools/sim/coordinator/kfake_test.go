package coordinator_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kbeat/kbeat/heartbeat/franz"
)

// playToKfake is the transcript of a script that franz-go's embedded cluster plays, in virtual time.
func playToKfake(t *testing.T, s script) (told string) {
	synctest.Test(t, func(t *testing.T) {
		var network kfake.VirtualNetwork
		cluster, err := kfake.NewCluster(
			kfake.NumBrokers(1), kfake.ListenFn(network.Listen), kfake.Ports(9001), kfake.SeedTopics(1, topic), kfake.GroupMinSessionTimeout(time.Second),
		)
		require.NoError(t, err)
		defer cluster.Close()
		client, err := kgo.NewClient(kgo.Dialer(network.DialContext), kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.DisableClientMetrics())
		require.NoError(t, err)
		defer client.Close()
		transport := franz.New(client)
		defer transport.Close()
		w := newWire(t, "g", client, transport)
		defer w.close()
		told = play(t, s, w)
	})
	return told
}
