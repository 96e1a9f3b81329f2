package heartbeat_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

func TestCommitStoresOffsets(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.join()
		require.NoError(t, a.Commit(t.Context(), []heartbeat.Offset{
			{Topic: "t", Partition: 0, Offset: 7, LeaderEpoch: -1}, {Topic: "t", Partition: 2, Offset: 9, LeaderEpoch: -1, Metadata: "x"},
		}))
		r := kmsg.NewPtrOffsetFetchRequest()
		group := kmsg.NewOffsetFetchRequestGroup()
		group.Group = "g"
		r.Groups = append(r.Groups, group)
		stored := w.admin(r).(*kmsg.OffsetFetchResponse).Groups[0].Topics[0].Partitions
		require.Len(t, stored, 2)
		offsets := map[int32]int64{stored[0].Partition: stored[0].Offset, stored[1].Partition: stored[1].Offset}
		require.Equal(t, map[int32]int64{0: 7, 2: 9}, offsets)

		w.diary.take()
		require.NoError(t, a.Commit(t.Context(), nil))
		require.Empty(t, w.diary.take(), "there was nothing to commit")
	})
}

func TestCommitTriesAgainWhatMayPass(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.join()
		w.diary.take()
		again := answer{way: byCode, code: classic.CodeCoordinatorLoadInProgress}
		w.answer(kmsg.OffsetCommit, again, again, again, again, again)
		began := time.Now()
		require.NoError(t, a.commit())
		require.Len(t, w.diary.texts(sent), 6)
		took := time.Since(began)
		require.Greater(t, took, 1900*time.Millisecond, "pauses of 100, 200, 400, 800 and 1000 ms, each ± 20 %%")
		require.Less(t, took, 2900*time.Millisecond)
	})
}

func TestCommitFindsTheCoordinatorAgain(t *testing.T) {
	for name, lost := range map[string]answer{"moved": {way: byCode, code: classic.CodeNotCoordinator}, "cut": {way: byCut}} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				a := w.app("a", nil)
				a.join()
				w.answer(kmsg.OffsetCommit, lost)
				require.NoError(t, a.commit())
				require.Equal(t, classic.Stable, a.State())
			})
		})
	}
}

func TestCommitEndsWithItsContext(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.join()
		w.answer(kmsg.OffsetCommit, answer{way: byCode, code: classic.CodeCoordinatorLoadInProgress, forever: true})
		began := time.Now()
		err := a.commitUntil(within(t, 10*time.Second))
		require.Equal(t, 10*time.Second, time.Since(began))
		require.ErrorIs(t, err, errExpired)
		var last *heartbeat.Error
		require.ErrorAs(t, err, &last, "what the last try has met")
		require.Equal(t, "COORDINATOR_LOAD_IN_PROGRESS", last.Name)
		w.relent(kmsg.OffsetCommit)

		w.hold(kmsg.OffsetCommit)
		require.ErrorIs(t, a.commitUntil(within(t, time.Second)), errExpired)
		require.NoError(t, w.release(kmsg.OffsetCommit, answer{}))
		w.pass(time.Second)
		require.NoError(t, a.commit(), "the answer that nobody waited for is no answer to the next commit")
	})
}

func TestCommitSaysWhatNoRepetitionMends(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.join()
		for code, name := range map[classic.Code]string{
			classic.CodeOffsetMetadataTooLarge:   "OFFSET_METADATA_TOO_LARGE",
			classic.CodeTopicAuthorizationFailed: "TOPIC_AUTHORIZATION_FAILED",
			classic.CodeInvalidTopicException:    "UNEXPECTED",
		} {
			w.diary.take()
			w.answer(kmsg.OffsetCommit, answer{way: byCode, code: code})
			var e *heartbeat.Error
			require.ErrorAs(t, a.commit(), &e)
			require.Equal(t, name, e.Name)
			require.Equal(t, code, e.Code)
			require.False(t, e.Retriable)
			require.Equal(t, []heartbeat.PartitionError{{Topic: "t", Partition: 0, Code: code}}, e.Partitions)
			require.Len(t, w.diary.texts(sent), 1)
		}
	})
}

// Offsets that were read in one generation are not committed in the next, whose coordinator would take them: by then
// somebody else may have gone on from where this member was.
func TestCommitIsOfTheGenerationInWhichItsOffsetsWereRead(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		first := a.join()
		a.Rejoin("because")
		second := a.join()
		w.diary.take()
		var e *heartbeat.Error
		require.ErrorAs(t, first.Commit(t.Context(), someOffsets), &e)
		require.Equal(t, "COMMIT_FAILED", e.Name)
		require.Empty(t, w.diary.texts(sent), "offsets of generation 1 were sent in generation 2")
		require.NoError(t, second.Commit(t.Context(), someOffsets))
		require.NoError(t, a.commit())
		require.Equal(t, []string{"OffsetCommit member=m1 generation=2", "OffsetCommit member=m1 generation=2"}, w.diary.texts(sent))

		// A generation that the application was not told of yet is not the one that its offsets are of.
		w.hold(kmsg.SyncGroup)
		a.Rejoin("because")
		require.ErrorIs(t, a.Poll(within(t, time.Second)), errExpired)
		require.NoError(t, w.release(kmsg.SyncGroup, answer{}))
		w.pass(time.Second)
		require.Equal(t, classic.Stable, a.State())
		require.Equal(t, int32(3), a.Generation())
		require.ErrorAs(t, a.commit(), &e)
		require.Equal(t, "REBALANCE_IN_PROGRESS", e.Name)
		a.join()
		require.NoError(t, a.commit())
	})
}

func TestCommitOfWhoOwnsNothing(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		var e *heartbeat.Error
		require.ErrorAs(t, a.commit(), &e, "never polled")
		require.Equal(t, "COMMIT_FAILED", e.Name)
		require.NoError(t, a.Poll(t.Context()), "a commit has started the member, and harmed nothing")
		require.NoError(t, a.commit())
		require.NoError(t, a.Leave(t.Context(), heartbeat.LeaveAlways, "enough"))
		require.ErrorAs(t, a.commit(), &e)
		require.Equal(t, "COMMIT_FAILED", e.Name)
	})
}

func TestManyCommitsAtOnce(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.join()
		w.hold(kmsg.OffsetCommit)
		const commits = 20
		ended := make(chan error, commits)
		for range commits {
			go func() { ended <- a.Commit(context.Background(), someOffsets) }()
		}
		synctest.Wait()
		require.NoError(t, w.release(kmsg.OffsetCommit, answer{way: byCode, code: classic.CodeInvalidCommitOffsetSize}))
		failed := 0
		for range commits {
			if <-ended != nil {
				failed++
			}
		}
		require.Equal(t, 1, failed, "each commit is told of its own answer")
	})
}
