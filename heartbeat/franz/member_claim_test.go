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
}

// What a Consumer cannot do is said before its member asks a broker for anything.
func TestAConsumerThatCannotShare(t *testing.T) {
	cl, err := kgo.NewClient(kgo.SeedBrokers("127.0.0.1:1"))
	require.NoError(t, err)
	defer cl.Close()
	transport := New(cl)
	for problem, c := range map[string]*Consumer{
		"has no topics: name those that the group shares": NewConsumer(cl, nil),
		"has a topic without a name":                      NewConsumer(cl, []string{"t", ""}),
		"has a balancer that is nil":                      NewConsumer(cl, []string{"t"}, nil),
	} {
		_, err = c.NewMember(heartbeat.Config{Group: "g"}, transport, ConsumerCallbacks{})
		require.EqualError(t, err, "config: Consumer "+problem)
	}
}

// A missing argument is named where it is missing.
func TestAMissingArgument(t *testing.T) {
	cl, err := kgo.NewClient(kgo.SeedBrokers("127.0.0.1:1"))
	require.NoError(t, err)
	defer cl.Close()
	require.PanicsWithValue(t, "franz: New: the client is nil: make one with kgo.NewClient", func() { New(nil) })
	require.PanicsWithValue(t, "franz: NewConsumer: the client is nil: make one with kgo.NewClient", func() { NewConsumer(nil, nil) })
	m, err := NewConsumer(cl, []string{"t"}).NewMember(heartbeat.Config{Group: "g"}, New(cl), ConsumerCallbacks{})
	require.NoError(t, err)
	require.EqualError(t, m.Run(t.Context(), nil), "run: work is nil: give the function that does the member's part")
}
