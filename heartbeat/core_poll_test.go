package heartbeat

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

func typeName(v any) string { return reflect.TypeOf(v).Name() }

// A poll of a member that has all it should have ends at once, and costs nothing.
func TestPollOfAStableMember(t *testing.T) {
	d := drive(t).join()
	require.Equal(t, "poll ends", d.step(Poll{}))
	require.Equal(t, []string{"poll/else"}, d.rules())
	require.Equal(t, "FindCoordinator", d.end(d.beat(), classic.CodeDisconnect))
	require.Equal(t, "poll ends", d.step(Poll{}), "the heartbeat loop looks the coordinator up")
}

// A poll that is given up leaves what it has begun under way; the next one waits for it (KAFKA-3782).
func TestPollGivenUp(t *testing.T) {
	d := drive(t)
	d.step(Poll{})
	d.answer(classic.InputFindCoordinator, classic.CodeNone)
	require.Empty(t, d.step(PollGivenUp{}))
	require.Equal(t, "FindCoordinator", d.after(time.Minute), "is it still the coordinator?")
	require.Empty(t, d.answer(classic.InputFindCoordinator, classic.CodeNone))
	require.Equal(t, "SyncGroup m-1/5", d.answer(classic.InputJoinGroup, classic.CodeNone))
	require.Empty(t, d.answer(classic.InputSyncGroup, classic.CodeNone), "nobody is there to be told")
	d.end(d.beat(), classic.CodeNone)
	require.True(t, d.core.Wants())
	require.Equal(t, "assigned 5", d.step(Poll{}))
	require.Equal(t, []byte("of 5"), d.out[len(d.out)-1].(Callback).Assignment)
	require.Empty(t, d.step(PollGivenUp{}))
	require.Empty(t, d.step(CallbackEnded{}))
	require.Equal(t, "poll ends", d.step(Poll{}))
}

// A reset between SyncGroup's answer and the poll: the application is not told of an assignment that is dead (KAFKA-8104).
func TestResetBeforeTheApplicationIsTold(t *testing.T) {
	d := drive(t)
	d.step(Poll{})
	d.answer(classic.InputFindCoordinator, classic.CodeNone)
	d.step(PollGivenUp{})
	d.answer(classic.InputJoinGroup, classic.CodeNone)
	d.answer(classic.InputSyncGroup, classic.CodeNone)
	d.end(d.beat(), classic.CodeUnknownMemberID)
	require.Equal(t, "JoinGroup /-1", d.step(Poll{}))
}

// What fails while no poll waits is what the next one says, once; the one after that tries again.
func TestErrorsAreOwedToTheNextPoll(t *testing.T) {
	d := drive(t)
	d.step(Poll{})
	d.answer(classic.InputFindCoordinator, classic.CodeNone)
	d.step(PollGivenUp{})
	d.answer(classic.InputJoinGroup, classic.CodeGroupAuthorizationFailed)
	require.Empty(t, d.did())
	require.True(t, d.core.Wants())
	require.Equal(t, "poll ends: GROUP_AUTHORIZATION_FAILED", d.step(Poll{}))
	require.Empty(t, d.step(Poll{}), "after a pause")
	require.Equal(t, "JoinGroup /-1", d.after(120*time.Millisecond))
	d.answer(classic.InputJoinGroup, classic.CodeNone)
	require.Equal(t, "assigned 5", d.answer(classic.InputSyncGroup, classic.CodeNone))
	d.step(PollGivenUp{})
	cause := errors.New("no room")
	d.step(CallbackEnded{cause})
	require.Equal(t, "poll ends: CALLBACK", d.step(Poll{}))
	require.ErrorIs(t, d.out[len(d.out)-1].(PollEnded).Err, cause)
	require.Equal(t, "poll ends", d.step(Poll{}), "it is in the group all the same")
}

// A lookup that fails for good is what the poll says, after one request; one that may yet succeed goes on, with pauses.
func TestLookupFails(t *testing.T) {
	d := drive(t)
	d.step(Poll{})
	require.Equal(t, "poll ends: GROUP_AUTHORIZATION_FAILED", d.answer(classic.InputFindCoordinator, classic.CodeGroupAuthorizationFailed))
	require.Empty(t, d.step(Poll{}))
	require.Equal(t, "FindCoordinator", d.after(300*time.Millisecond))
	lookups := 0
	for end := d.now + 10*time.Second; d.now < end; lookups++ {
		require.Empty(t, d.answer(classic.InputFindCoordinator, classic.CodeCoordinatorNotAvailable), "a pause")
		require.Equal(t, "FindCoordinator", d.after(d.core.clocks.end(classic.TimerLookupRetry)-d.now))
	}
	require.Less(t, lookups, 8, "in ten seconds")
	require.Equal(t, "JoinGroup /-1", d.answer(classic.InputFindCoordinator, classic.CodeNone))
}

// A lookup's failure that a later lookup has mended is not raised any more.
func TestLookupSucceedsAfterAll(t *testing.T) {
	d := drive(t).join()
	d.end(d.beat(), classic.CodeDisconnect)
	d.answer(classic.InputFindCoordinator, classic.CodeGroupAuthorizationFailed)
	d.after(300 * time.Millisecond)
	d.answer(classic.InputFindCoordinator, classic.CodeNone)
	d.step(RejoinAsked{})
	require.Equal(t, "revoked 5", d.step(Poll{}), "the poll goes on")
}

// Callbacks come one at a time: what happens meanwhile is told after it, and only what is still true.
func TestCallbacksAreTold(t *testing.T) {
	d := drive(t).join()
	d.step(RejoinAsked{})
	require.Equal(t, "revoked 5", d.step(Poll{}))
	d.end(d.beat(), classic.CodeRebalanceInProgress)
	require.Empty(t, d.did(), "it is being revoked")
	d.end(d.beat(), classic.CodeUnknownMemberID)
	require.Empty(t, d.did(), "one callback at a time")
	require.Equal(t, "lost 5", d.step(CallbackEnded{}), "what a cooperative member has kept is lost too")
	require.Equal(t, "JoinGroup /-1", d.step(CallbackEnded{}), "once")
	d.answer(classic.InputJoinGroup, classic.CodeNone)
	require.Equal(t, "assigned 6", d.answer(classic.InputSyncGroup, classic.CodeNone))
	d.end(d.beat(), classic.CodeIllegalGeneration)
	require.Equal(t, "lost 6", d.step(CallbackEnded{}))
	require.Equal(t, "JoinGroup m-2/-1", d.step(CallbackEnded{}))
}

// A callback's end that nobody waits for is ignored.
func TestCallbackEndedTwice(t *testing.T) {
	d := drive(t).join()
	for range 3 {
		require.Empty(t, d.step(CallbackEnded{errors.New("twice")}))
		require.Empty(t, d.rules())
	}
	require.Equal(t, "poll ends", d.step(Poll{}))
}

// Answers to requests that are not under way, or not any more, change nothing.
func TestUnknownAnswers(t *testing.T) {
	d := drive(t)
	d.step(Poll{})
	lookup := d.sent(classic.InputFindCoordinator)
	d.answer(classic.InputFindCoordinator, classic.CodeNone)
	join := d.sent(classic.InputJoinGroup)
	d.answer(classic.InputJoinGroup, classic.CodeNone)
	before := *d.core
	for _, r := range []Response{
		{}, {ID: 99}, {ID: lookup.ID, Node: 7}, {ID: join.ID, Member: "x", Generation: 9}, {ID: lookup.ID, Code: classic.CodeDisconnect},
	} {
		require.Empty(t, d.step(r))
		require.Empty(t, d.rules())
		require.Equal(t, before.memory, d.core.memory)
		require.Equal(t, before.who, d.core.who)
		require.Equal(t, before.node, d.core.node)
	}
	require.Equal(t, "assigned 5", d.answer(classic.InputSyncGroup, classic.CodeNone))
}

// A success that lacks what it is to give is as one that does not decode: the coordinator is asked for again.
func TestAnswersThatLackWhatTheyGive(t *testing.T) {
	d := drive(t)
	d.step(Poll{})
	require.Empty(t, d.answer(classic.InputFindCoordinator, classic.CodeNone, func(r *Response) { r.Node = -1 }))
	d.after(300 * time.Millisecond)
	d.answer(classic.InputFindCoordinator, classic.CodeNone)
	for name, change := range map[string]func(*Response){
		"no generation": func(r *Response) { r.Generation = -1 },
		"no member id":  func(r *Response) { r.Member = "" },
		"no id that the member is to take": func(r *Response) {
			r.Code, r.Member = classic.CodeMemberIDRequired, ""
		},
	} {
		require.Empty(t, d.answer(classic.InputJoinGroup, classic.CodeNone, change), name)
		require.Equal(t, classic.CodeMalformed, d.out[0].(Fired).Code)
		require.Equal(t, "FindCoordinator", d.after(3*time.Second), name)
		d.answer(classic.InputFindCoordinator, classic.CodeNone)
		d.after(500 * time.Millisecond)
	}
	d.rejoin()
}

// The numbers of nodes and generations begin at 0.
func TestNodeAndGenerationZero(t *testing.T) {
	d := drive(t)
	d.step(Poll{})
	require.Equal(t, "JoinGroup /-1", d.answer(classic.InputFindCoordinator, classic.CodeNone, func(r *Response) { r.Node = 0 }))
	require.Zero(t, d.sent(classic.InputJoinGroup).Node)
	require.Equal(t, "SyncGroup m-1/0", d.answer(classic.InputJoinGroup, classic.CodeNone, func(r *Response) { r.Generation = 0 }))
}

// Offsets are committed under the generation in which they were read, while that is the member's.
func TestCommit(t *testing.T) {
	commit := func(d *driven, generation int32) string {
		return d.step(CommitAsked{ID: 7, Member: "m-1", Generation: generation, Offsets: []Offset{{Topic: "t", Offset: 9}}})
	}
	d := drive(t)
	require.Equal(t, "commit ends: COMMIT_FAILED", commit(d, 5), "in no group")
	d.step(Poll{})
	d.answer(classic.InputFindCoordinator, classic.CodeNone)
	require.Equal(t, "commit ends: REBALANCE_IN_PROGRESS", commit(d, 5), "joining")
	d.rejoin()
	require.Equal(t, "OffsetCommit m-1/5", commit(d, 5))
	require.Equal(t, []Offset{{Topic: "t", Offset: 9}}, d.sent(classic.InputOffsetCommit).Offsets)
	require.Equal(t, "commit ends", d.answer(classic.InputOffsetCommit, classic.CodeNone))
	require.Equal(t, "commit ends: COMMIT_FAILED", commit(d, 4), "of a generation before")

	d.step(RejoinAsked{})
	d.step(Poll{})
	require.Equal(t, "OffsetCommit m-1/5", commit(d, 5), "while the partitions are revoked")
	require.Equal(t, "JoinGroup m-1/5", d.step(CallbackEnded{}))
	require.Equal(t, "commit ends", d.answer(classic.InputOffsetCommit, classic.CodeNone))
	d.step(PollGivenUp{})
	d.answer(classic.InputJoinGroup, classic.CodeNone, func(r *Response) { r.Generation = 6 })
	d.answer(classic.InputSyncGroup, classic.CodeNone)
	untold := func(coordinator string) {
		before := d.core.memory
		require.Equal(t, "commit ends: REBALANCE_IN_PROGRESS", commit(d, 5), "nobody has been told of the present generation")
		require.Equal(t, before, d.core.memory, "something else comes of it, the coordinator "+coordinator)
	}
	untold("known")
	d.end(d.beat(), classic.CodeNotCoordinator)
	untold("looked up")
	d.step(Poll{})
	require.Equal(t, "commit ends: COMMIT_FAILED", commit(d, 5), "the application is being told of it")

	for code, c := range map[classic.Code]struct {
		name      string
		retriable bool
	}{
		classic.CodeCoordinatorLoadInProgress: {"COORDINATOR_LOAD_IN_PROGRESS", true},
		classic.CodeDisconnect:                {"DISCONNECT", true},
		classic.CodeTopicAuthorizationFailed:  {"TOPIC_AUTHORIZATION_FAILED", false},
		classic.CodeUnknownMemberID:           {"COMMIT_FAILED", false},
		classic.CodeRebalanceInProgress:       {"REBALANCE_IN_PROGRESS", false},
		classic.Code(999):                     {"UNEXPECTED", false},
	} {
		d := drive(t).join()
		commit(d, 5)
		partitions := []PartitionError{{Topic: "t", Partition: 1, Code: code}}
		d.answer(classic.InputOffsetCommit, code, func(r *Response) { r.Partitions = partitions })
		var err *Error
		for _, o := range d.out {
			if ended, ok := o.(CommitEnded); ok {
				require.ErrorAs(t, ended.Err, &err)
				require.Equal(t, uint64(7), ended.ID)
			}
		}
		require.NotNil(t, err)
		require.Equal(t, c.name, err.Name)
		require.Equal(t, c.retriable, err.Retriable, c.name)
		require.Equal(t, partitions, err.Partitions)
	}
}

// Two Cores that are told the same do the same; only their seeds make them differ.
func TestSameInputsSameOutputs(t *testing.T) {
	for seed := range uint64(50) {
		a, b := newLife(t, newDice(seed, 300)), newLife(t, newDice(seed, 300))
		a.run()
		b.run()
		require.Equal(t, a.steps, b.steps)
	}
	pauses := map[time.Duration]bool{}
	for seed := range uint64(20) {
		d := drive(t, func(c *Config) { c.Seed = seed }).join()
		d.end(d.beat(), classic.CodeCoordinatorLoadInProgress)
		pauses[d.core.clocks.end(classic.TimerInterval)-d.now] = true
	}
	require.Greater(t, len(pauses), 10)
}
