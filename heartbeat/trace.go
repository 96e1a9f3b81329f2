package heartbeat

import (
	"io"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
)

// traceVersion is that of the lines that a TraceWriter writes, and the only one that Replay reads. It grows whenever a
// line comes to mean something else, or a field is renamed.
const traceVersion = 1

// traceHeader is the first line of a trace.
type traceHeader struct {
	Trace   string // traceKind
	Version int64
	Spec    string // classic.Sum
	Config  Config
}

// traceKind tells a trace from other files of JSON lines.
const traceKind = "kbeat"

// TraceWriter writes down what a Core is told, when, and what it wants to be done: a line of JSON for each input and
// each output, as TRACE.md describes. Replay reads them. A TraceWriter belongs to one goroutine at a time.
type TraceWriter struct {
	w      io.Writer // nil when it has failed
	buffer []byte
}

// NewTraceWriter makes the trace of a Core that has this config, and writes nothing yet.
func NewTraceWriter(w io.Writer, config Config) *TraceWriter {
	header := traceHeader{traceKind, traceVersion, classic.Sum, config.withDefaults()}
	return &TraceWriter{w: w, buffer: append(encodeTrace(nil, header), '\n')}
}

// Record writes what one Step was given and what it returned, in one Write of whole lines. Before the first the writer
// gets the header. The error is that of a Write that failed; the trace ends there, and Record does nothing any more.
func (t *TraceWriter) Record(now time.Duration, in Input, out []Output) error {
	if t.w == nil {
		return nil
	}
	t.buffer = append(encodeInput(t.buffer, now, in), '\n')
	for _, o := range out {
		t.buffer = append(encodeOutput(t.buffer, now, o), '\n')
	}
	n, err := t.w.Write(t.buffer)
	if err == nil && n < len(t.buffer) {
		err = io.ErrShortWrite
	}
	if err != nil {
		t.w = nil
	}
	t.buffer = t.buffer[:0]
	return err
}
