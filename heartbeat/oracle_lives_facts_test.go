package heartbeat

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// lifeFact is one life of a member, as Apache Kafka's client lived it: testdata/oracle/README.md says what each field means.
type lifeFact struct {
	Life   int
	Family string
	Config lifeConfig
	Steps  []lifeStep
}

// lifeConfig is what a life starts with. Times are in milliseconds.
type lifeConfig struct {
	Group           string
	ProtocolType    string `json:"protocol_type"`
	RetryBackoff    int    `json:"retry_backoff"`
	RetryBackoffMax int    `json:"retry_backoff_max"`
	RequestTimeout  int    `json:"request_timeout"`
	Instance        *string
	SessionTimeout  int `json:"session_timeout"`
	Heartbeat       int `json:"heartbeat_interval"`
	MaxPollInterval int `json:"max_poll_interval"`
	Protocols       []string
	Patient         bool
	Wake            string
}

// lifeStep is one thing that happened, and what was seen after it.
type lifeStep struct {
	Step  int
	T     int
	Do    lifeInput
	Wakes []int
	Saw   lifeView
}

// lifeInput is what happened: one of its fields is set.
type lifeInput struct {
	Poll       *struct{}                   `json:"poll,omitempty"`
	Rejoin     *struct{}                   `json:"rejoin,omitempty"`
	Leave      *struct{}                   `json:"leave,omitempty"`
	Advance    *int                        `json:"advance,omitempty"` // milliseconds
	Close      *struct{ Operation string } `json:"close,omitempty"`
	Commit     *int                        `json:"commit,omitempty"` // its number
	Disconnect *lifeLoss                   `json:"disconnect,omitempty"`
	Timeout    *lifeLoss                   `json:"timeout,omitempty"`
	Respond    *lifeAnswer                 `json:"respond,omitempty"`
}

// String is the input as the facts have it.
func (in lifeInput) String() string {
	text, err := json.Marshal(in)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// inShort is the input without the contents of answers.
func (in lifeInput) inShort() string {
	if in.Respond != nil {
		return fmt.Sprintf("%s is answered with %s", in.Respond.API, in.Respond.Error)
	}
	return in.String()
}

// lifeLoss is the end of a connection, and of what was in flight on it.
type lifeLoss struct {
	Request int // why it ended
	Lost    []int
}

// lifeAnswer is how a request was answered.
type lifeAnswer struct {
	Request        int
	API            string
	Code           int
	Error          string
	InPoll         bool `json:"in_poll"`
	Node           int32
	Generation     int32
	Member         string
	Leader         string
	Protocol       *string
	ProtocolType   *string `json:"protocol_type"`
	Members        []string
	SkipAssignment bool `json:"skip_assignment"`
	Assignment     string
	MemberCode     int `json:"member_code"`
}

// lifeView is what was seen of Kafka's client.
type lifeView struct {
	Requests         []lifeRequest
	Dropped          []int
	Callbacks        []lifeCallback
	Commits          []lifeCommit
	Polled           bool
	Error            string
	ErrorCode        int    `json:"error_code"`
	ErrorIn          string `json:"error_in"`
	ErrorMessage     string `json:"error_message"`
	Loop             []string
	State            string
	Member           string
	Generation       int
	Protocol         *string
	RejoinNeeded     bool `json:"rejoin_needed"`
	JoinPending      bool `json:"join_pending"`
	PrepareNeeded    bool `json:"prepare_needed"`
	CoordinatorKnown bool `json:"coordinator_known"`
	Coordinator      int
	HeartbeatThread  string `json:"heartbeat_thread"`
	Deadlines        []int
}

// lifeRequest is one that Kafka's client sent.
type lifeRequest struct {
	ID          int
	API         string
	Member      string
	Generation  int
	Instance    *string
	Reason      string
	Protocol    string
	Assignments []string
	To          int
	By          string
	Backoff     bool
	T           int
	Timeout     int
}

// lifeCommit is how a commit has ended.
type lifeCommit struct {
	Commit    int
	Error     string
	ErrorCode int `json:"error_code"`
	Retriable bool
}

// lifeCallback is what Kafka's client called.
type lifeCallback struct {
	Call           string
	Generation     int
	Member         string
	Leader         string
	Protocol       string
	Members        []string
	SkipAssignment bool `json:"skip_assignment"`
	Assignment     string
}

// lifeLine is a line of the facts: a life's first, which is step 0, or one of its steps.
type lifeLine struct {
	Life   int
	Family string
	Config lifeConfig
	lifeStep
}

// eachLife hands out the lives of a file, one after the other, and returns its head.
func eachLife(t testing.TB, file string, each func(*lifeFact)) factsHead {
	t.Helper()
	lines, head := openFactsFile(t, file)
	var life *lifeFact
	n := 1
	for lines.Scan() {
		n++
		var line lifeLine
		decodeFact(t, lines.Bytes(), &line, file, n)
		switch {
		case line.Step == 0:
			if life != nil {
				each(life)
			}
			life = &lifeFact{Life: line.Life, Family: line.Family, Config: line.Config}
		case life == nil || line.Life != life.Life || line.Step != len(life.Steps)+1:
			require.Fail(t, "a step out of order", "%s line %d", file, n)
		default:
			life.Steps = append(life.Steps, line.lifeStep)
		}
	}
	require.NoError(t, lines.Err())
	require.Equal(t, head.Facts, n-1, "%s has not as many facts as its head promises", file)
	if life != nil {
		each(life)
	}
	return head
}
