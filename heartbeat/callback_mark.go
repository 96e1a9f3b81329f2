package heartbeat

import (
	"context"
	"errors"
	"fmt"
)

// ErrInCallback is returned by Poll, Run, Leave and Close where they are called with the context of a callback, of Run's
// work or of the assignor, or with one made from it: they would wait for what has called them.
var ErrInCallback = errors.New("the member waits for what has made this call")

// callbackKey is the key of the value that marks the contexts which a member gives to its application; the value is what
// it is given to. Each member has its own: a callback of one member may poll another.
type callbackKey struct{ member *Member }

// callKey is the key of the *task that a callback of the member is, in its context.
type callKey struct{ member *Member }

// mark makes the context that is given to what.
func (m *Member) mark(ctx context.Context, what string) context.Context {
	return context.WithValue(ctx, callbackKey{m}, what)
}

// mayWait refuses a call that cannot wait: with no context, before anything is begun that would need one, or with that of
// a callback. instead is what to do.
func (m *Member) mayWait(ctx context.Context, call, instead string) error {
	if err := needContext(ctx, call); err != nil {
		return err
	}
	if what, ok := ctx.Value(callbackKey{m}).(string); ok {
		return fmt.Errorf("%s of group %q, called by %s: %w: %s", call, m.config.Group, what, ErrInCallback, instead)
	}
	return nil
}
