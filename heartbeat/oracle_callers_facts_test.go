package heartbeat

import "fmt"

// callerFact is a short life of a member: what its application calls, how each request and callback ends, what was seen.
type callerFact struct {
	About  string
	API    string
	Code   string
	As     string
	Static bool
	Leader bool
	Script map[string][]string // how the first requests of an API, or callbacks of a kind, end; those after them succeed
	Calls  []callerCall
}

// callerCall is one call of the application.
type callerCall struct {
	Call string
	Wait int // how long it may wait, in milliseconds
	Mode string
	For  int
	What string

	At    int
	Saw   []callerEvent
	Ended callerEnd
}

// callerEvent is a request that was sent, or answered, or a callback, with its time.
type callerEvent struct {
	T int

	Sent     string
	Timeout  int
	Instance *string
	Reason   *string
	Assigned []string

	Answered string
	With     string

	Told       string
	Partitions int

	Member     string
	Generation int
}

// callerEnd is how a call ended, and what the member looked like then.
type callerEnd struct {
	T        int
	Returned string
	Thrown   *callerError
	Failed   *callerError // what the call returned, rather than threw

	State            string
	Member           string
	Generation       int
	RejoinNeeded     bool `json:"rejoin_needed"`
	Reason           string
	PrepareNeeded    bool   `json:"prepare_needed"`
	JoinPending      bool   `json:"join_pending"`
	CoordinatorKnown bool   `json:"coordinator_known"`
	Lookup           string // findCoordinatorFuture
	FatalLookup      string `json:"fatal_lookup"` // fatalFindCoordinatorException
	Thread           string
}

type callerError struct {
	Class   string
	Message *string
	Cause   string
}

func (f callerFact) String() string {
	return fmt.Sprintf("%s: %s %s, %s, static %t, leader %t", f.About, f.API, f.Code, f.As, f.Static, f.Leader)
}

// threaded says that the heartbeat thread ran; in the other facts it never does.
func (f callerFact) threaded() bool { return f.About == "death" }

// consumer says that the client was Kafka's consumer, and not the class below it.
func (f callerFact) consumer() bool {
	return f.About == "commit" || f.API == "revoked" || f.API == "lost" || f.API == "assigned"
}

// preparations are the ends of those onJoinPrepare that an application is told of here: Kafka's is also asked when nothing is
// owned.
func (f callerFact) preparations() []string {
	ends := f.Script["join_prepare"]
	var told []string
	owns, n := false, 0
	for _, call := range f.Calls {
		for _, e := range call.Saw {
			switch e.Told {
			case "join_prepare":
				end := "ok"
				if n < len(ends) {
					end = ends[n]
				}
				n++
				if owns {
					told = append(told, end)
				}
				owns = owns && (e.Generation >= 0 || end == "false")
			case "leave_prepare":
				owns = false
			case "join_complete":
				owns = true
			}
		}
	}
	return told
}
