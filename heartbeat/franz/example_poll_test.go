package franz_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/heartbeat/franz"
)

// An application with a loop of its own polls in it. Callbacks notify it of partitions that come and go; what stays its own it
// goes on with while the group rebalances.
func Example_poll() {
	cluster := topicWith("orders", "one", "two")
	defer cluster.Close()
	cl, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...))
	if err != nil {
		log.Fatal(err)
	}
	defer cl.Close()

	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	left := 2
	fmt.Println(pollAndFetch(ctx, cl, "shop", "orders", func(r *kgo.Record) {
		fmt.Printf("%s\n", r.Value)
		if left--; left == 0 {
			stop()
		}
	}))
	// Output:
	// assigned orders[0]
	// one
	// two
	// revoked orders[0]
	// context canceled
}

// pollAndFetch is in the group until ctx ends, or something fails that no repetition mends.
func pollAndFetch(ctx context.Context, cl *kgo.Client, group, topic string, handle func(*kgo.Record)) error {
	consumer, err := franz.NewConsumer(cl, []string{topic}) // cooperative-sticky
	if err != nil {
		return err
	}
	handled := map[int32]heartbeat.Offset{} // by partition; callbacks run inside Poll and Close, so it needs no lock
	member, err := consumer.NewMember(heartbeat.Config{Group: group}, franz.New(cl), franz.ConsumerCallbacks{
		Assigned: func(ctx context.Context, _ *heartbeat.Session, added franz.Partitions) error {
			fmt.Println("assigned", added)
			from, err := positions(ctx, cl, group, added)
			cl.AddConsumePartitions(from)
			return err
		},
		Revoked: func(ctx context.Context, s *heartbeat.Session, removed franz.Partitions) error {
			fmt.Println("revoked", removed)
			cl.RemoveConsumePartitions(removed)
			var done []heartbeat.Offset
			for _, p := range removed[topic] {
				if o, ok := handled[p]; ok {
					done = append(done, o)
					delete(handled, p)
				}
			}
			return s.Commit(ctx, done) // they are this member's until this returns
		},
		Lost: func(_ context.Context, _ *heartbeat.Session, lost franz.Partitions) error {
			fmt.Println("lost", lost)
			cl.RemoveConsumePartitions(lost)
			for _, p := range lost[topic] {
				delete(handled, p) // another member may own them: a commit would fail
			}
			return nil
		},
	})
	if err != nil {
		return err
	}
	defer func() {
		leave, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := member.Close(leave); err != nil {
			log.Print(err)
		}
	}()
	for {
		if err := member.Poll(ctx); err != nil { // at once, where nothing is to be done
			return err
		}
		fetch, cancel := context.WithTimeout(ctx, time.Second) // so that Poll notices a rebalance soon
		fetches := cl.PollFetches(fetch)
		cancel()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		fetches.EachRecord(func(r *kgo.Record) {
			handle(r)
			handled[r.Partition] = heartbeat.Offset{Topic: topic, Partition: r.Partition, Offset: r.Offset + 1, LeaderEpoch: r.LeaderEpoch}
		})
	}
}
