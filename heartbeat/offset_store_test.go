package heartbeat_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// offsetStore is a coordinator that has everybody in the group, and answers a commit by what is said of each topic.
type offsetStore struct {
	mu    sync.Mutex
	gen   int32
	codes map[string][]classic.Code // of a topic, for its next commits; the last one stays
	hold  map[string]chan struct{}  // of a topic: its commits are answered when this is closed
	lost  error                     // what a commit ends with, instead of an answer
	sent  []string                  // commits: "a b", the topics
}

func (s *offsetStore) Send(ctx context.Context, r heartbeat.Request) heartbeat.Response {
	out := heartbeat.Response{Node: 1}
	switch r.API {
	case classic.InputJoinGroup:
		s.gen++
		out.Generation, out.Member, out.Leader, out.Protocol = s.gen, "m", "someone", new("p")
	case classic.InputSyncGroup:
		out.Protocol = new("p")
	case classic.InputOffsetCommit:
		return s.commit(ctx, r)
	}
	time.Sleep(time.Millisecond)
	return out
}

func (s *offsetStore) commit(ctx context.Context, r heartbeat.Request) (out heartbeat.Response) {
	s.mu.Lock()
	var topics []string
	var gate chan struct{}
	for _, o := range r.Offsets {
		topics = append(topics, o.Topic)
		if s.hold[o.Topic] != nil {
			gate = s.hold[o.Topic]
		}
	}
	s.sent = append(s.sent, strings.Join(topics, " "))
	lost := s.lost
	s.mu.Unlock()
	if gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
			return heartbeat.Response{Code: classic.CodeDisconnect}
		}
	}
	time.Sleep(time.Millisecond)
	if lost != nil {
		return heartbeat.Response{Code: classic.CodeDisconnect, Err: lost}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range r.Offsets {
		code := classic.CodeNone
		if codes := s.codes[o.Topic]; len(codes) > 0 {
			if code = codes[0]; len(codes) > 1 {
				s.codes[o.Topic] = codes[1:]
			}
		}
		if out.Code == classic.CodeNone {
			out.Code = code
		}
		out.Partitions = append(out.Partitions, heartbeat.PartitionError{Topic: o.Topic, Partition: o.Partition, Code: code})
	}
	return out
}

// holds lets commits of a topic wait for their answer. It is called in the bubble of the test.
func (s *offsetStore) holds(topic string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hold = map[string]chan struct{}{topic: make(chan struct{})}
}

// take is the commits since it was called last.
func (s *offsetStore) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	sent := s.sent
	s.sent = nil
	return sent
}

func offsetsOf(topics ...string) (offsets []heartbeat.Offset) {
	for _, t := range topics {
		offsets = append(offsets, heartbeat.Offset{Topic: t, Offset: 1, LeaderEpoch: -1})
	}
	return offsets
}

const (
	mended = classic.CodeCoordinatorLoadInProgress // by another try
	final  = classic.CodeTopicAuthorizationFailed
)

// withStore runs a test with a member of a group whose coordinator is s.
func withStore(t *testing.T, s *offsetStore, change func(*heartbeat.Config), callbacks heartbeat.Callbacks, test func(*testing.T, *heartbeat.Member)) {
	synctest.Test(t, func(t *testing.T) {
		config := heartbeat.Config{Group: "g", ProtocolType: "x", Protocols: []heartbeat.Protocol{{Name: "p"}}, Seed: 1}
		if change != nil {
			change(&config)
		}
		m, err := heartbeat.NewMember(config, s, func(context.Context, heartbeat.AssignmentInput) ([]heartbeat.Assignment, error) {
			return nil, nil
		}, heartbeat.WithCallbacks(callbacks))
		require.NoError(t, err)
		defer func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			_ = m.Close(ctx)
			<-m.Done()
		}()
		require.NoError(t, m.Poll(t.Context()))
		test(t, m)
	})
}

func simply(t *testing.T, s *offsetStore, test func(*testing.T, *heartbeat.Member)) {
	withStore(t, s, nil, heartbeat.Callbacks{}, test)
}
