//go:build unix

package broker

import (
	"syscall"
	"time"
)

// Suspend stops the broker where it stands: its connections stay open, and nothing is answered any more.
func (b *Broker) Suspend() {
	b.process.signal(syscall.SIGSTOP)
	for !b.process.stopped() {
		time.Sleep(time.Millisecond) // the broker lives in real time
	}
}

// Resume lets a suspended broker go on.
func (b *Broker) Resume() { b.process.signal(syscall.SIGCONT) }
