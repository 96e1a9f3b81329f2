package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
)

// repeat is repetition n of a fault: it starts a cluster with groups, injects the fault, and returns what each group has shown.
func repeat(ctx context.Context, f fault, n int, groups []group, silence time.Duration, logs string) (samples []sample, err error) {
	folder := logs
	if folder == "" {
		if folder, err = os.MkdirTemp("", "recovery-"); err != nil {
			return nil, err
		}
		defer os.RemoveAll(folder)
	} else if err := os.Mkdir(folder, 0o755); err != nil { // a cluster does not start over another one's files
		return nil, err
	}
	e := &environment{ctx: ctx, folder: folder, silence: silence}
	defer e.stop()
	if logs != "" {
		file, err := os.Create(filepath.Join(logs, "events.ndjson"))
		if err != nil {
			return nil, err
		}
		e.stops = append(e.stops, func() { file.Close() })
		e.events.copy = file
	}
	if err := e.start(groups); err != nil {
		return nil, err
	}
	if err := e.settle(groups); err != nil {
		return nil, err
	}
	if err := e.inPlace(); err != nil {
		return nil, err
	}
	if err := e.settle(groups); err != nil { // a machine that is busy stalls all of them for seconds
		return nil, err
	}

	began := time.Now()
	if err := f.begin(e); err != nil {
		return nil, err
	}
	if err := e.wait(f.ends - time.Since(began)); err != nil {
		return nil, err
	}
	if err := f.end(e); err != nil {
		return nil, err
	}
	if err := e.wait(f.watch - time.Since(began)); err != nil {
		return nil, err
	}
	w := window{began, time.Now()}
	requests := e.proxy.Requests()
	// What a group has committed its members had received before; they go on, so their events are looked at last.
	committed := map[group]map[int32]int64{}
	for _, g := range groups {
		if committed[g], err = e.committedBy(g); err != nil {
			return nil, err
		}
	}
	if err := e.wait(time.Second); err != nil { // for lines that are on their way from Java
		return nil, err
	}
	list := e.events.list()
	for _, g := range groups {
		s := measure(g, w, list, requests)
		s.fault, s.repetition, s.group, s.recordsLost = f, n, g, missing(g, list, committed[g])
		samples = append(samples, s)
	}
	return samples, nil
}

// settle waits until each group is as it should be, and has been for a while.
func (e *environment) settle(groups []group) error {
	deadline := time.Now().Add(readyTimeout)
	for {
		if err := e.wait(500 * time.Millisecond); err != nil {
			return err
		}
		var waiting []string
		for _, g := range groups {
			if why := unsettled(g, time.Now(), e.events.list()); why != "" {
				waiting = append(waiting, why)
			}
		}
		if len(waiting) == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("after %s there is no fault yet: %s", readyTimeout, strings.Join(waiting, "; "))
		}
	}
}

// committedBy is the group's committed offsets by partition, asked when the fault is over.
func (e *environment) committedBy(g group) (map[int32]int64, error) {
	ctx, cancel := context.WithTimeout(e.ctx, time.Minute)
	defer cancel()
	offsets, err := kadm.NewClient(e.client).FetchOffsets(ctx, e.names[g])
	if err = errors.Join(err, offsets.Error()); err != nil {
		return nil, fmt.Errorf("committed offsets of group %s: %w", e.names[g], err)
	}
	at := map[int32]int64{}
	offsets.Each(func(o kadm.OffsetResponse) { at[o.Partition] = o.At })
	return at, nil
}
