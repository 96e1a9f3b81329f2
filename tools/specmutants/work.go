package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// patience is how long a mutant may take. One that takes longer goes in circles, which is noticed.
const patience = 60 * time.Second

// verdict is who noticed a mutant.
type verdict string

const (
	refused  verdict = "refused"  // the validator
	harmless verdict = "harmless" // nobody, since it means the same
	cells    verdict = "cells"    // what Apache Kafka's classes were seen to do in cells, loop and listener
	lives    verdict = "lives"    // what they were seen to do in random lives
	tests    verdict = "tests"    // the tests of the Core
	alive    verdict = "alive"    // nobody
)

// worker is a process of the rewired tests that judges one mutant after the other.
type worker struct {
	binary, dir string

	cmd     *exec.Cmd
	in      io.WriteCloser
	answers chan answer
	figures string // of the comparisons without any mutant
}

// answer is what a worker says.
type answer struct {
	ID      int
	Verdict verdict
	By      string
}

// marker begins the lines of a worker that are answers.
const marker = "verdict: "

func (w *worker) start(ctx context.Context) error {
	w.cmd = exec.CommandContext(ctx, w.binary, "-test.run", "^TestSpecMutants$", "-test.timeout", "0")
	w.cmd.Dir = w.dir
	var err error
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	var said strings.Builder
	w.cmd.Stderr = io.Discard
	if err := w.cmd.Start(); err != nil {
		w.cmd = nil
		return err
	}
	w.answers = make(chan answer)
	go func() {
		defer close(w.answers)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			text, ok := strings.CutPrefix(lines.Text(), marker)
			var a answer
			if !ok || json.Unmarshal([]byte(text), &a) != nil {
				if said.Len() < 1<<14 {
					said.WriteString(lines.Text() + "\n")
				}
				continue
			}
			w.answers <- a
		}
	}()
	first, ok := <-w.answers
	if !ok {
		w.stop()
		return fmt.Errorf("the specification as it is does not pass: %w\n%s", errors.New("no mutant can be judged"), said.String())
	}
	w.figures = first.By
	return nil
}

func (w *worker) stop() {
	if w.cmd != nil {
		w.in.Close()
		w.cmd.Process.Kill()
		for range w.answers {
		}
		w.cmd.Wait()
		w.cmd = nil
	}
}

// judge says who notices a text. One at which the process dies or hangs is noticed, and the next one gets a new process.
func (w *worker) judge(ctx context.Context, id int, text []byte) (answer, error) {
	if w.cmd == nil {
		if err := w.start(ctx); err != nil {
			return answer{}, err
		}
	}
	line, err := json.Marshal(map[string]any{"ID": id, "Text": string(text)})
	if err != nil {
		return answer{}, err
	}
	if _, err := w.in.Write(append(line, '\n')); err != nil && !errors.Is(err, os.ErrClosed) {
		w.stop()
		return answer{}, err
	}
	last := cells // what it was judged by when it died
	for {
		select {
		case a, ok := <-w.answers:
			switch {
			case !ok:
				w.stop()
				return answer{id, last, "the process died"}, ctx.Err()
			case a.ID != id:
				w.stop()
				return answer{}, fmt.Errorf("asked about mutant %d, answered about %d", id, a.ID)
			case strings.HasPrefix(string(a.Verdict), "trying "):
				last = verdict(strings.TrimPrefix(string(a.Verdict), "trying "))
				continue
			}
			return a, nil
		case <-time.After(patience):
			w.stop()
			return answer{id, last, "it goes in circles"}, ctx.Err()
		}
	}
}
