package heartbeat_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"time"

	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// ways are the APIs of a group, each with the time that a request is on its way: no two the same, so that what is asked
// at one time is not answered at one time.
var ways = map[kmsg.Key]time.Duration{
	kmsg.FindCoordinator: 1 * time.Millisecond,
	kmsg.JoinGroup:       2 * time.Millisecond,
	kmsg.SyncGroup:       3 * time.Millisecond,
	kmsg.Heartbeat:       4 * time.Millisecond,
	kmsg.LeaveGroup:      5 * time.Millisecond,
	kmsg.OffsetCommit:    6 * time.Millisecond,
}

// wire is one connection of a member. As a broker does, it serves one request after the other, while others wait.
type wire struct {
	who            string
	client, broker net.Conn
	frames         chan []byte   // that the client has sent
	gone           chan struct{} // the client has closed the connection
}

// dial connects a member's client to the embedded broker, by way of b.
func (b *broker) dial(who string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		inner, err := b.network.DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		ours, theirs := net.Pipe()
		w := &wire{who: who, client: ours, broker: inner, frames: make(chan []byte, 100), gone: make(chan struct{})}
		go w.read()
		go w.serve(b)
		return theirs, nil
	}
}

// read takes in what the client sends, as a socket does.
func (w *wire) read() {
	defer close(w.gone)
	for {
		frame, err := readFrame(w.client)
		if err != nil {
			return
		}
		w.frames <- frame
	}
}

func (w *wire) serve(b *broker) {
	defer w.client.Close()
	defer w.broker.Close()
	for {
		select {
		case <-w.gone:
			return
		case frame := <-w.frames:
			if !w.pass(b, frame) {
				return
			}
		}
	}
}

// pass brings a request to the broker and the answer back; false where the connection ends over it.
func (w *wire) pass(b *broker, frame []byte) bool {
	r, correlation := decode(frame)
	way, ours := ways[kmsg.Key(r.Key())]
	a := open(answer{})
	if ours {
		if b.look != nil {
			b.look(r)
		}
		b.diary.add(sent, w.who, "%s", request(r))
		a = b.come(kmsg.Key(r.Key()), w.who)
		time.Sleep(way)
		if !a.back {
			b.wait(a)
		}
	}
	var reply []byte
	switch a.way {
	case byCut:
		return false
	case byNothing:
		select {
		case <-w.gone:
		case <-b.closed:
		}
		return false
	case byCode:
		reply = encode(refuse(r, a.code.Number()), correlation)
	case byGarbage:
		reply = append(encode(r.ResponseKind(), correlation)[:4], 0, 0xff, 0xff, 0xff)
	default:
		if writeFrame(w.broker, frame) != nil {
			return false
		}
		var err error
		if reply, err = readFrame(w.broker); err != nil {
			return false
		}
		if a.back {
			b.wait(a)
		}
	}
	return writeFrame(w.client, reply) == nil
}

func readFrame(conn net.Conn) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(conn, size[:]); err != nil {
		return nil, err
	}
	frame := make([]byte, binary.BigEndian.Uint32(size[:]))
	_, err := io.ReadFull(conn, frame)
	return frame, err
}

func writeFrame(conn net.Conn, frame []byte) error {
	_, err := conn.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(frame))), frame...))
	return err
}

func decode(frame []byte) (r kmsg.Request, correlation int32) {
	b := kbin.Reader{Src: frame}
	r = kmsg.RequestForKey(b.Int16())
	r.SetVersion(b.Int16())
	correlation = b.Int32()
	b.NullableString() // client id
	if r.IsFlexible() {
		kmsg.SkipTags(&b)
	}
	if err := r.ReadFrom(b.Src); err != nil {
		panic(err) // the member's client has sent what is no request
	}
	return r, correlation
}

func encode(r kmsg.Response, correlation int32) []byte {
	frame := binary.BigEndian.AppendUint32(nil, uint32(correlation))
	if r.IsFlexible() {
		frame = append(frame, 0) // no tags
	}
	return r.AppendTo(frame)
}
