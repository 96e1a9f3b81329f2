package franz_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

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
	cl, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...)) // without kgo.ConsumerGroup: that is kbeat's part
	if err != nil {
		log.Fatal(err)
	}
	defer cl.Close()

	ctx, stop := context.WithCancel(context.Background()) // in a program, signal.NotifyContext
	defer stop()
	left := 3
	err = consume(ctx, cl, "shop", "orders", func(r *kgo.Record) {
		fmt.Printf("%s\n", r.Value)
		if left--; left == 0 {
			stop()
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

// consume is in the group until ctx ends, or something fails that no repetition mends.
func consume(ctx context.Context, cl *kgo.Client, group, topic string, handle func(*kgo.Record)) error {
	consumer, err := franz.NewConsumer(cl, []string{topic})
	if err != nil {
		return err
	}
	member, err := consumer.NewMember(heartbeat.Config{Group: group}, franz.New(cl), franz.ConsumerCallbacks{})
	if err != nil {
		return err
	}
	defer func() { // the others get its partitions at once; if this fails, when its session has ended
		leave, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := member.Close(leave); err != nil {
			log.Print(err)
		}
	}()
	return member.Run(ctx, func(ctx context.Context, s *heartbeat.Session, partitions franz.Partitions) error {
		from, err := positions(ctx, cl, group, partitions)
		if err != nil {
			return err
		}
		cl.AddConsumePartitions(from)
		defer cl.RemoveConsumePartitions(partitions) // also what has been fetched of them and not been polled
		for {
			fetches := cl.PollFetches(ctx)
			if err := fetches.Err(); err != nil {
				return err // ctx has ended: the partitions are to be let go; or they cannot be read
			}
			var done []heartbeat.Offset
			fetches.EachPartition(func(p kgo.FetchTopicPartition) {
				for _, r := range p.Records {
					handle(r)
				}
				if n := len(p.Records); n > 0 {
					last := p.Records[n-1]
					done = append(done, heartbeat.Offset{
						Topic: p.Topic, Partition: p.Partition, Offset: last.Offset + 1, LeaderEpoch: last.LeaderEpoch,
					})
				}
			})
			if err := commit(ctx, s, done); err != nil {
				return err
			}
		}
	})
}

// commit stores what was handled, also when ctx has ended meanwhile: until the partitions are let go, they are still ours.
func commit(ctx context.Context, s *heartbeat.Session, done []heartbeat.Offset) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return s.Commit(ctx, done)
}

// positions is where to go on reading: behind what the group has committed, and at the start where it has not.
func positions(ctx context.Context, cl *kgo.Client, group string, partitions franz.Partitions) (map[string]map[int32]kgo.Offset, error) {
	committed, err := kadm.NewClient(cl).FetchOffsets(ctx, group)
	if err = errors.Join(err, committed.Error()); err != nil {
		return nil, fmt.Errorf("the offsets of group %q: %w", group, err)
	}
	from := map[string]map[int32]kgo.Offset{}
	for topic, list := range partitions {
		from[topic] = map[int32]kgo.Offset{}
		for _, partition := range list {
			from[topic][partition] = kgo.NewOffset().AtStart()
			if o, ok := committed.Lookup(topic, partition); ok && o.At >= 0 {
				from[topic][partition] = kgo.NewOffset().At(o.At).WithEpoch(o.LeaderEpoch)
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
