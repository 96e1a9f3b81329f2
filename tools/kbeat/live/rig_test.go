package live

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/kbeat/event"
)

// rig is a cluster with topic "t", and what is told of the members on it.
type rig struct {
	t       *testing.T
	network *kfake.VirtualNetwork
	cluster *kfake.Cluster

	mu     sync.Mutex
	events []event.Event
	said   []string
}

func newRig(t *testing.T) *rig {
	network := new(kfake.VirtualNetwork)
	cluster, err := kfake.NewCluster(kfake.Ports(9001, 9002), kfake.ListenFn(network.Listen), kfake.SeedTopics(4, "t"))
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	return &rig{t: t, network: network, cluster: cluster}
}

func (r *rig) config(members int) Config {
	return Config{
		Brokers: r.cluster.ListenAddrs(), Client: []kgo.Opt{kgo.Dialer(r.network.DialContext)},
		Topics: []string{"t"}, Members: members, Member: heartbeat.Config{Group: "g"}, StartTimeout: 10 * time.Second,
	}
}

func (r *rig) emit(e event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

func (r *rig) say(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said = append(r.said, text)
}

func (r *rig) spoken() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.said
}

func (r *rig) of(kind event.Kind) (found []event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		if e.Kind == kind {
			found = append(found, e)
		}
	}
	slices.SortStableFunc(found, func(a, b event.Event) int { return strings.Compare(a.Member, b.Member) })
	return found
}

// outcome is how a Run ended, and when.
type outcome struct {
	problems []string
	err      error
	took     time.Duration
}

// start is a Run in the background.
func (r *rig) start(c Config) (stop context.CancelFunc, ended <-chan outcome) {
	ctx, cancel := context.WithCancel(r.t.Context())
	done := make(chan outcome, 1)
	go func() { done <- r.run(ctx, c) }()
	return cancel, done
}

func (r *rig) run(ctx context.Context, c Config) outcome {
	began := time.Now()
	problems, err := Run(ctx, c, r.emit, r.say)
	return outcome{problems, err, time.Since(began)}
}

// members are those that the broker knows of.
func (r *rig) members() int {
	if g := r.cluster.GroupInfo("g"); g != nil {
		return len(g.Members)
	}
	return 0
}
