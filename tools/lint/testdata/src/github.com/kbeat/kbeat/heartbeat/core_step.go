package heartbeat

//kbeat:pure

import (
	"context"
	"fmt"
	"maps"
	"os" // want `a pure file imports os, which is not known to be pure`
	"slices"
	"time"
)

type input struct{ done chan int } // want `a pure file has a channel`

func step(ctx context.Context, in input, m map[string]int, keys []string) {
	_ = time.Now()                 // want `a pure file uses time.Now; the time is an input`
	_ = time.Since(time.Time{})    // want `a pure file uses time.Since; the time is an input`
	_ = time.NewTimer(time.Second) // want `a pure file uses time.NewTimer; the time is an input`
	clock := time.Now              // want `a pure file uses time.Now; the time is an input`
	_ = clock().Add(time.Hour).Unix()
	fmt.Println("step")                // want `a pure file uses fmt.Println, which reads or writes`
	println("step")                    // want `a pure file prints`
	fmt.Fprint(os.Stderr, "step")      // want `a pure file uses fmt.Fprint, which reads or writes`
	_, _ = context.WithTimeout(ctx, 1) // want `a pure file uses context.WithTimeout, which has a clock or a goroutine`
	go step(ctx, in, m, keys)          // want `a pure file starts a goroutine`
	in.done <- 1                       // want `a pure file sends on a channel`
	<-in.done                          // want `a pure file receives from a channel`
	select {                           // want `a pure file waits`
	case <-in.done:
	default:
	}
	for range in.done { // want `a pure file receives from a channel`
	}
	for k := range m { // want `a pure file ranges over a map, whose order differs from run to run`
		keys = append(keys, k)
	}
	for k := range maps.Keys(m) { // want `a pure file iterates over a map`
		keys = append(keys, k)
	}
	_ = slices.Collect(maps.Values(m)) // want `a pure file iterates over a map`
	for _, k := range slices.Sorted(maps.Keys(m)) {
		keys = append(keys, k)
	}
	_ = slices.SortedFunc(maps.Values(m), func(a, b int) int { return a - b })
	for i := range keys {
		_ = m[keys[i]]
	}
	loop{}.run() // want `a pure file uses run of member.go, which does not say that it is pure`
	_ = started  // want `a pure file uses started of member.go, which does not say that it is pure`
	_ = loop{name: limit}
	marked()
	var r runner
	r.start()
}
