//go:build unix

package maven

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// lock returns when no other process, and nobody else in this one, holds the file's lock. It ends with ctx, and the lock with the
// process at the latest. A folder that cannot be written is no reason not to ask Maven.
func lock(ctx context.Context, file string) (unlock func(), err error) {
	if os.MkdirAll(filepath.Dir(file), 0o755) != nil {
		return func() {}, nil
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return func() {}, nil
	}
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return func() { f.Close() }, nil
		case !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR):
			f.Close()
			return func() {}, nil // this file system has no locks
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			f.Close()
			return nil, fmt.Errorf("another process asks Maven and holds %s: %w", file, context.Cause(ctx))
		}
	}
}
