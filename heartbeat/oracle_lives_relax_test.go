package heartbeat

// lifeRelaxations is all in which a Core that lives a life of Kafka's client again may be otherwise, and why that is no
// difference. Each must be used, lest the comparison is laxer than it needs to be.
//
// Not compared at all is what nobody outside of Kafka's client can see, or what is worded otherwise here: the branches that
// its thread took, the futures of joins, what poll returns, which thread has sent a request, the reasons
// and messages. The thread's passes (`loop`) say when the Core's loop goes round.
var lifeRelaxations = map[string]string{
	// How a Core is told what Kafka's client was told.
	"a poll has no time":           "Kafka's polls in the lives have no time to wait; the Core's is given up when it waits",
	"a leave has no time":          "Kafka does not wait for the answer to LeaveGroup where it has no time; the Core is told that nobody waits for it",
	"connections are cut":          "the Core leaves it to the brokers which requests end; what Kafka's client loses by cutting a connection itself is lost to the Core too",
	"the loop is held":             "Kafka's heartbeat thread runs when its wait is over, or when it is notified; the Core's loop looks after each input, and is held back until the thread has run",
	"nothing after close":          "a Core that is closed takes no input any more; Kafka's object still handles what comes, though nobody can ask it. That neither sends anything is compared",
	"commits end with close":       "who waits for a commit is told when the Core is closed; Kafka leaves its future as it is",
	"no instance in a leave":       "Kafka's LeaveGroup has only the member id; the Core's names the instance too, which the coordinator then checks (KIP-345)",
	"a heartbeat's time":           "a Core's Heartbeat has the session's time for its answer; Kafka's has that of any request",
	"a commit is abandoned":        "what a Core waits for no longer as its coordinator is lost, Kafka's client loses by cutting the connection: both can be repeated",
	"a commit is unknown":          "the Core tells whoever commits at once that the generation has ended (OffsetCommit/ABANDONED/stale deviates); what Kafka's caller is told when the answer comes is not compared",
	"a join is given up":           "Kafka's client waits for the answer to a join that was given up, and tells the poll how it has failed, and sends the next JoinGroup by one after that (result JoinGroup/given_up deviates); the Core's, which it has sent before, is the same, and whoever commits meanwhile is told of that rebalance",
	"the coordinator is confirmed": "a Core asks whether a silent coordinator still is it (the loop check deviates), and is told at once that it is, which changes nothing; the lives of Kafka's client have no answer to that",
	"a lookup is ahead":            "Kafka throws away the result of an old lookup first, and so sends the next one poll or one pass later; of n lookups the Core's n-th is never later than Kafka's, nor earlier than Kafka's (n-1)-th",
	"a JoinGroup is ahead":         "Kafka reads a failed join in one poll, and without time to wait sends the next in another; the Core's has failed when it is answered. Only polls may lie between; the state may be PREPARING_REBALANCE already",
	"join_prepare is counted":      "Kafka calls it in polls that send nothing, and twice in one; only its order with join_complete counts, without repetitions",
	"the thread's flag":            "outside a generation Kafka's thread lowers its flag at its next pass, and the Core's loop at its next turn; neither sends heartbeats",
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
	now      []string // in the step in which it decides
	later    []string // after it, until the next join begins
	pauses   bool     // it is a pause that Kafka's client does not make: it ends where Kafka's goes on, and the life with it
	answered []string // in the step in which Kafka's client has the answer to a request that the Core has abandoned
	lookups  string   // until when Kafka may send a lookup that the Core does not; "" for not at all
}

const (
	whileLookedUp = "while the Core's is under way"
	untilLookedUp = "until the Core's next, which waits for the pause"
)

// lifeDeviations are the deviations that a life may end by. One that is not here, or in another aspect, is undeclared. Each must
// be used in each of its aspects, save for rareLifeEnds. What a Core is told hides the others: that a connection is cut, that
// polls have no time for pauses, and leaving none to hear of its end, that callbacks do not fail.
var lifeDeviations = map[string]shows{
	"Heartbeat/FENCED_INSTANCE_ID/not stale/PREPARING_REBALANCE/join_in_flight":    {now: []string{"generation", "member", "protocol", "state", "thread"}},
	"Heartbeat/FENCED_INSTANCE_ID/not stale/else/not join_lost":                    {now: []string{"member"}},
	"Heartbeat/ILLEGAL_GENERATION/not stale/PREPARING_REBALANCE/join_in_flight":    {now: []string{"generation", "protocol", "state"}},
	"Heartbeat/UNKNOWN_MEMBER_ID/not stale/PREPARING_REBALANCE/join_in_flight":     {now: []string{"generation", "member", "protocol", "state"}},
	"OffsetCommit/ILLEGAL_GENERATION/not stale/PREPARING_REBALANCE/join_in_flight": {now: []string{"commits", "generation", "protocol", "state"}},
	"OffsetCommit/UNKNOWN_MEMBER_ID/not stale/PREPARING_REBALANCE/join_in_flight":  {now: []string{"commits", "generation", "member", "protocol", "state"}},
	"SyncGroup/NONE/rejoin_again/not leased":                                       {now: []string{"rejoin_needed"}},
	"heartbeat/poll_expired/static/join_lost":                                      {now: []string{"member"}},
	"effect take_coordinator":                                     {pauses: true},
	"effect fail_join":                                            {pauses: true},
	"effect repeat_join":                                          {pauses: true},
	"OffsetCommit/ABANDONED/stale":                                {answered: []string{"coordinator", "generation", "member", "protocol", "rejoin_needed", "state"}},
	"effect forgive_fence":                                        {now: []string{"error", "generation", "member", "protocol", "requests", "state", "thread"}, later: []string{"error"}},
	"Heartbeat/REBALANCE_IN_PROGRESS/stale":                       {now: []string{"rejoin_needed"}},
	"OffsetCommit/UNKNOWN_TOPIC_OR_PARTITION":                     {now: []string{"commits"}},
	"JoinGroup/COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR/former": {now: []string{"coordinator"}},
	"JoinGroup/DISCONNECT, MALFORMED/former/nameless":             {now: []string{"coordinator"}},
	"JoinGroup/DISCONNECT, MALFORMED/former/not nameless":         {now: []string{"coordinator"}},
	"effect put_off_lookup":                                       {pauses: true},
	"released/not leaves/join_lost":                               {now: []string{"member"}},
	"late_member_id/leaves/coordinator_known/same_node":           {now: []string{"member", "requests"}},
	"late_member_id/leaves/coordinator_known/not same_node":       {now: []string{"member", "requests"}},
	"late_member_id/leaves/not coordinator_known":                 {now: []string{"member", "requests"}},
	"late_member_id/not leaves":                                   {now: []string{"member", "requests"}},
	"result JoinGroup/given_up":                                   {now: []string{"error", "requests", "state"}, answered: []string{"coordinator", "error", "member", "requests", "state"}},
	// The Core sends SyncGroup again where Kafka's client begins the join anew.
	"result JoinGroup/sync_backoff":                                      {later: []string{"requests", "state", "thread"}},
	"result JoinGroup/no_node":                                           {later: []string{"requests", "state", "thread"}},
	"join/join_succeeded and not coordinator_known":                      {now: []string{"joins"}},
	"released/leaves/has_member_id/coordinator_known/UNJOINED":           {now: []string{"requests"}},
	"check/join_in_flight in PREPARING_REBALANCE":                        {},
	"check/loop_enabled in joined":                                       {},
	"join/not join_due":                                                  {now: []string{"requests", "state"}},
	"join/not coordinator_known/not lookup_in_flight and not lookup_due": {now: []string{"lookups"}},
	"heartbeat/not coordinator_known and not lookup_due":                 {now: []string{"lookups"}},
	"heartbeat/not coordinator_known and lookup_in_flight":               {now: []string{"lookups"}, lookups: whileLookedUp},
	// That a success was dropped, and with it the member id in Kafka's client, shows in the join that follows.
	"join/join_succeeded in not STABLE": {now: []string{"member", "requests"}, later: []string{"member", "requests"}},
	// Whether an error is told shows in the poll that tells it.
	"JoinGroup/otherwise/retriable":                 {now: []string{"error"}, later: []string{"error"}},
	"JoinGroup/ILLEGAL_GENERATION/not stale":        {now: []string{"error", "generation", "protocol", "state"}, later: []string{"error"}},
	"SyncGroup/otherwise/retriable":                 {now: []string{"error"}, later: []string{"error"}},
	"SyncGroup/COORDINATOR_LOAD_IN_PROGRESS":        {now: []string{"error"}, later: []string{"error"}},
	"result FindCoordinator/raise":                  {lookups: untilLookedUp},
	"join/not rejoin_needed and not join_in_flight": {now: []string{"lookups"}},
}

// rareLifeEnds are aspects of lifeDeviations in which no life on record ends, but one of some thousands of other lives does; and
// such structures.
var rareLifeEnds = map[string][]string{
	"OffsetCommit/ILLEGAL_GENERATION/not stale/PREPARING_REBALANCE/join_in_flight": {"commits", "generation", "protocol", "state"},
	"OffsetCommit/UNKNOWN_MEMBER_ID/not stale/PREPARING_REBALANCE/join_in_flight":  {"commits", "generation", "member", "protocol", "state"},
	"join/join_succeeded in not STABLE":                                            {"member"},
	"effect forgive_fence":                                                         {"requests", "thread"},
	"JoinGroup/DISCONNECT, MALFORMED/former/nameless":                              {"coordinator"},
	"JoinGroup/ILLEGAL_GENERATION/not stale":                                       {"generation", "protocol"},
	"heartbeat/poll_expired/static/join_lost":                                      {"member"},
	"late_member_id/leaves/coordinator_known/not same_node":                        {"member", "requests"},
	"late_member_id/leaves/not coordinator_known":                                  {"member", "requests"},
	"late_member_id/not leaves":                                                    {"requests"},
	"result JoinGroup/given_up":                                                    {"member", "state"},
	"result JoinGroup/no_node":                                                     {"requests", "state", "thread"},
	impatient + "an error is sooner":                                               nil,
	impatient + "the poll is over, a JoinGroup ahead":                              nil,
}
