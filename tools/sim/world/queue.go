package world

import (
	"container/heap"
	"time"
)

// queue is what is to happen, the earliest first; of one time in the order in which it was put in.
type queue struct {
	now   time.Duration
	items items
	count uint64
}

type item struct {
	at    time.Duration
	count uint64
	do    func()
}

type items []item

func (q *items) Len() int { return len(*q) }
func (q *items) Less(i, j int) bool {
	a, b := &(*q)[i], &(*q)[j]
	return a.at < b.at || a.at == b.at && a.count < b.count
}
func (q *items) Swap(i, j int) { (*q)[i], (*q)[j] = (*q)[j], (*q)[i] }
func (q *items) Push(x any)    { *q = append(*q, x.(item)) }
func (q *items) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	(*q)[last] = item{}
	*q = (*q)[:last]
	return x
}

// at lets something happen at a time, or now where that has passed.
func (q *queue) at(at time.Duration, do func()) {
	q.count++
	heap.Push(&q.items, item{max(at, q.now), q.count, do})
}

// after lets something happen after a while.
func (q *queue) after(d time.Duration, do func()) { q.at(q.now+d, do) }

// run lets everything happen up to a time, or until stop says so.
func (q *queue) run(until time.Duration, stop func() bool) {
	for len(q.items) > 0 && q.items[0].at <= until && !stop() {
		next := heap.Pop(&q.items).(item)
		q.now = next.at
		next.do()
	}
	if !stop() {
		q.now = until
	}
}
