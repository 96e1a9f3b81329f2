package heartbeat

// callerEnds says for each deviation at what the comparison of a fact may end by it: at a line of Kafka's in whose place the
// Core has another, at a line whose text differs, or at one that comes at another time.
var callerEnds = map[string][]string{
	"join/join_succeeded in not STABLE":                                                  {"sent JoinGroup"},
	"JoinGroup/ILLEGAL_GENERATION/not stale":                                             {"poll ended", "poll ended / sent JoinGroup", "poll ended / told join_prepare"},
	"JoinGroup/otherwise/retriable":                                                      {"poll ended", "poll ended / sent JoinGroup"},
	"LeaveGroup/UNKNOWN_MEMBER_ID":                                                       {"unsubscribe ended"},
	"SyncGroup/COORDINATOR_LOAD_IN_PROGRESS":                                             {"poll ended", "poll ended / sent SyncGroup"},
	"SyncGroup/otherwise/retriable":                                                      {"poll ended", "poll ended / sent SyncGroup"},
	"OffsetCommit/UNKNOWN_TOPIC_OR_PARTITION":                                            {"commit_async ended"},
	"OffsetCommit/GROUP_ID_NOT_FOUND/not stale/else":                                     {"commit_async ended"},
	"result JoinGroup/sync_backoff":                                                      {"sent JoinGroup / sent SyncGroup"},
	"result JoinGroup/given_up":                                                          {"sent JoinGroup"},
	"late_member_id/leaves/coordinator_known/same_node":                                  {"close ended / sent LeaveGroup"},
	"late_member_id/leaves/not coordinator_known":                                        {"sent JoinGroup"},
	"late_member_id/not leaves":                                                          {"sent JoinGroup"},
	"Heartbeat/COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR/former":                        {"sent FindCoordinator / sent SyncGroup"},
	"Heartbeat/DISCONNECT, MALFORMED/former":                                             {"sent FindCoordinator / sent SyncGroup"},
	"SyncGroup/COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR, DISCONNECT, MALFORMED/former": {"sent FindCoordinator / sent SyncGroup"},
	"JoinGroup/COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR/former":                        {"sent FindCoordinator / sent JoinGroup"},
	"JoinGroup/DISCONNECT, MALFORMED/former/not nameless":                                {"sent FindCoordinator / sent JoinGroup"},
	"JoinGroup/DISCONNECT, MALFORMED/former/nameless":                                    {"sent FindCoordinator / sent JoinGroup"},
	"callback_failed":                                                                    {"told assigned / poll ended", "told join_complete / poll ended"},
	"commit/STABLE/not outdated and not coordinator_known/not lookup_failed":             {"sent FindCoordinator / commit_async ended", "sent FindCoordinator / commit_sync ended"},
	"commit/UNJOINED":                                                                    {"sent FindCoordinator / commit_async ended", "sent FindCoordinator / commit_sync ended"},
	"join/not coordinator_known/not lookup_in_flight and not lookup_due":                 {"sent FindCoordinator / poll ended"},
	"join/not join_due":                                                                  {"sent JoinGroup / poll ended"},
	"join/not rejoin_needed and not join_in_flight":                                      {"sent FindCoordinator / poll ended"},
	"join/prepare_needed and identity_reset and owns":                                    {"sent FindCoordinator / told join_prepare"},
	"leave/not prepare_needed":                                                           {"close ended / sent LeaveGroup", "state", "unsubscribe ended / sent LeaveGroup"},
	"leave/prepare_needed and identity_reset":                                            {"identity", "reason"},
	"leave/prepare_needed and not identity_reset":                                        {"close ended / sent LeaveGroup", "state", "unsubscribe ended / sent LeaveGroup"},
	"loop_broke":                   {"poll ended / told join_prepare"},
	"result FindCoordinator/raise": {"poll ended", "poll ended / sent FindCoordinator"},
	"released/leaves/has_member_id/coordinator_known/UNJOINED": {"close ended / sent LeaveGroup", "unsubscribe ended / sent LeaveGroup"},
	"released/leaves/has_member_id/not coordinator_known":      {"unsubscribe ended"},
}

// parting names where two lines part.
func parting(kafka, core callerLine) string {
	switch {
	case kafka.what != core.what:
		return kafka.what + " / " + core.what
	case kafka.text != core.text:
		return kafka.what
	}
	return kafka.what + " at another time"
}
