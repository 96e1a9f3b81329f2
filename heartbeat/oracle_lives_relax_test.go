package heartbeat

// lifeRelaxations is all in which a Core that lives a life of Kafka's client again may be otherwise, and why that is no
// difference. Each must be used, lest the comparison is laxer than it needs to be.
//
// Not compared at all is what nobody outside of Kafka's client can see, or what is worded otherwise here: the branches that
// its thread took, the futures of joins, what poll returns, which thread has sent a request, the reasons
// and messages. The thread's passes (`loop`) say when the Core's loop goes round.
var lifeRelaxations = map[string]string{
	// How a Core is told what Kafka's client was told.
	"a poll has no time":      "Kafka's polls in the lives have no time to wait; the Core's is given up when it waits",
	"a leave has no time":     "Kafka does not wait for the answer to LeaveGroup where it has no time; the Core is told that nobody waits for it",
	"connections are cut":     "the Core leaves it to the brokers which requests end; what Kafka's client loses by cutting a connection itself is lost to the Core too",
	"the loop is held":        "Kafka's heartbeat thread runs when its wait is over, or when it is notified; the Core's loop looks after each input, and is held back until the thread has run",
	"nothing after close":     "a Core that is closed takes no input any more; Kafka's object still handles what comes, though nobody can ask it. That neither sends anything is compared",
	"commits end with close":  "who waits for a commit is told when the Core is closed; Kafka leaves its future as it is",
	"no instance in a leave":  "Kafka's LeaveGroup has only the member id; the Core's names the instance too, which the coordinator then checks (KIP-345)",
	"a heartbeat's time":      "a Core's Heartbeat has no more time for its answer than the session; Kafka's has that of any request",
	"the session goes on":     "finding the coordinator restarts Kafka's session timer, and not the Core's, which then ends sooner: take_coordinator deviates",
	"a lookup is ahead":       "Kafka throws away the result of an old lookup first, and so sends the next one poll or one pass later; of n lookups the Core's n-th is never later than Kafka's, nor earlier than Kafka's (n-1)-th",
	"a JoinGroup is ahead":    "Kafka reads a failed join in one poll, and without time to wait sends the next in another; the Core's has failed when it is answered. Only polls may lie between; the state may be PREPARING_REBALANCE already",
	"join_prepare is counted": "Kafka calls it in polls that send nothing, and twice in one; only its order with join_complete counts, without repetitions",
	"the thread's flag":       "outside a generation Kafka's thread lowers its flag at its next pass, and the Core's loop at its next turn; neither sends heartbeats",
}

// lifeStructure is where the comparison of an impatient life ends though no rule deviates, and in which aspects: there, Kafka's
// way to do with one poll what needs several shows between them.
var lifeStructure = map[string][]string{
	// Something has come between the poll in which Kafka has read that the join failed, and the one that sends the next: also
	// the end of a session that is still counted between the two, after which the thread looks for the coordinator.
	"a JoinGroup ahead": {"commits", "coordinator", "lookups", "requests", "state"},
	// The same, and the poll's own time is over between the two: Kafka's thread then leaves, or forgets its generation.
	"the poll is over, a JoinGroup ahead": {"generation", "member", "protocol", "requests", "state"},
	// The Core's poll tells at once why a join has failed for good; Kafka's looks for the coordinator first.
	"an error is sooner": {"error", "lookups"},
}

// shows says in which aspects of a life a deviation shows.
type shows struct {
	now     []string // in the step in which it decides
	later   []string // after it, until the next join begins
	over    []string // when the Core's session is over, before Kafka's, which the deviation has prolonged
	lookups string   // until when Kafka may send a lookup that the Core does not; "" for not at all
}

const (
	whileLookedUp = "while the Core's is under way"
	untilLookedUp = "until the Core's next, which waits for the pause"
)

// lifeDeviations are the deviations that a life may end by. One that is not here, or in another aspect, is undeclared. Each must
// be used in each of its aspects, save for rareLifeEnds. What a Core is told hides the others: that a connection is cut, that
// polls have no time for pauses, and leaving none to hear of its end, that callbacks do not fail.
var lifeDeviations = map[string]shows{
	"Heartbeat/FENCED_INSTANCE_ID/not stale/PREPARING_REBALANCE":         {now: []string{"generation", "member", "protocol", "state", "thread"}},
	"Heartbeat/FENCED_INSTANCE_ID/not stale/else":                        {now: []string{"member"}},
	"Heartbeat/ILLEGAL_GENERATION/not stale/PREPARING_REBALANCE":         {now: []string{"generation", "protocol", "state"}},
	"Heartbeat/UNKNOWN_MEMBER_ID/not stale/PREPARING_REBALANCE":          {now: []string{"generation", "member", "protocol", "state"}},
	"JoinGroup/MEMBER_ID_REQUIRED/else":                                  {now: []string{"member", "requests"}},
	"JoinGroup/MEMBER_ID_REQUIRED/not leaves":                            {now: []string{"member"}},
	"JoinGroup/NONE/not PREPARING_REBALANCE":                             {now: []string{"requests"}},
	"OffsetCommit/ILLEGAL_GENERATION/not stale/PREPARING_REBALANCE":      {now: []string{"commits", "generation", "protocol", "state"}},
	"OffsetCommit/ILLEGAL_GENERATION/stale/else":                         {now: []string{"generation", "protocol", "rejoin_needed", "state"}},
	"OffsetCommit/UNKNOWN_MEMBER_ID/not stale/PREPARING_REBALANCE":       {now: []string{"commits", "generation", "member", "protocol", "state"}},
	"OffsetCommit/UNKNOWN_MEMBER_ID/stale/else":                          {now: []string{"generation", "member", "protocol", "rejoin_needed", "state"}},
	"SyncGroup/NONE/rejoin_again":                                        {now: []string{"rejoin_needed"}},
	"heartbeat/poll_expired/static":                                      {now: []string{"member"}},
	"heartbeat/session_expired":                                          {now: []string{"generation", "lookups", "protocol", "rejoin_needed", "state"}},
	"effect take_coordinator":                                            {over: []string{"coordinator", "generation", "lookups", "member", "protocol", "rejoin_needed", "requests", "state"}},
	"join/join_succeeded and not coordinator_known":                      {now: []string{"joins"}},
	"released/leaves/has_member_id/coordinator_known/UNJOINED":           {now: []string{"requests"}},
	"join/not join_due":                                                  {now: []string{"requests", "state"}},
	"join/not coordinator_known/not lookup_in_flight and not lookup_due": {now: []string{"lookups"}},
	"heartbeat/not coordinator_known and not lookup_due":                 {now: []string{"lookups"}},
	"heartbeat/not coordinator_known and lookup_in_flight":               {now: []string{"lookups"}, lookups: whileLookedUp},
	// That a success was dropped, and with it the member id in Kafka's client, shows in the join that follows.
	"join/join_succeeded in not STABLE": {now: []string{"member", "requests"}, later: []string{"member", "requests"}},
	// Whether an error is told shows in the poll that tells it.
	"JoinGroup/otherwise/retriable":                 {now: []string{"error"}, later: []string{"error"}},
	"JoinGroup/ILLEGAL_GENERATION/not stale":        {now: []string{"error", "generation", "protocol", "state"}, later: []string{"error"}},
	"JoinGroup/ILLEGAL_GENERATION/stale":            {now: []string{"error"}, later: []string{"error"}},
	"SyncGroup/otherwise/retriable":                 {now: []string{"error"}, later: []string{"error"}},
	"SyncGroup/COORDINATOR_LOAD_IN_PROGRESS":        {now: []string{"error"}, later: []string{"error"}},
	"result FindCoordinator/raise":                  {lookups: untilLookedUp},
	"join/not rejoin_needed and not join_in_flight": {now: []string{"lookups"}},
}

// rareLifeEnds are aspects of lifeDeviations in which no life on record ends, but one of some thousands of other lives does; and
// such structures.
var rareLifeEnds = map[string][]string{
	"effect take_coordinator":                                       {"lookups", "member"},
	"JoinGroup/ILLEGAL_GENERATION/stale":                            {"error"},
	"OffsetCommit/ILLEGAL_GENERATION/stale/else":                    {"rejoin_needed"},
	"OffsetCommit/ILLEGAL_GENERATION/not stale/PREPARING_REBALANCE": {"commits", "generation", "protocol", "state"},
	"OffsetCommit/UNKNOWN_MEMBER_ID/not stale/PREPARING_REBALANCE":  {"commits", "generation", "member", "protocol", "state"},
	"join/join_succeeded in not STABLE":                             {"member", "requests"},
	impatient + "the poll is over, a JoinGroup ahead":               nil,
}
