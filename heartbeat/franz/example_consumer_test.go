package franz_test

import (
	"context"
	"fmt"
	"log"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/heartbeat/franz"
)

// A consumer with a fetch path of its own: kbeat says which partitions are its, franz-go fetches them, and their offsets
// are committed under the generation in which they were given.
func Example_consumer() {
	cluster := topicWith("orders", "one", "two", "three")
	defer cluster.Close()
	cl, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...))
	if err != nil {
		log.Fatal(err)
	}
	defer cl.Close()

	consumer := franz.NewConsumer(cl, []string{"orders"}, kgo.RangeBalancer())
	member, err := heartbeat.NewMember(heartbeat.Config{
		Group:        "shop",
		ProtocolType: franz.ConsumerProtocolType,
		Protocols:    consumer.Protocols(),
	}, franz.New(cl), consumer.Assign)
	if err != nil {
		log.Fatal(err)
	}
	defer member.Close(context.Background())

	ctx, enough := context.WithCancel(context.Background())
	count := 0
	err = member.Run(ctx, func(ctx context.Context, s *heartbeat.Session) error {
		given, err := consumer.Assigned(s.Generation(), s.Protocol(), s.Assignment())
		if err != nil {
			return err
		}
		defer consumer.Revoked()
		from, err := committed(ctx, cl, "shop", given.Added)
		if err != nil {
			return err
		}
		cl.AddConsumePartitions(from)
		defer cl.RemoveConsumePartitions(given.Added)
		for {
			fetches := cl.PollFetches(ctx)
			if err := fetches.Err0(); err != nil {
				return err // of ctx, when the partitions are to be let go
			}
			var done []heartbeat.Offset
			fetches.EachRecord(func(r *kgo.Record) {
				fmt.Printf("%s\n", r.Value)
				done = append(done, heartbeat.Offset{Topic: r.Topic, Partition: r.Partition, Offset: r.Offset + 1, LeaderEpoch: r.LeaderEpoch})
				count++
			})
			if err := s.Commit(ctx, done); err != nil {
				return err
			}
			if count == 3 {
				enough()
			}
		}
	})
	fmt.Println(err)
	offsets, err := kadm.NewClient(cl).FetchOffsets(context.Background(), "shop")
	if err != nil {
		log.Fatal(err)
	}
	offset, _ := offsets.Lookup("orders", 0)
	fmt.Println("committed:", offset.At)
	// Output:
	// one
	// two
	// three
	// context canceled
	// committed: 3
}

// committed is where to go on reading: behind what the group has committed, or at the start.
func committed(ctx context.Context, cl *kgo.Client, group string, partitions franz.Partitions) (map[string]map[int32]kgo.Offset, error) {
	offsets, err := kadm.NewClient(cl).FetchOffsets(ctx, group)
	if err != nil {
		return nil, err
	}
	from := map[string]map[int32]kgo.Offset{}
	for topic, list := range partitions {
		from[topic] = map[int32]kgo.Offset{}
		for _, partition := range list {
			from[topic][partition] = kgo.NewOffset().AtStart()
			if o, ok := offsets.Lookup(topic, partition); ok {
				from[topic][partition] = kgo.NewOffset().At(o.At)
			}
		}
	}
	return from, nil
}

// topicWith is a cluster that has a topic of one partition.
func topicWith(topic string, values ...string) *kfake.Cluster {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, topic))
	if err != nil {
		log.Fatal(err)
	}
	cl, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.DefaultProduceTopic(topic))
	if err != nil {
		log.Fatal(err)
	}
	defer cl.Close()
	for _, v := range values {
		if err := cl.ProduceSync(context.Background(), kgo.StringRecord(v)).FirstErr(); err != nil {
			log.Fatal(err)
		}
	}
	return cluster
}
