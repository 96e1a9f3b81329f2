package judge

// Invariant is the name of something that no run of a group may break.
type Invariant string

// The invariants. Times are those of the members' own configs, plus Settings.Slack.
const (
	// OneOwner: no two members work on a partition at once, but in the windows that the protocol itself has. A member that
	// joins claims what it still works on. A window is over when a heartbeat of the member is answered that was sent in it,
	// as far as the member is concerned; the rest is the application's, until its next poll.
	OneOwner Invariant = "one_owner"

	// NoGhost: what the coordinator holds is the id of a live member. That of another one goes within a rebalance timeout and a
	// session: of a dynamic member after the last request of who had it, of a static one also after the last generation began.
	// That of a member that has left, and was told that the coordinator knows, goes at once.
	NoGhost Invariant = "no_ghost"

	// NoZombie: a member whose session has ended sends no heartbeat before it has looked the coordinator up; and none lets a
	// poll return well that has lost its generation and has not told its application so. What it commits then the coordinator
	// judges.
	NoZombie Invariant = "no_zombie"

	// Progress: when nothing is disturbed any more, all members that are polled are STABLE, in one generation, with their
	// application told so, within the time that Settle derives from their configs, and stay so.
	Progress Invariant = "progress"

	// NoSpin: no member sends more requests than MostRequests derives from its config, in any ten seconds; nor more than
	// MostRefused of one kind that are all refused.
	NoSpin Invariant = "no_spin"

	// NoSilence: a member that has joined sends a heartbeat in each interval, or looks its coordinator up; or within the
	// longest pause after one that has failed.
	NoSilence Invariant = "no_silence"

	// SilentAfterClose: who is closed or killed sends nothing, and begins no callback.
	SilentAfterClose Invariant = "silent_after_close"

	// IdentityByRules: a request leaves because a rule has sent it, once, and carries the member id and generation that the rules
	// have led to. They come from answers, by rules that take them, and go by rules that drop them; and a rule decides about
	// the code that was answered.
	IdentityByRules Invariant = "identity_by_rules"

	// CallbacksPaired: assigned, revoked and lost come one at a time and in turn; nobody joins before the application has
	// been told, and nobody has left while it still works.
	CallbacksPaired Invariant = "callbacks_paired"

	// NoLookupsInVain: FindCoordinator is sent one at a time, while no coordinator is known or the one that is known is silent;
	// and no more often than MostLookups allows since a coordinator has last answered well.
	NoLookupsInVain Invariant = "no_lookups_in_vain"

	// OffsetsFenced: a commit leaves, and the coordinator takes it, only as of the member and the generation that have read
	// its offsets. Taken in a later generation they would overwrite those of who owns the partitions by then.
	OffsetsFenced Invariant = "offsets_fenced"

	// LateAnswersIgnored: an answer to a request that was sent under another identity than the present one changes neither
	// that nor the state.
	LateAnswersIgnored Invariant = "late_answers_ignored"

	// RequestsEnd: each request is answered, fails or is abandoned within the limit that the specification gives it; and it is
	// abandoned in the instant in which the specification says that its answer does not count any more.
	RequestsEnd Invariant = "requests_end"

	// CallsEnd: a call of the application that waits returns within the time that the caller has. What a callback takes is the
	// application's own; a Commit does not wait for one.
	CallsEnd Invariant = "calls_end"

	// CoordinatorFollowed: a member that is not answered looks its coordinator up within SilenceLimit. When another node is
	// named, what was sent to the former one is abandoned at once (RequestsEnd), and the next heartbeat goes to the new one in
	// its time (NoSilence).
	CoordinatorFollowed Invariant = "coordinator_followed"

	// LeasedAlone: a member with a lease begins to work when the first heartbeat of its generation was answered, and nobody
	// else is given what it works on before its lease is over; but for a process with the same instance id.
	LeasedAlone Invariant = "leased_alone"
)

// Invariants are all of them.
func Invariants() []Invariant {
	return []Invariant{
		OneOwner, NoGhost, NoZombie, Progress, NoSpin, NoSilence, SilentAfterClose, IdentityByRules, CallbacksPaired, NoLookupsInVain,
		OffsetsFenced, LateAnswersIgnored, RequestsEnd, CallsEnd, CoordinatorFollowed, LeasedAlone,
	}
}
