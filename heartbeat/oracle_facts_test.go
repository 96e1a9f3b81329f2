package heartbeat

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// The facts: what Apache Kafka's own client was seen to do. testdata/oracle/README.md says what each field means.

// identityFact is what the coordinator knows the member by. Protocol is nil where there is no generation.
type identityFact struct {
	MemberID   string  `json:"member_id"`
	Generation int     `json:"generation"`
	Protocol   *string `json:"protocol"`
}

// cellFact is one answer handled.
type cellFact struct {
	API             string
	Code            string
	Errno           *int
	State           string
	Identity        string
	Static          bool
	Natural         bool
	NaturalIdentity bool `json:"natural_identity"`
	Variant         string
	Before          struct {
		identityFact
		RejoinNeeded     bool   `json:"rejoin_needed"`
		RejoinReason     string `json:"rejoin_reason"`
		NeedsJoinPrepare bool   `json:"needs_join_prepare"`
		CoordinatorKnown bool   `json:"coordinator_known"`
	}
	After struct {
		identityFact
		State                 string
		MemberIDKept          bool     `json:"member_id_kept"`
		GenerationKept        bool     `json:"generation_kept"`
		RejoinNeeded          bool     `json:"rejoin_needed"`
		RejoinReason          string   `json:"rejoin_reason"`
		NeedsJoinPrepare      bool     `json:"needs_join_prepare"`
		CoordinatorKnown      bool     `json:"coordinator_known"`
		DisconnectRequested   bool     `json:"disconnect_requested"`
		FindCoordinatorFuture string   `json:"find_coordinator_future"`
		FatalFindCoordinator  string   `json:"fatal_find_coordinator"`
		NextRequests          []string `json:"next_requests"`
		SyncRequest           any      `json:"sync_request"`
	}
	Assigned  map[string]any
	Future    string
	Retriable bool
	Thrown    string

	joining bool // the member waits for the answer to JoinGroup: no part of the fact (see bothWays)
}

// loopFact is one pass of the heartbeat thread's loop.
type loopFact struct {
	Closed         bool
	Enabled        bool
	State          string
	Failed         bool
	Coordinator    string
	Lookup         string
	SessionExpired bool `json:"session_expired"`
	PollExpired    bool `json:"poll_expired"`
	HeartbeatDue   bool `json:"heartbeat_due"`
	Static         bool
	Variant        string
	Did            struct {
		Polled              bool
		Disabled            bool
		Sent                []string
		CoordinatorLost     bool   `json:"coordinator_lost"`
		DisconnectRequested bool   `json:"disconnect_requested"`
		LookupAfter         string `json:"lookup_after"`
		HeartbeatInFlight   bool   `json:"heartbeat_in_flight"`
		HeartbeatTimerMs    int    `json:"heartbeat_timer_ms"`
		State               string
		MemberID            string `json:"member_id"`
		Generation          int
		RejoinNeeded        bool   `json:"rejoin_needed"`
		RejoinReason        string `json:"rejoin_reason"`
		Failure             string
		Closed              bool
		Ended               string
	}
}

// listenerFact is what became of the heartbeat thread when its heartbeat ended.
type listenerFact struct {
	Code           string
	Errno          *int
	State          string
	Identity       string
	Static         bool
	Variant        string
	AttemptsBefore int `json:"attempts_before"`
	Handled        threadFact
	Settled        threadFact
	// SettledIfThreadPolls is "same" or a threadFact.
	SettledIfThreadPolls any `json:"settled_if_thread_polls"`

	// Of variant consecutive, which has no Handled.
	N                     int
	Attempts              int
	InFlight              bool `json:"in_flight"`
	TimeToNextHeartbeatMs int  `json:"time_to_next_heartbeat_ms"`
	Failed                bool
	Enabled               bool
}

// threadFact is what the heartbeat thread and its coordinator look like.
type threadFact struct {
	InFlight              bool   `json:"in_flight"`
	Attempts              int    `json:"attempts"`
	SessionTimerReset     bool   `json:"session_timer_reset"`
	TimeToNextHeartbeatMs int    `json:"time_to_next_heartbeat_ms"`
	CoordinatorTimeToNext any    `json:"coordinator_time_to_next_heartbeat"`
	Failed                bool   `json:"failed"`
	Failure               string `json:"failure"`
	Enabled               bool   `json:"enabled"`
	Closed                bool   `json:"closed"`
	State                 string `json:"state"`
	MemberID              string `json:"member_id"`
	Generation            int    `json:"generation"`
	RejoinNeeded          bool   `json:"rejoin_needed"`
	RejoinReason          string `json:"rejoin_reason"`
	CoordinatorKnown      bool   `json:"coordinator_known"`
	DisconnectRequested   bool   `json:"disconnect_requested"`
	FindCoordinatorFuture string `json:"find_coordinator_future"`
	Sent                  any    `json:"sent"`
	SentHeartbeats        any    `json:"sent_heartbeats"`
	Thread                string `json:"thread"`
	PollHeartbeat         string `json:"poll_heartbeat"`
}

// factsHead is what the tests want of the first line of a file of facts.
type factsHead struct {
	Kafka string
	Facts int
	Seed  int64 // of lives

	// Of timers and timers_backoff: what Kafka's client gives its backoffs beside the settings.
	Jitter     float64
	Multiplier int
}

// countFacts is how many facts the head of testdata/oracle/NAME.ndjson.gz promises.
func countFacts(t testing.TB, name string) int {
	t.Helper()
	_, head := openFacts(t, name)
	return head.Facts
}

// openFacts is the lines of testdata/oracle/NAME.ndjson.gz below its head.
func openFacts(t testing.TB, name string) (*bufio.Scanner, factsHead) {
	t.Helper()
	return openFactsFile(t, filepath.Join("testdata", "oracle", name+".ndjson.gz"))
}

// openFactsFile is the lines of a file of facts below its head.
func openFactsFile(t testing.TB, name string) (*bufio.Scanner, factsHead) {
	t.Helper()
	file, err := os.Open(name)
	require.NoError(t, err)
	t.Cleanup(func() { file.Close() })
	unpacked, err := gzip.NewReader(file)
	require.NoError(t, err)
	lines := bufio.NewScanner(unpacked)
	lines.Buffer(nil, 1<<20)
	require.True(t, lines.Scan(), "%s is empty: %v", name, lines.Err())
	var head factsHead
	require.NoError(t, json.Unmarshal(lines.Bytes(), &head), "%s line 1", name)
	require.NotEmpty(t, head.Kafka, "%s: line 1 is no head; `go run ./tools/oracle write` renews the facts", name)
	return lines, head
}

// decodedFacts are those that a test has read already, by name. Nobody changes them.
var decodedFacts sync.Map

// readFacts reads all facts of testdata/oracle/NAME.ndjson.gz.
func readFacts[F any](t testing.TB, name string) []F {
	t.Helper()
	if facts, ok := decodedFacts.Load(name); ok {
		return facts.([]F)
	}
	lines, head := openFacts(t, name)
	facts := make([]F, 0, head.Facts)
	for lines.Scan() {
		var f F
		decodeFact(t, lines.Bytes(), &f, name, len(facts)+2)
		facts = append(facts, f)
	}
	require.NoError(t, lines.Err())
	require.Len(t, facts, head.Facts, "%s.ndjson has not as many facts as its head promises", name)
	decodedFacts.Store(name, facts)
	return facts
}

// decodeFact reads a line. A field that into does not have is an error: nothing is overlooked.
func decodeFact(t testing.TB, line []byte, into any, name string, number int) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(into), "%s line %d", name, number)
}
