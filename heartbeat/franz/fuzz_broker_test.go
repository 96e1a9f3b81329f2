package franz

import (
	"encoding/binary"
	"io"
	"net"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// hostileBroker is one connection of a broker that does what a script says.
type hostileBroker struct {
	conn   net.Conn
	script *script
	closed chan struct{} // by the client
}

func (b *hostileBroker) talk() {
	requests := make(chan []byte, 64)
	go func() {
		defer close(b.closed)
		defer close(requests)
		for {
			var size [4]byte
			if _, err := io.ReadFull(b.conn, size[:]); err != nil {
				return
			}
			body := make([]byte, binary.BigEndian.Uint32(size[:]))
			if _, err := io.ReadFull(b.conn, body); err != nil {
				return
			}
			requests <- body
		}
	}()
	for r := range requests {
		if !b.answer(r) {
			break
		}
	}
	b.conn.Close()
	for range requests { // nobody answers them
	}
}

// answer does with a request what the script says; false ends the connection.
func (b *hostileBroker) answer(request []byte) bool {
	key, version := kmsg.Key(binary.BigEndian.Uint16(request)), int16(binary.BigEndian.Uint16(request[2:]))
	correlation := int32(binary.BigEndian.Uint32(request[4:]))
	good := goodAnswer(key, version, correlation, b.script)
	do := b.script.act(key)
	switch do {
	case actAnswer:
		return b.write(frame(good))
	case actCode:
		return b.write(frame(codeAnswer(key, version, correlation, int16(int8(b.script.byte())))))
	case actSpoilt:
		for range 1 + b.script.byte()%4 {
			good[int(b.script.byte())%len(good)] = b.script.byte()
		}
		return b.write(frame(good))
	case actBytes:
		return b.write(frame(append(good[:4:4], b.script.bytes()...)))
	case actRaw:
		return b.write(b.script.bytes())
	case actCut:
		whole := frame(good)
		b.write(whole[:int(b.script.byte())%len(whole)])
		return false
	case actSize:
		whole := frame(good)
		binary.BigEndian.PutUint32(whole, b.script.uint32())
		return b.write(whole)
	case actCount:
		at := int(b.script.byte()) % len(good)
		return b.write(frame(append(append(good[:at:at], 0x7f, 0xff, 0xff, 0xff), good[at:]...)))
	case actPieces:
		for _, piece := range frame(good) {
			if !b.write([]byte{piece}) {
				return false
			}
			if b.script.byte()%8 == 0 {
				b.pause(100 * time.Millisecond)
			}
		}
		return true
	case actOther:
		binary.BigEndian.PutUint32(good, uint32(correlation)+1)
		return b.write(frame(good))
	case actTwice:
		whole := frame(good)
		return b.write(append(whole, whole...))
	case actThrottle:
		return b.write(frame(throttled(key, version, correlation, int32(b.script.uint32()))))
	case actLate:
		b.pause(time.Duration(b.script.byte()) * 20 * time.Millisecond)
		return b.write(frame(good))
	case actNever:
		<-b.closed
		return false
	}
	return false // actClose
}

func (b *hostileBroker) write(bytes []byte) bool {
	_, err := b.conn.Write(bytes)
	return err == nil
}

// pause lets time pass, unless the client has gone.
func (b *hostileBroker) pause(d time.Duration) {
	select {
	case <-time.After(d):
	case <-b.closed:
	}
}
