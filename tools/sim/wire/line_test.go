package wire

import (
	"encoding/binary"
	"io"
	"net"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// line is one connection of a process to a broker. As a broker does, it serves one request after the other, while others
// wait. What was sent before the process closed its end still arrives.
type line struct {
	network *network
	who     *process
	node    int32
	named   bool          // it is known what it is for
	way     time.Duration // of a request, and of an answer
	dice    dice

	client, broker net.Conn
	requests       chan request  // that the client has sent; closed when it has closed its end
	answers        chan []byte   // of the broker; closed when it has closed its end
	gone           chan struct{} // closed when the client has closed its end
	lost           chan struct{} // closed when the machine is dead: nothing passes any more, and no end is told of
	once           sync.Once     // closes lost
}

// request is one on its way, decoded where it is a group's.
type request struct {
	kmsg.Request // nil where it is none of a group
	key          kmsg.Key
	correlation  int32
	frame        []byte
}

// lag is how long a line goes on to wait for a broker's answer that its client does not wait for any more.
const lag = 100 * time.Millisecond

// takeRequests reads what the client sends, as a socket does.
func (l *line) takeRequests() {
	defer close(l.gone)
	defer close(l.requests)
	for {
		frame, err := readFrame(l.client)
		if err != nil {
			return
		}
		r := decode(frame)
		if r.Request != nil && l.network.onSent != nil {
			l.network.onSent(l, r)
		}
		l.requests <- r
	}
}

// takeAnswers reads what the broker sends.
func (l *line) takeAnswers() {
	defer close(l.answers)
	for {
		frame, err := readFrame(l.broker)
		if err != nil {
			return
		}
		l.answers <- frame
	}
}

func (l *line) run() {
	l.network.work.Go(l.takeRequests)
	l.network.work.Go(l.takeAnswers)
	l.network.work.Go(func() {
		defer l.network.forget(l)
		defer l.client.Close()
		l.serve()
		select {
		case <-l.lost:
			<-l.network.closed // the broker believes in it for as long
		default:
		}
		l.broker.Close()
		for range l.requests { // nobody passes them on any more
		}
		for range l.answers {
		}
	})
}

// kill ends the connection for both sides.
func (l *line) kill() {
	l.client.Close()
	l.broker.Close()
}

// lose ends it for the client, and the broker hears nothing of it.
func (l *line) lose() {
	l.once.Do(func() { close(l.lost) })
	l.client.Close()
}

// serve passes requests on until the connection ends.
func (l *line) serve() {
	for {
		select {
		case <-l.lost:
			return
		case <-l.answers: // to nothing: the broker has closed its end
			return
		case r, ok := <-l.requests:
			if !ok || !l.pass(r) {
				return
			}
		}
	}
}

// pass brings a request to the broker and the answer back; false where the connection ends over it.
func (l *line) pass(r request) bool {
	if !l.named && r.key != kmsg.ApiVersions {
		l.network.name(l, r.key)
	}
	f := l.network.fate(l, r)
	if !l.wait(l.way+f.delay) || !l.hold(f.gate) {
		return false
	}
	var answer []byte
	switch f.way {
	case byCut:
		return false
	case byNothing:
		select {
		case <-l.gone:
		case <-l.lost:
		case <-l.network.closed:
		}
		return false
	case byCode:
		answer = encode(refuse(r.Request, f.code), r.correlation)
	default:
		var ok bool
		if answer, ok = l.ask(r); !ok {
			return false
		}
		l.network.answered(l, r, answer)
		if answer, ok = f.spoil(r, answer); !ok {
			return false
		}
	}
	if !l.wait(l.way) || !l.hold(f.gate) {
		return false
	}
	return l.deliver(answer, f)
}

// ask lets the broker answer; false where it does not.
func (l *line) ask(r request) ([]byte, bool) {
	if join, ok := r.Request.(*kmsg.JoinGroupRequest); ok {
		l.network.waits(l, join.MemberID)
		defer l.network.waits(l, "")
	}
	if writeFrame(l.broker, r.frame) != nil {
		return nil, false
	}
	select {
	case answer, ok := <-l.answers:
		return answer, ok
	case <-l.lost:
		return nil, false
	case <-l.gone:
		select {
		case answer, ok := <-l.answers:
			return answer, ok
		case <-time.After(lag):
			return nil, false
		}
	}
}

// deliver brings an answer to the client. That it has gone does not keep what it had sent from arriving.
func (l *line) deliver(answer []byte, f fate) bool {
	if answer == nil { // the answer is lost, and nobody has told the client
		return true
	}
	whole := frame(answer)
	if f.size != 0 {
		binary.BigEndian.PutUint32(whole, f.size)
	}
	for f.pieces > 1 && len(whole) > 1 {
		n := max(1, len(whole)/f.pieces)
		_, _ = l.client.Write(whole[:n])
		whole = whole[n:]
		f.pieces--
		if !l.wait(l.way) {
			return false
		}
	}
	_, _ = l.client.Write(whole)
	return true
}

// wait lets time pass; false where the connection is dead.
func (l *line) wait(d time.Duration) bool {
	time.Sleep(d)
	select {
	case <-l.lost:
		return false
	default:
		return true
	}
}

// hold waits until the gate opens; nil is open.
func (l *line) hold(gate <-chan struct{}) bool {
	if gate == nil {
		return true
	}
	select {
	case <-gate:
	case <-l.lost:
		return false
	case <-l.network.closed:
	}
	return true
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

func writeFrame(conn net.Conn, body []byte) error {
	_, err := conn.Write(frame(body))
	return err
}

// frame is a body with its length before it.
func frame(body []byte) []byte {
	return append(binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(body)), uint32(len(body))), body...)
}

// decode reads a request's head, and the rest of it where it is a group's.
func decode(frame []byte) request {
	b := kbin.Reader{Src: frame}
	r := request{key: kmsg.Key(b.Int16()), frame: frame}
	version := b.Int16()
	r.correlation = b.Int32()
	if !isGroups(r.key) {
		return r
	}
	r.Request = r.key.Request()
	r.SetVersion(version)
	b.NullableString() // client id
	if r.IsFlexible() {
		kmsg.SkipTags(&b)
	}
	if err := r.ReadFrom(b.Src); err != nil {
		panic(err) // the member's client has sent what is no request
	}
	return r
}

// encode is an answer as a frame without its length.
func encode(r kmsg.Response, correlation int32) []byte {
	frame := binary.BigEndian.AppendUint32(nil, uint32(correlation))
	if r.IsFlexible() {
		frame = append(frame, 0) // no tags
	}
	return r.AppendTo(frame)
}

// decodeAnswer reads the answer to r.
func decodeAnswer(r request, answer []byte) kmsg.Response {
	resp := r.ResponseKind()
	body := answer[4:]
	if resp.IsFlexible() {
		body = body[1:]
	}
	if err := resp.ReadFrom(body); err != nil {
		panic(err) // the embedded broker has answered what is no answer
	}
	return resp
}

// isGroups reports whether an API is one of those of a group's member.
func isGroups(key kmsg.Key) bool {
	switch key {
	case kmsg.FindCoordinator, kmsg.JoinGroup, kmsg.SyncGroup, kmsg.Heartbeat, kmsg.LeaveGroup, kmsg.OffsetCommit:
		return true
	}
	return false
}
