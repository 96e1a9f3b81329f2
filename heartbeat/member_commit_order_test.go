package heartbeat_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// committed is a commit that a coordinator has received.
type committed struct {
	id     uint64 // of the request: the order in which the member has sent them
	offset int64
	at     time.Time
}

// recordedCommits is a coordinator that has the member in its group, ends commits as the script says, and records them.
type recordedCommits struct {
	mu      sync.Mutex
	script  []classic.Code // of the next commits; NONE when it is at its end
	commits []committed
	found   []time.Time // when lookups were answered
}

func (s *recordedCommits) Send(_ context.Context, r heartbeat.Request) heartbeat.Response {
	if r.API == classic.InputFindCoordinator {
		time.Sleep(time.Millisecond)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out := heartbeat.Response{Node: 1}
	switch r.API {
	case classic.InputFindCoordinator:
		s.found = append(s.found, time.Now())
	case classic.InputJoinGroup:
		out.Generation, out.Member, out.Leader, out.Protocol = 1, "m", "someone", new("p")
	case classic.InputSyncGroup:
		out.Protocol = new("p")
	case classic.InputOffsetCommit:
		s.commits = append(s.commits, committed{r.ID, r.Offsets[0].Offset, time.Now()})
		if len(s.script) > 0 {
			out.Code, s.script = s.script[0], s.script[1:]
		}
	}
	return out
}

// last is the commit that the member has sent last.
func (s *recordedCommits) last() (last committed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.commits {
		if c.id > last.id {
			last = c
		}
	}
	return last
}

// recorded runs a test with a member of a group whose coordinator is s.
func recorded(t *testing.T, s *recordedCommits, test func(*testing.T, *heartbeat.Member)) {
	synctest.Test(t, func(t *testing.T) {
		m, err := heartbeat.NewMember(heartbeat.Config{
			Group: "g", ProtocolType: "x", Protocols: []heartbeat.Protocol{{Name: "p"}}, Seed: 1,
		}, s, func(context.Context, heartbeat.AssignmentInput) ([]heartbeat.Assignment, error) { return nil, nil })
		require.NoError(t, err)
		defer func() { require.NoError(t, m.Close(context.Background())) }()
		require.NoError(t, m.Poll(t.Context()))
		test(t, m)
	})
}

func commitOf(m *heartbeat.Member, offset int64) error {
	return m.Commit(context.Background(), []heartbeat.Offset{{Topic: "t", Offset: offset, LeaderEpoch: -1}})
}

// A later commit that begins at the moment in which an earlier one is tried again either replaces it or is sent after it.
func TestAnEarlierCommitNeverFollowsALaterOne(t *testing.T) {
	probe := &recordedCommits{script: []classic.Code{mended}}
	var pause time.Duration // until the earlier one is tried again: the seed decides
	recorded(t, probe, func(t *testing.T, m *heartbeat.Member) {
		require.NoError(t, commitOf(m, 1))
		pause = probe.commits[1].at.Sub(probe.commits[0].at)
	})
	replaced := 0
	for range 300 {
		s := &recordedCommits{script: []classic.Code{mended}}
		recorded(t, s, func(t *testing.T, m *heartbeat.Member) {
			earlier, later := make(chan error, 1), make(chan error, 1)
			time.AfterFunc(pause, func() { later <- commitOf(m, 2) })
			go func() { earlier <- commitOf(m, 1) }()
			require.NoError(t, <-later)
			err := <-earlier
			synctest.Wait()
			require.Equal(t, int64(2), s.last().offset, "the earlier commit was sent after the later one, and returned: %v", err)
			if errors.Is(err, heartbeat.ErrReplaced) {
				replaced++
				return
			}
			require.NoError(t, err)
		})
	}
	t.Logf("%d of 300 were replaced", replaced)
}

// byTurn is a coordinator that a commit reaches in its turn, and that leaves commits unanswered until it is released.
type byTurn struct {
	recordedCommits
	released chan struct{}
}

func (s *byTurn) Send(ctx context.Context, r heartbeat.Request) heartbeat.Response {
	if r.API == classic.InputOffsetCommit {
		if err := r.Turn.Wait(ctx); err != nil {
			return heartbeat.Response{Code: classic.CodeDisconnect, Err: err}
		}
	}
	out := s.recordedCommits.Send(ctx, r)
	if r.API == classic.InputOffsetCommit {
		r.Turn.Written()
		<-s.released
	}
	return out
}

// Commits that are asked for while the member is busy are written in that order, and do not wait for each other's answers.
func TestCommitsAreWrittenInTheOrderInWhichTheyAreAskedFor(t *testing.T) {
	const commits = 20
	synctest.Test(t, func(t *testing.T) {
		s, busy := &byTurn{released: make(chan struct{})}, make(chan struct{})
		m, err := heartbeat.NewMember(heartbeat.Config{
			Group: "g", ProtocolType: "x", Protocols: []heartbeat.Protocol{{Name: "p"}}, Seed: 1,
		}, s, func(context.Context, heartbeat.AssignmentInput) ([]heartbeat.Assignment, error) { return nil, nil },
			heartbeat.WithObserver(func(f heartbeat.Fired) {
				if f.Rule.Input == classic.InputCommit {
					<-busy
				}
			}))
		require.NoError(t, err)
		require.NoError(t, m.Poll(t.Context()))
		var asked, written []int64
		var all sync.WaitGroup
		for i := range int64(commits) {
			asked = append(asked, i)
			all.Go(func() { require.NoError(t, commitOf(m, i)) })
			synctest.Wait()
		}
		close(busy)
		synctest.Wait()
		for _, c := range s.commits {
			written = append(written, c.offset)
		}
		require.Equal(t, asked, written)
		close(s.released)
		all.Wait()
		require.NoError(t, m.Close(t.Context()))
	})
}

// stuckCommit is a coordinator whose transport does not return from the first commit, and sends the others in their turn.
type stuckCommit struct {
	recordedCommits
	stuck    atomic.Bool
	released chan struct{}
}

func (s *stuckCommit) Send(ctx context.Context, r heartbeat.Request) heartbeat.Response {
	if r.API != classic.InputOffsetCommit {
		return s.recordedCommits.Send(ctx, r)
	}
	if s.stuck.CompareAndSwap(false, true) {
		<-s.released
	}
	if err := r.Turn.Wait(ctx); err != nil {
		return heartbeat.Response{Code: classic.CodeDisconnect, Err: err}
	}
	return s.recordedCommits.Send(ctx, r)
}

// A commit that its transport does not return from holds up the next one for its time, and no longer.
func TestACommitThatDoesNotReturnHoldsUpTheNextForItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stuckCommit{released: make(chan struct{})}
		m, err := heartbeat.NewMember(heartbeat.Config{
			Group: "g", ProtocolType: "x", Protocols: []heartbeat.Protocol{{Name: "p"}}, Seed: 1,
		}, s, func(context.Context, heartbeat.AssignmentInput) ([]heartbeat.Assignment, error) { return nil, nil })
		require.NoError(t, err)
		require.NoError(t, m.Poll(t.Context()))
		began := time.Now()
		go func() { _ = commitOf(m, 1) }()
		synctest.Wait()
		require.NoError(t, commitOf(m, 2))
		require.InDelta(t, 31, time.Since(began).Seconds(), 1)
		close(s.released)
		require.NoError(t, m.Close(t.Context()))
	})
}

// A coordinator that is found shortens the pause of a commit, to RetryBackoff and no less.
func TestACommitPausesAlsoWhenACoordinatorIsFound(t *testing.T) {
	s := &recordedCommits{}
	for range 4 {
		s.script = append(s.script, mended)
	}
	s.script = append(s.script, classic.CodeNotCoordinator)
	recorded(t, s, func(t *testing.T, m *heartbeat.Member) {
		require.NoError(t, commitOf(m, 1))
		require.Len(t, s.commits, 6)
		found := s.found[len(s.found)-1]
		require.WithinRange(t, found, s.commits[4].at, s.commits[5].at)
		require.Equal(t, 100*time.Millisecond, s.commits[5].at.Sub(found))
	})
}
