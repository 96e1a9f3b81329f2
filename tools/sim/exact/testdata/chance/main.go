// Chance prints what a Go program leaves to chance.
package main

import (
	crand "crypto/rand"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"time"
)

func main() {
	m := map[int]bool{}
	for i := range 100 {
		m[i] = true
	}
	for i := range m {
		fmt.Print(i, " ")
	}
	var order sync.WaitGroup
	var mu sync.Mutex
	for i := range 100 {
		order.Go(func() {
			for range i % 7 {
				time.Sleep(time.Microsecond)
			}
			mu.Lock()
			defer mu.Unlock()
			fmt.Print(i, " ")
		})
	}
	order.Wait()
	ready := make(chan int, 100)
	for i := range 100 {
		select {
		case ready <- i:
		case ready <- -i:
		}
	}
	close(ready)
	for i := range ready {
		fmt.Print(i, " ")
	}
	var b [16]byte
	crand.Read(b[:])
	fmt.Println(rand.Uint64(), b, time.Now(), len(os.Environ()), os.Args[1:])
	if len(os.Args) > 2 {
		os.Exit(3)
	}
}
