package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/tools/kafkatest/proxy"
)

var start = time.UnixMilli(1_000_000)

func at(seconds float64) time.Time { return start.Add(time.Duration(seconds * float64(time.Second))) }

func done(k kind, member string, seconds float64, n int) event {
	return event{At: at(seconds).UnixMilli(), Member: member, Kind: k, Partitions: n}
}

func TestMeasure(t *testing.T) {
	g := group{kbeat, 20 * time.Second, 3}
	a, b, c := g.member(0), g.member(1), g.member(2)
	list := []event{
		done(committed, a, 1, 4), done(committed, a, 9.8, 4), done(committed, a, 10.4, 4), // answered before the fault
		done(committed, a, 22, 4), done(committed, a, 39, 4), // its longest gap is the later one
		done(committed, b, 9.9, 4), done(lost, b, 31, 4),
		done(committed, c, 9.5, 4), done(committed, c, 12.5, 4), done(committed, c, 39.5, 4), done(committed, c, 41, 4),
		done(lost, c, 5, 4), done(committed, "kbeat-s20-n30/0", 11, 4), done(lost, "java-s20-n3/0", 11, 4),
	}
	seen := func(api int16, client string, seconds float64) proxy.Counted {
		return proxy.Counted{Request: proxy.Request{API: api, Client: client}, At: at(seconds)}
	}
	requests := []proxy.Counted{
		seen(proxy.FindCoordinator, a, 9), seen(proxy.FindCoordinator, a, 11), seen(proxy.FindCoordinator, b, 12), seen(proxy.FindCoordinator, b, 41),
		seen(proxy.JoinGroup, b, 31), seen(proxy.JoinGroup, "java-s20-n3/0", 31),
	}
	s := measure(g, window{at(10), at(40)}, list, requests)
	require.Equal(t, sample{
		watched: 30 * time.Second, lost: 4, rejoins: 1, lookups: 2, silent: 1,
		gaps:  []time.Duration{17 * time.Second, 30100 * time.Millisecond, 27 * time.Second},
		first: []time.Duration{12 * time.Second, 2500 * time.Millisecond},
	}, s)
}

func TestUnsettled(t *testing.T) {
	g := group{java, 10 * time.Second, 2}
	a, b := g.member(0), g.member(1)
	list := []event{done(assigned, a, 0, partitions), done(revoked, a, 1, 6), done(assigned, b, 2, 6)}
	require.Equal(t, "java-s10-n2 has only just been rebalanced", unsettled(g, at(3), list))
	list = append(list, done(committed, a, 9, 6))
	require.Equal(t, "java-s10-n2/1 does not commit", unsettled(g, at(10), list))
	list = append(list, done(committed, b, 9, 6))
	require.Empty(t, unsettled(g, at(10), list))
	list = append(list, done(lost, b, 9, 6))
	require.Equal(t, "java-s10-n2 owns 6 of 12 partitions", unsettled(g, at(20), list))
}

func TestMissingRecords(t *testing.T) {
	g := group{franzGo, 10 * time.Second, 2}
	delivered := func(partition int32, from, to int64) event {
		return event{Member: g.member(0), Kind: records, Partition: partition, From: from, To: to}
	}
	list := []event{
		delivered(0, 5, 9), delivered(0, 0, 5), delivered(0, 3, 7), // twice is allowed
		delivered(1, 2, 4), delivered(1, 6, 20), // 0, 1, 4, 5
		{Member: "java-s10-n2/0", Kind: records, Partition: 1, From: 0, To: 20},
	}
	require.Zero(t, missing(g, list, map[int32]int64{0: 9}))
	require.EqualValues(t, 1, missing(g, list, map[int32]int64{0: 10}))
	require.EqualValues(t, 4, missing(g, list, map[int32]int64{0: 9, 1: 20}))
	require.EqualValues(t, 3, missing(g, list, map[int32]int64{1: 5}), "what is not committed yet is not lost")
	require.EqualValues(t, 2, missing(g, list, map[int32]int64{2: 2}))
}

// Java's hashCode: those of these names are known.
func TestPartitionOf(t *testing.T) {
	for name, hash := range map[string]int{"": 0, "a": 97, "hello": 99162322, "kbeat-s45-n3-3": 1326353520 /* below 0 */, "polygenelubricants": 0 /* the least number: its sign alone */} {
		require.Equal(t, hash%50, partitionOf(name, 50), name)
	}
	leaders := []int32{1, 2, 3, 3, 2}
	require.EqualValues(t, 2, most(leaders))
	for broker := int32(1); broker <= 3; broker++ {
		name := nameFor("g", leaders, broker)
		require.Equal(t, broker, leaders[partitionOf(name, len(leaders))], name)
	}
}

func TestPlan(t *testing.T) {
	quick := newPlan(options{quick: true, members: 3, repetitions: 5})
	require.Equal(t, "2 faults, 1 repetitions each: about 3 minutes", quick.String())
	require.Len(t, quick.groups(longStop), 3)
	whole := newPlan(options{members: 3, repetitions: 5})
	require.Len(t, whole.groups(cut), 9)
	require.Len(t, whole.groups(longStop), 12)
	require.Len(t, newPlan(options{members: 10, repetitions: 5}).groups(longStop), 9)
	members := map[string]bool{}
	for _, g := range whole.groups(longStop) {
		require.LessOrEqual(t, g.heartbeat(), 3*time.Second)
		for i := range g.members {
			members[g.member(i)] = true
			for _, other := range whole.groups(longStop) {
				require.Equal(t, g == other, other.has(g.member(i)), fmt.Sprint(other.id(), g.member(i)))
			}
		}
	}
	require.Len(t, members, 3*(3*3+10))
}

func TestWrongCalls(t *testing.T) {
	right := options{members: 3, repetitions: 5, silence: 6 * time.Second}
	require.NoError(t, right.check(nil))
	for says, change := range map[string]func(*options){
		"-members=13: 1 to 12": func(o *options) { o.members = 13 },
		"-faults: no fault \"kill\"; there are sigkill, stop10, stop60, cut60": func(o *options) { o.faults = "stop10,kill" },
		"-repetitions=0: at least 1":   func(o *options) { o.repetitions = 0 },
		"-broker-session=2s: 3s to 1m": func(o *options) { o.silence = 2 * time.Second },
		`--o "no/such": no such`:       func(o *options) { o.output = "no/such/file" },
		`--logs "none": no such`:       func(o *options) { o.logs = "none" },
	} {
		wrong := right
		change(&wrong)
		require.ErrorContains(t, wrong.check(nil), says)
	}
	require.ErrorContains(t, right.check([]string{"now"}), `"now" is no flag`)
}
