package franz_test

import (
	"context"
	"fmt"
	"log"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/heartbeat/franz"
)

// Writes that no two members may make at the same time: with a lease the work ends before the coordinator can have given the
// partitions to another member.
func Example_lease() {
	cluster := topicWith("orders")
	defer cluster.Close()
	member, end := leased(cluster)
	defer end()
	err := member.Run(context.Background(), func(ctx context.Context, s *heartbeat.Session, _ franz.Partitions) error {
		return writeAlone(ctx, s, []string{"first", "second"}, func(_ context.Context, fence int32, item string) error {
			fmt.Printf("%s, by generation %d\n", item, fence)
			return nil
		})
	})
	fmt.Println(err)
	// Output:
	// first, by generation 1
	// second, by generation 1
	// <nil>
}

// writeAlone writes items one after the other, as long as they are this session's to write.
func writeAlone(ctx context.Context, s *heartbeat.Session, items []string, write func(ctx context.Context, fence int32, item string) error) error {
	for _, item := range items {
		var err error
		if s.Valid() {
			deadline, _ := s.Deadline() // each answered heartbeat prolongs it
			writing, cancel := context.WithDeadline(ctx, deadline)
			err = write(writing, s.Generation(), item)
			cancel()
		}
		if !s.Valid() { // the generation has ended; or the process was stopped, and others may work by now
			<-ctx.Done()
			return context.Cause(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// leased is a member with a lease.
func leased(cluster *kfake.Cluster) (*franz.ConsumerMember, func()) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...))
	if err != nil {
		log.Fatal(err)
	}
	consumer, err := franz.NewConsumer(cl, []string{"orders"})
	if err != nil {
		log.Fatal(err)
	}
	member, err := consumer.NewMember(heartbeat.Config{Group: "writers", Lease: true}, franz.New(cl), franz.ConsumerCallbacks{})
	if err != nil {
		log.Fatal(err)
	}
	return member, func() {
		if err := member.Close(context.Background()); err != nil {
			log.Print(err)
		}
		cl.Close()
	}
}
