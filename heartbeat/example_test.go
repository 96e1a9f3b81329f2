package heartbeat_test

import (
	"context"
	"fmt"
	"log"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/heartbeat/franz"
)

// Run keeps the member in its group, and calls a function with what each generation assigns to it.
func ExampleMember_Run() {
	transport, end := brokers()
	defer end()
	member, err := heartbeat.NewMember(heartbeat.Config{
		Group: "readers", ProtocolType: "queues", Protocols: []heartbeat.Protocol{{Name: "all"}},
	}, transport, everythingToEach)
	if err != nil {
		log.Fatal(err)
	}
	defer member.Close(context.Background())

	err = member.Run(context.Background(), func(ctx context.Context, s *heartbeat.Session) error {
		// Until ctx ends the queues are this member's. Then the group waits for this function to return.
		fmt.Printf("generation %d: %s\n", s.Generation(), s.Assignment())
		return s.Commit(ctx, []heartbeat.Offset{{Topic: "log", Partition: 0, Offset: 42, LeaderEpoch: -1}})
	})
	fmt.Println("Run has returned:", err)
	// Output:
	// generation 1: all queues
	// Run has returned: <nil>
}

// An application that has a loop of its own polls in it, and is told of its partitions inside Poll.
func ExampleMember_Poll() {
	transport, end := brokers()
	defer end()
	tell := func(what string) func(context.Context, *heartbeat.Session) error {
		return func(_ context.Context, s *heartbeat.Session) error {
			fmt.Printf("%s: %s of generation %d\n", what, s.Assignment(), s.Generation())
			return nil
		}
	}
	member, err := heartbeat.NewMember(heartbeat.Config{
		Group: "readers", ProtocolType: "queues", Protocols: []heartbeat.Protocol{{Name: "all"}},
	}, transport, everythingToEach, heartbeat.WithCallbacks(heartbeat.Callbacks{
		Assigned: tell("take up"), Revoked: tell("let go of"), Lost: tell("has lost"),
	}))
	if err != nil {
		log.Fatal(err)
	}

	for round := range 3 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		if err := member.Poll(ctx); err != nil { // at once, but for the first
			log.Print(err)
		}
		cancel()
		// Here the application works on what it has, for less than MaxPollInterval.
		if round == 1 {
			member.Rejoin("the work has changed")
		}
	}
	if err := member.Close(context.Background()); err != nil {
		log.Print(err)
	}
	// Output:
	// take up: all queues of generation 1
	// let go of: all queues of generation 1
	// take up: all queues of generation 2
	// let go of: all queues of generation 2
}

// What members can take is in the metadata that they join with; the assignor of the one that leads divides by it.
func ExampleAssignor() {
	byCapacity := heartbeat.Assignor(func(_ context.Context, in heartbeat.AssignmentInput) ([]heartbeat.Assignment, error) {
		var capacities []int
		for _, m := range in.Members {
			capacity, err := strconv.Atoi(string(m.Metadata))
			if err != nil {
				return nil, fmt.Errorf("member %s: %w", m.ID, err)
			}
			capacities = append(capacities, capacity)
		}
		shares := make([][]string, len(in.Members))
		for shard := range 10 {
			free := slices.Index(capacities, slices.Max(capacities))
			capacities[free]--
			shares[free] = append(shares[free], strconv.Itoa(shard))
		}
		var plan []heartbeat.Assignment
		for i, m := range in.Members {
			plan = append(plan, heartbeat.Assignment{Member: m.ID, Data: []byte(strings.Join(shares[i], " "))})
		}
		return plan, nil
	})

	plan, err := byCapacity(context.Background(), heartbeat.AssignmentInput{
		Members: []heartbeat.JoinMember{{ID: "small", Metadata: []byte("2")}, {ID: "large", Metadata: []byte("8")}},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range plan {
		fmt.Printf("%s: %s\n", a.Member, a.Data)
	}

	transport, end := brokers()
	defer end()
	member, err := heartbeat.NewMember(heartbeat.Config{
		Group: "shards", ProtocolType: "shards", Protocols: []heartbeat.Protocol{{Name: "by capacity", Metadata: []byte("5")}},
	}, transport, byCapacity)
	if err != nil {
		log.Fatal(err)
	}
	defer member.Close(context.Background())
	err = member.Run(context.Background(), func(_ context.Context, s *heartbeat.Session) error {
		fmt.Printf("the only member: %s\n", s.Assignment())
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// small: 6 8
	// large: 0 1 2 3 4 5 7 9
	// the only member: 0 1 2 3 4 5 6 7 8 9
}

// everythingToEach is an assignor for members that do not share: each works on everything.
func everythingToEach(_ context.Context, in heartbeat.AssignmentInput) ([]heartbeat.Assignment, error) {
	var plan []heartbeat.Assignment
	for _, m := range in.Members {
		plan = append(plan, heartbeat.Assignment{Member: m.ID, Data: []byte("all queues")})
	}
	return plan, nil
}

// brokers are embedded ones, for examples; an application makes its client by kgo.NewClient(kgo.SeedBrokers(…)).
func brokers() (heartbeat.Transport, func()) {
	var network kfake.VirtualNetwork
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.ListenFn(network.Listen), kfake.SeedTopics(1, "log"))
	if err != nil {
		log.Fatal(err)
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.Dialer(network.DialContext))
	if err != nil {
		log.Fatal(err)
	}
	return franz.New(client), func() {
		client.Close()
		cluster.Close()
	}
}
