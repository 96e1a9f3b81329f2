package franz_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/heartbeat/franz"
)

// Run returns what the rules do not repeat by themselves. Some of it another Run may mend, after a pause.
func Example_runAgain() {
	cluster := topicWith("orders")
	defer cluster.Close()
	cluster.ControlKey(kmsg.JoinGroup.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) { // once
		answer := r.ResponseKind().(*kmsg.JoinGroupResponse)
		answer.ErrorCode = kerr.GroupMaxSizeReached.Code
		return answer, nil, true
	})
	member, end := leased(cluster)
	defer end()
	err := runAgain(context.Background(), member, time.Millisecond, func(_ context.Context, s *heartbeat.Session, _ franz.Partitions) error {
		fmt.Println("generation", s.Generation())
		return nil
	})
	fmt.Println(err)
	// Output:
	// run again after GROUP_MAX_SIZE_REACHED
	// generation 1
	// <nil>
}

// runAgain runs a member until ctx ends, work returns by itself, or Run fails in a way that another Run does not mend.
func runAgain(ctx context.Context, member *franz.ConsumerMember, pause time.Duration, work func(context.Context, *heartbeat.Session, franz.Partitions) error) error {
	for {
		err := member.Run(ctx, work)
		var failed *heartbeat.Error
		if !errors.As(err, &failed) || ctx.Err() != nil || final(err) {
			return err // also nil, ErrClosed, ErrLeft, and an error of work's own
		}
		fmt.Println("run again after", failed.Name)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// final reports whether somebody has to change something first: the configuration, the credentials, the program.
func final(err error) bool {
	for _, code := range []error{
		classic.CodeFencedInstanceID, // another process has the instance id: this one must not take it back
		classic.CodeTransportClosed,
		classic.CodeAuthenticationException,
		classic.CodeVersionMismatch, classic.CodeUnsupportedVersion,
		classic.CodeInvalidGroupID, classic.CodeInvalidSessionTimeout, classic.CodeInconsistentGroupProtocol,
		classic.ErrorAssignment, // this member's assignor cannot divide the work
	} {
		if errors.Is(err, code) {
			return true
		}
	}
	return false // such as GROUP_AUTHORIZATION_FAILED, while an ACL is on its way, or GROUP_MAX_SIZE_REACHED
}
