package franz

import (
	"context"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
)

// Each case is a broker that does not answer a Heartbeat as it should. The request must end within its Timeout under the
// code that says how, must have been sent at most once, and the one after it must be answered by the broker's successor
// on the same address.
func TestARequestWithoutAnAnswerEndsUnderACodeOfItsOwn(t *testing.T) {
	const timeout = 20 * time.Second
	write := func(bytes ...byte) func(net.Conn, kmsg.Key, int16, int32) []byte {
		return func(conn net.Conn, _ kmsg.Key, _ int16, _ int32) []byte {
			_, _ = conn.Write(bytes)
			return nil
		}
	}
	answers := func(f func(net.Conn, kmsg.Key, int16, int32) []byte) func(net.Conn) {
		return func(conn net.Conn) { (&stub{answer: f, seen: map[kmsg.Key]int{}}).talk(conn) }
	}
	tests := map[string]struct {
		broker func(net.Conn) // what it does with a connection; nil: nobody listens
		code   classic.Code
		sent   bool
		after  time.Duration
	}{
		"nobody listens":               {nil, classic.CodeDisconnect, false, 0},
		"closed when it is opened":     {func(c net.Conn) { c.Close() }, classic.CodeDisconnect, false, 0},
		"nothing is ever read":         {func(net.Conn) {}, classic.CodeDisconnect, false, timeout},
		"ApiVersions is not answered":  {func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }, classic.CodeDisconnect, false, timeout},
		"ApiVersions is garbage":       {garbage, classic.CodeMalformed, false, 0},
		"not a Kafka broker":           {http, classic.CodeMalformed, false, 0},
		"read and never answered":      {answers(write()), classic.CodeDisconnect, true, timeout},
		"the answer stops in its size": {answers(write(0, 0)), classic.CodeDisconnect, true, timeout},
		"the answer stops half-way":    {answers(write(0, 0, 0, 99, 1, 2, 3)), classic.CodeDisconnect, true, timeout},
		"closed instead of answered": {answers(func(c net.Conn, _ kmsg.Key, _ int16, _ int32) []byte {
			c.Close()
			return nil
		}), classic.CodeDisconnect, true, 0},
		"closed in the answer": {answers(func(c net.Conn, _ kmsg.Key, _ int16, _ int32) []byte {
			_, _ = c.Write([]byte{0, 0, 0, 99, 1})
			c.Close()
			return nil
		}), classic.CodeDisconnect, true, 0},
		"a negative size":                {answers(write(0xff, 0xff, 0xff, 0xff)), classic.CodeMalformed, true, 0},
		"a huge size":                    {answers(write(0x7f, 0xff, 0xff, 0xff)), classic.CodeMalformed, true, 0},
		"no room for a correlation id":   {answers(write(0, 0, 0, 2, 1, 2)), classic.CodeMalformed, true, 0},
		"garbage under the right id":     {answers(junk), classic.CodeMalformed, true, 0},
		"nothing under the right id":     {answers(empty), classic.CodeMalformed, true, 0},
		"the answer to another request":  {answers(stranger), classic.CodeDisconnect, true, 0},
		"an answer of the wrong version": {answers(older), classic.CodeMalformed, true, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(t)
				transport := New(n.client())
				transport.learn(1, "localhost:9099")
				var well atomic.Bool
				good := &stub{answer: alive, seen: map[kmsg.Key]int{}}
				if test.broker != nil {
					n.accept(9099, func(conn net.Conn) {
						if well.Load() {
							good.talk(conn)
						} else {
							test.broker(conn)
						}
					})
				}

				began := time.Now()
				r := transport.Send(t.Context(), beat(timeout))
				require.Equal(t, test.code, r.Code, "%s instead of %s: %v", r.Code, test.code, r.Err)
				require.Equal(t, test.after, time.Since(began), "when it ended")
				var failed *RequestError
				require.ErrorAs(t, r.Err, &failed)
				require.Equal(t, RequestError{classic.InputHeartbeat, "localhost:9099", test.sent, failed.Err}, *failed)
				requireNoCode(t, failed.Error())

				well.Store(true)
				if test.broker == nil {
					n.accept(9099, good.talk)
				}
				r = transport.Send(t.Context(), beat(timeout))
				require.Equal(t, classic.CodeNone, r.Code, "the broker is well again: %v", r.Err)
				require.Equal(t, 1, good.count(kmsg.Heartbeat), "sent more often than asked")
			})
		})
	}
}

// requireNoCode sees that a text has no name of a code: none was received, and alerts match on texts.
func requireNoCode(t *testing.T, text string) {
	for code := classic.CodeUnknownServerError - 2000; code < 300; code++ {
		if name := code.String(); !strings.HasPrefix(name, "UNKNOWN(") && strings.Contains(name, "_") {
			require.NotContains(t, text, name)
		}
	}
}

func garbage(conn net.Conn) {
	request := readFrame(conn)
	_, _ = conn.Write(frame(append(request[4:8:8], "thirteen bytes"...)))
}

func http(conn net.Conn) {
	readFrame(conn)
	_, _ = conn.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
}

func junk(_ net.Conn, _ kmsg.Key, _ int16, correlation int32) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(correlation)), 0, 0xff, 0xff)
}

func empty(_ net.Conn, _ kmsg.Key, _ int16, correlation int32) []byte {
	return binary.BigEndian.AppendUint32(nil, uint32(correlation))
}

func stranger(conn net.Conn, key kmsg.Key, version int16, correlation int32) []byte {
	return alive(conn, key, version, correlation+7)
}

func older(conn net.Conn, key kmsg.Key, _ int16, correlation int32) []byte {
	return alive(conn, key, 0, correlation)
}

// Whatever a broker sends instead of answers, from the first byte of a connection on: each request ends in its time.
func TestARequestEndsWhateverComesBack(t *testing.T) {
	const timeout = 10 * time.Second
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			noise := make([]byte, random.IntN(200))
			for i := range noise {
				noise[i] = byte(random.Uint32() >> (8 * random.IntN(4)) & (1<<random.IntN(9) - 1))
			}
			n := newNetwork(t)
			transport := New(n.client())
			behave := func(conn net.Conn, _ kmsg.Key, _ int16, correlation int32) []byte {
				if seed%2 == 0 {
					return append(binary.BigEndian.AppendUint32(nil, uint32(correlation)), noise...)
				}
				_, _ = conn.Write(noise)
				return nil
			}
			transport.learn(1, n.accept(9099, func(conn net.Conn) {
				if seed%3 == 0 {
					defer conn.Close()
					if request := readFrame(conn); request != nil {
						_, _ = conn.Write(behave(conn, 0, 0, int32(binary.BigEndian.Uint32(request[4:]))))
					}
					return
				}
				(&stub{seen: map[kmsg.Key]int{}, answer: behave}).talk(conn)
			}))
			for _, api := range []classic.Input{
				classic.InputHeartbeat, classic.InputJoinGroup, classic.InputSyncGroup, classic.InputOffsetCommit, classic.InputLeaveGroup,
			} {
				r := beat(timeout)
				r.API = api
				began := time.Now()
				end := transport.Send(t.Context(), r)
				require.LessOrEqual(t, time.Since(began), timeout, "seed %d, %s", seed, api)
				if end.Code < classic.CodeUnknownServerError {
					require.Error(t, end.Err, "seed %d, %s ended by %s", seed, api, end.Code)
				}
			}
		})
	}
}

func TestABrokerWithoutACommonVersion(t *testing.T) {
	tests := map[string][]kmsg.ApiVersionsResponseApiKey{
		"it does not have the request":              {speaks(kmsg.ApiVersions, 0, 4), speaks(kmsg.Produce, 0, 9)},
		"it has only versions before ours":          {speaks(kmsg.ApiVersions, 0, 4), speaks(kmsg.Heartbeat, 0, 2)},
		"it has only versions that came after ours": {speaks(kmsg.ApiVersions, 0, 4), speaks(kmsg.Heartbeat, 90, 99)},
	}
	for name, versions := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(t)
				broker := &stub{versions: versions, answer: alive}
				transport := New(n.client())
				transport.learn(1, n.serve(9099, broker))
				r := transport.Send(t.Context(), beat(time.Second))
				require.Equal(t, classic.CodeVersionMismatch, r.Code, "%v", r.Err)
				require.Zero(t, broker.count(kmsg.Heartbeat))
			})
		})
	}
}

func TestARequestEndsSoonAfterItsContext(t *testing.T) {
	for name, test := range map[string]struct {
		broker func(net.Conn)
		code   classic.Code
	}{
		"not yet sent": {func(net.Conn) {}, classic.CodeDisconnect},
		"sent":         {(&stub{answer: silent, seen: map[kmsg.Key]int{}}).talk, classic.CodeDisconnect},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(t)
				transport := New(n.client())
				transport.learn(1, n.accept(9099, test.broker))
				for _, request := range []struct {
					name string
					api  classic.Input
				}{{"one of many on a connection", classic.InputHeartbeat}, {"one with a connection for itself", classic.InputJoinGroup}} {
					ctx, cancel := context.WithCancel(t.Context())
					time.AfterFunc(time.Second, cancel)
					r := beat(time.Hour)
					r.API = request.api
					began := time.Now()
					end := transport.Send(ctx, r)
					require.Equal(t, test.code, end.Code, "%s: %v", request.name, end.Err)
					require.ErrorIs(t, end.Err, context.Canceled, request.name)
					require.Equal(t, time.Second, time.Since(began), request.name)
				}
			})
		})
	}
}

func silent(net.Conn, kmsg.Key, int16, int32) []byte { return nil }

func TestABrokerThatNobodyHasNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := New(newNetwork(t).client())
		r := transport.Send(t.Context(), beat(time.Second))
		require.Equal(t, classic.CodeDisconnect, r.Code)
		require.ErrorContains(t, r.Err, "broker 1 is not known")
	})
}

func TestAnInputThatIsNoRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := beat(time.Second)
		r.API = classic.InputPoll
		end := New(newNetwork(t).client()).Send(t.Context(), r)
		require.Equal(t, classic.CodeVersionMismatch, end.Code)
		require.ErrorContains(t, end.Err, "poll is not a request")
	})
}
