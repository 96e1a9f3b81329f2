package franz

import (
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
)

// spy is a user's hook.
type spy struct {
	mu     sync.Mutex
	events map[string]int
}

func (s *spy) note(event string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events[event]++
}

func (s *spy) OnNewClient(*kgo.Client)    { s.note("client") }
func (s *spy) OnClientClosed(*kgo.Client) { s.note("client closed") }
func (s *spy) OnBrokerConnect(kgo.BrokerMetadata, time.Duration, net.Conn, error) {
	s.note("connect")
}
func (s *spy) OnBrokerDisconnect(kgo.BrokerMetadata, net.Conn) { s.note("disconnect") }
func (s *spy) OnBrokerWrite(_ kgo.BrokerMetadata, key int16, _ int, _, _ time.Duration, _ error) {
	s.note("write " + kmsg.NameForKey(key))
}
func (s *spy) OnBrokerRead(_ kgo.BrokerMetadata, key int16, _ int, _, _ time.Duration, _ error) {
	s.note("read " + kmsg.NameForKey(key))
}
func (s *spy) OnBrokerE2E(_ kgo.BrokerMetadata, key int16, _ kgo.BrokerE2E) {
	s.note("e2e " + kmsg.NameForKey(key))
}
func (s *spy) OnBrokerThrottle(kgo.BrokerMetadata, time.Duration, bool) { s.note("throttle") }

// What a client's metrics are made of shows the group's requests too, and its connections' clients are not registered as
// clients of the user's.
func TestHooksSeeTheGroupsRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		cluster := n.cluster(1)
		cluster.ControlKey(kmsg.Heartbeat.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) {
			answer := r.ResponseKind().(*kmsg.HeartbeatResponse)
			answer.ThrottleMillis = 10
			return answer, nil, true
		})
		s := &spy{events: map[string]int{}}
		transport := New(n.client(kgo.WithHooks(s)))
		transport.learn(1, "localhost:9001")
		require.Equal(t, classic.CodeNone, transport.Send(t.Context(), beat(time.Second)).Code)
		transport.Close()
		synctest.Wait()
		require.Equal(t, map[string]int{
			"client": 1, "connect": 1, "disconnect": 1, "throttle": 1,
			"write ApiVersions": 1, "read ApiVersions": 1, "e2e ApiVersions": 1,
			"write Heartbeat": 1, "read Heartbeat": 1, "e2e Heartbeat": 1,
		}, s.events)
	})
}

// The client's id and software are what brokers log and bound by quotas.
func TestBrokersSeeTheClientsName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		cluster := n.cluster(1, kfake.DefaultNumPartitions(1))
		var software string
		cluster.ControlKey(kmsg.ApiVersions.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) {
			cluster.KeepControl()
			software = r.(*kmsg.ApiVersionsRequest).ClientSoftwareName
			return nil, nil, false
		})
		cl := n.client(kgo.ClientID("shop-7"), kgo.SoftwareNameAndVersion("shop", "1.2"))
		transport := New(cl)
		s := newSession(t, transport)
		s.join()
		require.Equal(t, "shop", software)
		req := kmsg.NewPtrDescribeGroupsRequest()
		req.Groups = []string{"g"}
		answer, err := req.RequestWith(t.Context(), cl)
		require.NoError(t, err)
		require.Equal(t, "shop-7", answer.Groups[0].Members[0].ClientID)
	})
}
