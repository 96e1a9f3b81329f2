package proxy

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// framed is requests as clients write them.
func framed(clients ...*string) (stream []byte) {
	for i, client := range clients {
		var r kmsg.Request = kmsg.NewPtrFindCoordinatorRequest()
		if i%2 == 1 {
			r = kmsg.NewPtrJoinGroupRequest() // a flexible version as well
		}
		r.SetVersion(r.MaxVersion())
		formatter := kmsg.NewRequestFormatter()
		if client != nil {
			formatter = kmsg.NewRequestFormatter(kmsg.FormatterClientID(*client))
		}
		stream = append(stream, formatter.AppendRequest(nil, r, int32(i))...)
	}
	return stream
}

// Headers are found in whatever pieces a stream arrives.
func TestFrames(t *testing.T) {
	a, empty := "kbeat-s20-n3/0", ""
	stream := framed(&a, &a, nil, &empty, &a)
	want := []Request{
		{FindCoordinator, a}, {JoinGroup, a}, {FindCoordinator, ""}, {JoinGroup, ""}, {FindCoordinator, a},
	}
	for size := 1; size <= len(stream); size++ {
		var got []Request
		f := frames{on: func(r Request) { got = append(got, r) }}
		for rest := stream; len(rest) > 0; rest = rest[min(size, len(rest)):] {
			f.write(rest[:min(size, len(rest))])
		}
		require.False(t, f.lost)
		require.Equal(t, want, got, "in pieces of %d bytes", size)
	}
}

// What is not Kafka's protocol is not searched for headers.
func TestFramesOfAnotherProtocol(t *testing.T) {
	for name, stream := range map[string]string{
		"text":              "GET / HTTP/1.1\r\n\r\n",
		"a client id < -1":  "\x00\x00\x00\x20\x00\x0a\x00\x04\x00\x00\x00\x01\xff\xfe",
		"a frame too short": "\x00\x00\x00\x0c\x00\x0a\x00\x04\x00\x00\x00\x01\x00\x09client id",
	} {
		f := frames{on: func(r Request) { t.Errorf("%s: found %v", name, r) }}
		f.write([]byte(stream))
		require.True(t, f.lost, name)
	}
}
