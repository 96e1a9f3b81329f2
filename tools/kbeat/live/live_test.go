package live

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/kbeat/event"
)

func TestMembersComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		stop, ended := r.start(r.config(3))
		time.Sleep(time.Hour)
		require.Equal(t, 3, r.members())
		stop()
		end := <-ended
		require.NoError(t, end.err)
		require.Empty(t, end.problems)
		require.Less(t, end.took, time.Hour+time.Second, "who says goodbye waits for nobody")
		require.Zero(t, r.members())
		for i, e := range r.of(event.End) {
			require.Equal(t, fmt.Sprintf("m%d", i+1), e.Member)
			require.Equal(t, "left", e.Text)
			require.Equal(t, classic.Stable.String(), e.State)
		}
		require.Empty(t, r.spoken())
	})
}

func TestStaticMembersKeepTheirPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		c := r.config(2)
		c.Member.InstanceID = "i"
		stop, ended := r.start(c)
		time.Sleep(time.Minute)
		stop()
		require.NoError(t, (<-ended).err)
		ends := r.of(event.End)
		require.Len(t, ends, 2)
		require.Equal(t, []string{"i-1", "i-2"}, []string{ends[0].Instance, ends[1].Instance})
		require.Equal(t, "keeps its place", ends[0].Text)
		require.Equal(t, 2, r.members(), "for the session timeout")
		time.Sleep(time.Minute)
		require.Zero(t, r.members())
	})
}

func TestALookAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		c := r.config(2)
		c.For = time.Minute
		end := r.run(t.Context(), c)
		require.NoError(t, end.err)
		require.Empty(t, end.problems)
		require.InDelta(t, time.Minute, end.took, float64(time.Second))
		settled := r.of(event.Settled)
		require.Len(t, settled, 1)
		require.Len(t, settled[0].Owners["m1"]["t"], 2)
		require.Len(t, settled[0].Owners["m2"]["t"], 2)
		require.Positive(t, settled[0].Generation)
		require.Zero(t, r.members())
	})
}

func TestALookAtAGroupThatIsNotWell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.JoinGroup}, Group: "g", Err: kerr.CoordinatorLoadInProgress, Count: -1})
		c := r.config(1)
		c.For = time.Minute
		end := r.run(t.Context(), c)
		require.NoError(t, end.err)
		require.Len(t, end.problems, 1)
		require.Contains(t, end.problems[0], `group "g" cannot be described: `, "there is none")
		require.Empty(t, r.of(event.Settled))
		require.Len(t, r.spoken(), 1)
		require.Equal(t, "m1 has not joined after 10s: JoinGroup was answered with COORDINATOR_LOAD_IN_PROGRESS; it goes on trying", r.spoken()[0])
	})
}

// When one member fails, the others leave: the process is to end.
func TestOneFailsAndAllLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		c := r.config(2)
		c.Member.InstanceID = "i"
		_, ended := r.start(c)
		time.Sleep(time.Minute)
		second := r.config(1)
		second.Member.InstanceID = "i-2"
		stop, secondEnded := r.start(second)
		end := <-ended
		var member *MemberError
		require.ErrorAs(t, end.err, &member)
		require.Equal(t, "m2", member.Name)
		var decided *heartbeat.Error
		require.ErrorAs(t, end.err, &decided)
		require.Equal(t, classic.CodeFencedInstanceID, decided.Code)
		stop()
		<-secondEnded
	})
}

// A coordinator that does not answer is not waited for for ever, and is told of.
func TestAGoodbyeThatNobodyHears(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		stop, ended := r.start(r.config(1))
		time.Sleep(time.Minute)
		r.cluster.ControlKey(kmsg.LeaveGroup.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) { return nil, nil, true })
		stop()
		end := <-ended
		require.NoError(t, end.err)
		require.Len(t, end.problems, 1)
		require.Contains(t, end.problems[0], "m1: the group may learn only by the session timeout that it has left: ")
		require.Equal(t, time.Minute+LeaveTimeout, end.took)
	})
}

// Wherever a run is stopped, it ends soon and leaves nothing running: synctest would not return.
func TestStoppedAtAnyTime(t *testing.T) {
	for _, broken := range []bool{false, true} {
		for after := time.Duration(0); after < 4*time.Second; after += 333 * time.Millisecond {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				c := r.config(2)
				if broken {
					c.Brokers = []string{"localhost:1"}
				}
				stop, ended := r.start(c)
				time.Sleep(after)
				stop()
				end := <-ended
				require.LessOrEqual(t, end.took, after+LeaveTimeout, "kfake never answers the JoinGroup of a member that has left")
				if end.err != nil {
					require.ErrorIs(t, end.err, context.Canceled)
				}
			})
		}
	}
}
