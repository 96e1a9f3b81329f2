package franz

import (
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// deaf takes connections and answers nothing on them.
func deaf(conn net.Conn) {
	for readFrame(conn) != nil {
	}
}

// findSoon looks up the coordinator as a Core does, with the longest pauses that it makes, until it is found.
func findSoon(t *testing.T, transport *Transport) (r heartbeat.Response, took time.Duration) {
	began := time.Now()
	for _, pause := range []time.Duration{300, 600, 1200, 2400, 3000, 3000, 3000, 3000} {
		if r = find(t, transport); r.Code == classic.CodeNone {
			break
		}
		time.Sleep(pause * time.Millisecond)
	}
	return r, time.Since(began)
}

// A broker that hangs does not keep a lookup from those that are back.
func TestALookupDoesNotWaitForAHungBroker(t *testing.T) {
	for name, hang := range map[string]func(n *network){
		"it answers no lookup":  func(n *network) { n.serve(9080, &stub{answer: silent}) },
		"it answers nothing":    func(n *network) { n.accept(9080, deaf) },
		"both of them do":       func(n *network) { n.accept(9080, deaf); n.serve(9081, &stub{answer: silent}) },
		"it fails after a time": func(n *network) { n.accept(9080, func(conn net.Conn) { time.Sleep(time.Second); conn.Close() }) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(t)
				hang(n)
				transport := New(n.client(
					kgo.SeedBrokers("localhost:9001", "localhost:9080", "localhost:9081"), kgo.RequestTimeoutOverhead(time.Minute)))
				time.AfterFunc(1500*time.Millisecond, func() { n.serve(9001, &stub{answer: names(1, 9001)}) })
				r, took := findSoon(t, transport)
				require.Equal(t, classic.CodeNone, r.Code, "%v", r.Err)
				require.LessOrEqual(t, took, 4*time.Second)
				for range 10 {
					time.Sleep(5 * time.Second)
					began := time.Now()
					require.Equal(t, classic.CodeNone, find(t, transport).Code)
					require.Zero(t, time.Since(began), "the one that is back comes first")
				}
			})
		})
	}
}

// The error of a lookup that ends because of a failure names it, and the brokers that have not answered.
func TestTheErrorOfALookupBesideAHungBroker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		n.accept(9080, deaf)
		transport := New(n.client(kgo.SeedBrokers("localhost:9070", "localhost:9080")))
		began := time.Now()
		r := find(t, transport)
		require.Equal(t, overdue, time.Since(began))
		require.Equal(t, classic.CodeDisconnect, r.Code)
		require.ErrorContains(t, r.Err, "FindCoordinator to localhost:9070 was not sent: ")
		require.ErrorContains(t, r.Err, "; no answer from localhost:9080 for 500ms")
	})
}

// Where all brokers hang, a lookup ends when the last one has hung for a while.
func TestALookupEndsWhereAllBrokersHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		for _, port := range []int{9081, 9082, 9083} {
			n.serve(port, &stub{answer: silent})
		}
		transport := New(n.client(kgo.SeedBrokers("localhost:9081", "localhost:9082", "localhost:9083")))
		began := time.Now()
		r := find(t, transport)
		require.Equal(t, 2*overdue+hopeless, time.Since(began))
		require.Equal(t, classic.CodeDisconnect, r.Code)
		require.ErrorContains(t, r.Err, "FindCoordinator to any broker was not answered: no answer from localhost:908")
		require.ErrorContains(t, r.Err, " for 3s, localhost:908")
		require.ErrorContains(t, r.Err, " for 2.5s, localhost:908")
		require.ErrorContains(t, r.Err, " for 2s: "+errHung.Error())
	})
}

// A broker that takes its time counts, however long it takes, and so does one whose connection does.
func TestALookupByASlowBroker(t *testing.T) {
	for _, slow := range []time.Duration{600 * time.Millisecond, time.Second, 2500 * time.Millisecond, 4 * time.Second} {
		for name, seeds := range map[string][]string{"alone": {"localhost:9001"}, "beside a dead one": {"localhost:9001", "localhost:9070"}} {
			for what, answers := range map[string]bool{"the answer": true, "the connection": false} {
				t.Run(what+" takes "+slow.String()+" "+name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						n := newNetwork(t)
						s := &stub{answer: names(1, 9001), seen: map[kmsg.Key]int{}}
						if answers {
							s.answer = func(conn net.Conn, key kmsg.Key, version int16, correlation int32) []byte {
								time.Sleep(slow)
								return names(1, 9001)(conn, key, version, correlation)
							}
						}
						n.accept(9001, func(conn net.Conn) {
							if !answers {
								time.Sleep(slow)
							}
							s.talk(conn)
						})
						transport := New(n.client(kgo.SeedBrokers(seeds...)))
						r, took := findSoon(t, transport)
						require.Equal(t, classic.CodeNone, r.Code, "%v", r.Err)
						require.Less(t, took, slow+3*time.Second)
						time.Sleep(20 * time.Second)
					})
				})
			}
		}
	}
}

// An answer that comes late counts once, and only where nothing better has come.
func TestALateAnswerCountsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		var asked atomic.Int32
		n.serve(9001, &stub{answer: func(conn net.Conn, key kmsg.Key, version int16, correlation int32) []byte {
			if key == kmsg.FindCoordinator && asked.Add(1) == 1 {
				time.Sleep(2100 * time.Millisecond)
			}
			return names(asked.Load(), 9001)(conn, key, version, correlation)
		}})
		transport := New(n.client())
		require.Equal(t, classic.CodeDisconnect, find(t, transport).Code)
		time.Sleep(time.Second)
		require.Equal(t, int32(1), find(t, transport).Node)
		require.Equal(t, int32(1), asked.Load(), "it came in the meantime")
		require.Equal(t, int32(2), find(t, transport).Node)
	})
}
