package heartbeat

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

// commitBroker is a Transport in front of a coordinator that ends requests as the script of a fact says.
type commitBroker struct {
	mu     sync.Mutex
	script map[string][]string // of each API that it is about, the next ends
	away   bool                // the broker is not the coordinator: the next heartbeat is told so
	sent   []time.Time         // commits
}

// commitMember is a member as the fact has it, in front of such a coordinator. Whoever asks for it closes it.
func commitMember(t *testing.T, f callerFact) (*Member, *commitBroker) {
	t.Helper()
	b := &commitBroker{script: maps.Clone(f.Script)}
	config := callerConfig(f.Static)
	config.CommitTimeout = time.Hour                        // the time is the fact's
	config.Seed, config.MaxPollInterval = 1, 30*time.Minute // Kafka's thread, which would look at it, does not run in these facts
	m, err := NewMember(config, b, func(context.Context, AssignmentInput) ([]Assignment, error) { return nil, nil })
	require.NoError(t, err)
	return m, b
}

// take returns when commits were sent since it was called last.
func (b *commitBroker) take() []time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	sent := b.sent
	b.sent = nil
	return sent
}

// moves lets the member learn by its next heartbeat that the coordinator is another one.
func (b *commitBroker) moves() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.away = true
}

func (b *commitBroker) Send(ctx context.Context, r Request) Response {
	answer := Response{ID: r.ID}
	if r.API == classic.InputJoinGroup {
		answer.Generation, answer.Member, answer.Leader, answer.Protocol = 5, "member-1", "leader", new("range")
	}
	var after time.Duration
	answer.Code, after = b.end(r)
	select {
	case <-time.After(after):
	case <-ctx.Done():
		answer.Code = classic.CodeDisconnect
	}
	return answer
}

// end is how a request ends, and after which time.
func (b *commitBroker) end(r Request) (classic.Code, time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.API == classic.InputOffsetCommit {
		b.sent = append(b.sent, time.Now())
	}
	if r.API == classic.InputHeartbeat && b.away {
		b.away = false
		return classic.CodeNotCoordinator, callerLatency(r.API)
	}
	rest := b.script[r.API.String()]
	if len(rest) == 0 {
		return classic.CodeNone, callerLatency(r.API)
	}
	b.script[r.API.String()] = rest[1:]
	switch rest[0] {
	case "SILENCE":
		return classic.CodeDisconnect, r.Timeout
	case "SEND_TIMEOUT":
		return classic.CodeSendTimeout, r.Timeout
	}
	code, err := classic.ParseCode(rest[0])
	if err != nil {
		panic(fmt.Sprintf("a fact has a code that the specification does not know: %v", err))
	}
	return code, callerLatency(r.API)
}
