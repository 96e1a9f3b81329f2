package franz

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// committed is an answer to OffsetCommit, with a topic for each code: t0, t1, …
func committed(codes ...classic.Code) *kmsg.OffsetCommitResponse {
	a := kmsg.NewPtrOffsetCommitResponse()
	for i, code := range codes {
		p := kmsg.NewOffsetCommitResponseTopicPartition()
		p.ErrorCode = int16(code)
		topic := kmsg.NewOffsetCommitResponseTopic()
		topic.Topic, topic.Partitions = fmt.Sprint("t", i), []kmsg.OffsetCommitResponseTopicPartition{p}
		a.Topics = append(a.Topics, topic)
	}
	return a
}

func offsets(topics int) (o []heartbeat.Offset) {
	for i := range topics {
		o = append(o, heartbeat.Offset{Topic: fmt.Sprint("t", i)})
	}
	return o
}

// A broker puts the topics that it refuses itself before what the coordinator says of the others.
func TestTheCodeOfACommit(t *testing.T) {
	const none = classic.CodeNone
	ofPartition := []classic.Code{
		classic.CodeTopicAuthorizationFailed, classic.CodeUnknownTopicOrPartition, classic.CodeOffsetMetadataTooLarge,
		classic.CodeInvalidCommitOffsetSize,
	}
	ofMember := []classic.Code{
		classic.CodeUnknownMemberID, classic.CodeIllegalGeneration, classic.CodeFencedInstanceID,
		classic.CodeRebalanceInProgress, classic.CodeNotCoordinator, classic.CodeCoordinatorNotAvailable,
	}
	for _, partition := range ofPartition {
		for _, member := range ofMember {
			for _, codes := range [][]classic.Code{
				{partition, member}, {member, partition}, {none, partition, none, member}, {partition, partition, member, none},
			} {
				r := committedOffsets(committed(codes...), offsets(len(codes)))
				require.Equal(t, member, r.Code, "%v", codes)
				require.Len(t, r.Partitions, len(codes))
			}
		}
		other := ofPartition[0]
		require.Equal(t, partition, committedOffsets(committed(none, partition, other), offsets(3)).Code, "the first that is not NONE")
	}
	require.Equal(t, ofMember[1], committedOffsets(committed(ofMember[1], ofMember[0]), offsets(2)).Code, "the first about the member")
	require.Equal(t, none, committedOffsets(committed(none, none), offsets(2)).Code)
}

func TestACommitWhoseAnswerLacksAPartition(t *testing.T) {
	for _, answer := range []*kmsg.OffsetCommitResponse{committed(), committed(classic.CodeNone)} {
		r := committedOffsets(answer, offsets(2))
		require.Equal(t, classic.CodeMalformed, r.Code)
		require.ErrorContains(t, r.Err, fmt.Sprintf("does not have t%d[0]", len(answer.Topics)))
	}
	r := committedOffsets(committed(classic.CodeNone, classic.CodeIllegalGeneration), offsets(3))
	require.Equal(t, classic.CodeIllegalGeneration, r.Code, "a failure is not hidden")
	twice := append(offsets(1), offsets(1)...)
	require.Equal(t, classic.CodeNone, committedOffsets(committed(classic.CodeNone), twice).Code, "asked for twice, answered once")
}
