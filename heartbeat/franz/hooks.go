package franz

import (
	"net"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// brokerHooks passes what happens on connections to the client's hooks, so that its metrics and traces show the group's
// requests as well. The hooks about clients are left out: they register a client once, and the connections' clients are
// not ones that anybody made.
type brokerHooks []kgo.Hook

var _ interface {
	kgo.HookBrokerConnect
	kgo.HookBrokerDisconnect
	kgo.HookBrokerWrite
	kgo.HookBrokerRead
	kgo.HookBrokerE2E
	kgo.HookBrokerThrottle
} = brokerHooks(nil)

// each calls f with the hooks that are H.
func each[H any](hooks brokerHooks, f func(H)) {
	for _, h := range hooks {
		if h, ok := h.(H); ok {
			f(h)
		}
	}
}

func (hs brokerHooks) OnBrokerConnect(meta kgo.BrokerMetadata, took time.Duration, conn net.Conn, err error) {
	each(hs, func(h kgo.HookBrokerConnect) { h.OnBrokerConnect(meta, took, conn, err) })
}

func (hs brokerHooks) OnBrokerDisconnect(meta kgo.BrokerMetadata, conn net.Conn) {
	each(hs, func(h kgo.HookBrokerDisconnect) { h.OnBrokerDisconnect(meta, conn) })
}

func (hs brokerHooks) OnBrokerWrite(meta kgo.BrokerMetadata, key int16, n int, wait, took time.Duration, err error) {
	each(hs, func(h kgo.HookBrokerWrite) { h.OnBrokerWrite(meta, key, n, wait, took, err) })
}

func (hs brokerHooks) OnBrokerRead(meta kgo.BrokerMetadata, key int16, n int, wait, took time.Duration, err error) {
	each(hs, func(h kgo.HookBrokerRead) { h.OnBrokerRead(meta, key, n, wait, took, err) })
}

func (hs brokerHooks) OnBrokerE2E(meta kgo.BrokerMetadata, key int16, e2e kgo.BrokerE2E) {
	each(hs, func(h kgo.HookBrokerE2E) { h.OnBrokerE2E(meta, key, e2e) })
}

func (hs brokerHooks) OnBrokerThrottle(meta kgo.BrokerMetadata, throttle time.Duration, after bool) {
	each(hs, func(h kgo.HookBrokerThrottle) { h.OnBrokerThrottle(meta, throttle, after) })
}
