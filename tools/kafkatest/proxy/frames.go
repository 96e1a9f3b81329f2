package proxy

import "encoding/binary"

// Request is what the header of a request to a broker says first, in each version of it.
type Request struct {
	API    int16
	Client string // its id
}

// The APIs that are counted, by their keys in Kafka's protocol.
const (
	FindCoordinator int16 = 10
	JoinGroup       int16 = 11
)

// headerSize is the length before the client id: length of the frame, API key, version, correlation id, length of the client id.
const headerSize = 4 + 2 + 2 + 4 + 2

// largestFrame is Kafka's default for socket.request.max.bytes.
const largestFrame = 100 << 20

// frames finds the headers of requests in a stream of bytes that arrives in pieces of any size.
type frames struct {
	on   func(Request)
	head []byte // of the frame that has begun
	skip int    // what is left of a frame whose header was found
	lost bool   // this is not Kafka's protocol; nothing more is found
}

// write takes the next piece of the stream.
func (f *frames) write(b []byte) {
	for len(b) > 0 && !f.lost {
		if f.skip > 0 {
			n := min(f.skip, len(b))
			f.skip, b = f.skip-n, b[n:]
			continue
		}
		n := min(f.wanted()-len(f.head), len(b))
		f.head, b = append(f.head, b[:n]...), b[n:]
		if len(f.head) == headerSize && !f.sound() {
			f.lost = true
			return
		}
		if len(f.head) >= headerSize && len(f.head) == f.wanted() {
			f.found()
		}
	}
}

// wanted is the length of the header as far as it is known.
func (f *frames) wanted() int {
	if len(f.head) < headerSize {
		return headerSize
	}
	return headerSize + max(0, f.clientLength())
}

// clientLength is -1 where the client has no id.
func (f *frames) clientLength() int {
	return int(int16(binary.BigEndian.Uint16(f.head[headerSize-2:])))
}

func (f *frames) sound() bool {
	size := int(binary.BigEndian.Uint32(f.head))
	return size <= largestFrame && f.clientLength() >= -1 && f.wanted()-4 <= size
}

func (f *frames) found() {
	f.on(Request{API: int16(binary.BigEndian.Uint16(f.head[4:])), Client: string(f.head[headerSize:])})
	f.skip = 4 + int(binary.BigEndian.Uint32(f.head)) - len(f.head)
	f.head = f.head[:0]
}
