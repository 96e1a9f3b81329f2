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
	c := newConsumer(t, cl, []string{"t"})
	_, err = c.NewMember(heartbeat.Config{}, transport, ConsumerCallbacks{})
	require.ErrorContains(t, err, "Group is empty")
	_, err = c.NewMember(heartbeat.Config{Group: "g"}, transport, ConsumerCallbacks{})
	require.NoError(t, err)
	_, err = c.NewMember(heartbeat.Config{Group: "g"}, transport, ConsumerCallbacks{})
	require.EqualError(t, err, "config: Consumer has a member already: make one for each")
}

// What a Consumer cannot do is said when it is made: not everybody lets it make a member.
func TestAConsumerThatCannotShare(t *testing.T) {
	cl := unconnected(t)
	for _, c := range []struct {
		problem   string
		client    *kgo.Client
		topics    []string
		balancers []kgo.GroupBalancer
	}{
		{"has no client: make one with kgo.NewClient", nil, []string{"t"}, nil},
		{"has no topics: name those that the group shares", cl, nil, nil},
		{"has a topic without a name", cl, []string{"t", ""}, nil},
		{"has a balancer that is nil", cl, []string{"t"}, []kgo.GroupBalancer{kgo.RangeBalancer(), nil}},
	} {
		_, err := NewConsumer(c.client, c.topics, c.balancers...)
		var config *heartbeat.ConfigError
		require.ErrorAs(t, err, &config, c.problem)
		require.EqualError(t, err, "config: Consumer "+c.problem)
	}
}

// Without balancers a Consumer has franz-go's; what it was given is its own.
func TestTheBalancersOfAConsumer(t *testing.T) {
	cl := unconnected(t)
	require.Equal(t, []string{"cooperative-sticky"}, namesOf(newConsumer(t, cl, []string{"t"}).Protocols()))
	balancers := []kgo.GroupBalancer{kgo.RangeBalancer()}
	c := newConsumer(t, cl, []string{"t"}, balancers...)
	balancers[0] = nil
	require.Equal(t, []string{"range"}, namesOf(c.Protocols()))
}

// A missing argument is named where it is missing.
func TestAMissingArgument(t *testing.T) {
	cl, err := kgo.NewClient(kgo.SeedBrokers("127.0.0.1:1"))
	require.NoError(t, err)
	defer cl.Close()
	require.PanicsWithValue(t, "franz: New: the client is nil: make one with kgo.NewClient", func() { New(nil) })
	m, err := newConsumer(t, cl, []string{"t"}).NewMember(heartbeat.Config{Group: "g"}, New(cl), ConsumerCallbacks{})
	require.NoError(t, err)
	require.EqualError(t, m.Run(t.Context(), nil), "run: work is nil: give the function that does the member's part")
}
