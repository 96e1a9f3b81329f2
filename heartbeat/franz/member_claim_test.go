package franz

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kbeat/kbeat/heartbeat"
)

// A Consumer has one member. One that could not be made is none.
func TestAConsumerHasOneMember(t *testing.T) {
	cl, err := kgo.NewClient(kgo.SeedBrokers("127.0.0.1:1"))
	require.NoError(t, err)
	defer cl.Close()
	transport := New(cl)
	c := NewConsumer(cl, []string{"t"})
	_, err = c.NewMember(heartbeat.Config{}, transport, ConsumerCallbacks{})
	require.ErrorContains(t, err, "Group is empty")
	_, err = c.NewMember(heartbeat.Config{Group: "g"}, transport, ConsumerCallbacks{})
	require.NoError(t, err)
	_, err = c.NewMember(heartbeat.Config{Group: "g"}, transport, ConsumerCallbacks{})
	require.EqualError(t, err, "config: Consumer has a member already: make one for each")
	_, err = NewConsumer(cl, []string{"t"}, nil).NewMember(heartbeat.Config{Group: "g"}, transport, ConsumerCallbacks{})
	require.EqualError(t, err, "config: Consumer has a balancer that is nil")
}
