package franz_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/heartbeat/franz"
)

// A pool of workers lets Kafka divide a hundred shards among them, by a protocol type of its own: no topic is involved.
// When a worker comes or goes, its shards move.
func Example_workers() {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		log.Fatal(err)
	}
	defer cluster.Close()
	cl, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...))
	if err != nil {
		log.Fatal(err)
	}
	defer cl.Close()
	transport := franz.New(cl) // one for all members of a process

	shares := make(chan map[string]int, 100)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	for _, name := range []string{"anna", "bert"} {
		go func() {
			defer func() { ended <- struct{}{} }()
			if err := worker(ctx, name, transport, shares); err != nil {
				log.Print(err)
			}
		}()
	}
	now := map[string]int{}
	for now["anna"] != 50 || now["bert"] != 50 {
		for name, n := range <-shares {
			now[name] = n
		}
	}
	fmt.Println("anna has", now["anna"], "shards, bert has", now["bert"])
	stop()
	<-ended
	<-ended
	// Output: anna has 50 shards, bert has 50
}

// worker is in the group until ctx ends.
func worker(ctx context.Context, name string, transport heartbeat.Transport, shares chan<- map[string]int) error {
	member, err := heartbeat.NewMember(heartbeat.Config{
		Group:             "pool",
		ProtocolType:      "shards",
		Protocols:         []heartbeat.Protocol{{Name: "even"}},
		HeartbeatInterval: 50 * time.Millisecond,
	}, transport, evenly)
	if err != nil {
		return err
	}
	defer member.Close(context.Background())
	err = member.Run(ctx, func(ctx context.Context, s *heartbeat.Session) error {
		var shards []int
		if err := json.Unmarshal(s.Assignment(), &shards); err != nil {
			return err
		}
		shares <- map[string]int{name: len(shards)}
		<-ctx.Done() // the work on the shards
		return nil
	})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// evenly is the assignor: each member gets every n-th shard.
func evenly(_ context.Context, in heartbeat.AssignmentInput) ([]heartbeat.Assignment, error) {
	members := slices.Clone(in.Members)
	slices.SortFunc(members, func(a, b heartbeat.JoinMember) int { return slices.Compare([]byte(a.ID), []byte(b.ID)) })
	plan := make([]heartbeat.Assignment, len(members))
	for i, m := range members {
		var shards []int
		for shard := i; shard < 100; shard += len(members) {
			shards = append(shards, shard)
		}
		data, err := json.Marshal(shards)
		if err != nil {
			return nil, err
		}
		plan[i] = heartbeat.Assignment{Member: m.ID, Data: data}
	}
	return plan, nil
}
