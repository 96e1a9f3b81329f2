package heartbeat

import (
	"context"
	"sync/atomic"
	"time"
)

// Session is the member's part in one generation of the group: what it was assigned, until the generation ends.
// Its methods may be called from any goroutine.
type Session struct {
	member     *Member
	id         identity
	assignment []byte
	ctx        context.Context
	end        context.CancelCauseFunc
	over       atomic.Pointer[time.Time] // when it has ended; nil before
	progress   chan struct{}
	lease      *lease
}

// Assignment is what the leader has given to this member; its meaning belongs to the protocol type. It is not to be changed.
func (s *Session) Assignment() []byte { return s.assignment }

// Generation is the group's, as requests carry it.
func (s *Session) Generation() int32 { return s.id.generation }

// MemberID is what the coordinator knows the member by in this generation.
func (s *Session) MemberID() string { return s.id.member }

// Protocol is the one that the group has chosen.
func (s *Session) Protocol() string { return s.id.protocol }

// Context ends with the generation: when the partitions are to be released, or are lost already. Its context.Cause is an
// *Error with the rule that ended it, or ErrLeft or ErrClosed.
func (s *Session) Context() context.Context { return s.ctx }

// Commit is Member.Commit of this generation's offsets, and Progress.
// It is allowed until the application has released the partitions, so after Context has ended too: ctx must then outlive
// Context, as context.WithoutCancel with a timeout does. It then ends after half of MaxPollInterval, as Config.CommitTimeout
// says.
func (s *Session) Commit(ctx context.Context, offsets []Offset) error {
	s.Progress()
	return s.member.commit(ctx, s, offsets)
}

// Progress notifies the member that the application is at work, as a poll does. Run needs it with RequireProgress.
func (s *Session) Progress() { wake(s.progress) }

// endedAt is when Context has ended.
func (s *Session) endedAt() time.Time {
	if at := s.over.Load(); at != nil {
		return *at
	}
	return time.Now() // with the member
}
