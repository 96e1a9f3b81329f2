package heartbeat

import (
	"context"
)

// Session is the member's part in one generation of the group: what it was assigned, until the generation ends.
// Its methods may be called from any goroutine.
type Session struct {
	member     *Member
	id         identity
	assignment []byte
	ctx        context.Context
	end        context.CancelCauseFunc
	progress   chan struct{}
}

// Assignment is what the leader has given to this member; its meaning belongs to the protocol type. It is not to be changed.
func (s *Session) Assignment() []byte { return s.assignment }

// Generation is the group's, as requests carry it.
func (s *Session) Generation() int32 { return s.id.generation }

// MemberID is what the coordinator knows the member by in this generation.
func (s *Session) MemberID() string { return s.id.member }

// Protocol is the one that the group has chosen.
func (s *Session) Protocol() string { return s.id.protocol }

// Context ends with the generation: when the partitions are to be let go, or are lost already. Its context.Cause is an
// *Error with the rule that ended it, or ErrLeft or ErrClosed.
func (s *Session) Context() context.Context { return s.ctx }

// Commit is Member.Commit of this generation's offsets, and Progress.
// It is allowed until the application has let go, so after Context has ended too; ctx must then be another one.
func (s *Session) Commit(ctx context.Context, offsets []Offset) error {
	s.Progress()
	return s.member.commit(ctx, s.id, offsets)
}

// Progress says that the application is at work, as a poll does. It is needed where Run was told so by RequireProgress.
func (s *Session) Progress() { wake(s.progress) }
