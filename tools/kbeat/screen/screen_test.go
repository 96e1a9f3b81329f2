package screen

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/kbeat/event"
	"github.com/kbeat/kbeat/tools/kbeat/show"
)

// The rules here are made up, so that a change of the specification changes no test of a screen.
var (
	expelled = &classic.Rule{
		Name: "Heartbeat/ILLEGAL_GENERATION/not stale", Line: 261, Input: classic.InputHeartbeat, To: []classic.State{classic.Unjoined},
		Do:     []classic.Do{{Effect: classic.EffectResetGeneration, Text: "encountered {code} from {api} response"}, {Effect: classic.EffectHeartbeatFailed}},
		Result: classic.ResultHeartbeatFailed,
		Why:    "the member id is still good; dropping it makes a ghost that blocks the group until its session ends, which is long",
	}
	rebalance = &classic.Rule{
		Name: "Heartbeat/REBALANCE_IN_PROGRESS/STABLE", Line: 257, Input: classic.InputHeartbeat,
		Do: []classic.Do{{Effect: classic.EffectRequestRejoin}, {Effect: classic.EffectHeartbeatReceived}}, Result: classic.ResultHeartbeatRebalance,
	}
	late = &classic.Rule{
		Name: "heartbeat/poll_expired/not static", Line: 324, Input: classic.InputHeartbeatTurn, To: []classic.State{classic.Unjoined},
		Do: []classic.Do{{Effect: classic.EffectSendLeave}}, Result: classic.ResultHeartbeatTurnTurn,
	}
	received = &classic.Rule{Name: "Heartbeat/NONE", Line: 255, Input: classic.InputHeartbeat, Result: classic.ResultHeartbeatReceived}
)

// script is events, a tenth of a second apart.
type script struct {
	now    time.Time
	events []event.Event
}

func (s *script) add(e event.Event) {
	s.now = s.now.Add(100 * time.Millisecond)
	e.Time = s.now
	s.events = append(s.events, e)
}

func (s *script) rule(member string, r *classic.Rule, c classic.Code, err error) {
	f := heartbeat.Fired{Rule: r, Code: c, From: classic.Stable, To: r.Next(classic.Stable), Err: err}
	if r.Input != classic.InputHeartbeatTurn {
		f.Request = 1
	}
	s.add(event.Event{Kind: event.Rule, Member: member, Generation: 3}.Of(f))
}

func (s *script) shown(t *testing.T) string {
	var out bytes.Buffer
	screen := New(&out, false)
	for _, e := range s.events {
		require.NoError(t, screen.Show(e))
	}
	return "\n" + out.String()
}

func TestAnEmbeddedGroup(t *testing.T) {
	var s script
	owns := func(p ...int32) event.Partitions { return event.Partitions{"orders": p} }
	s.add(event.Event{Kind: event.Act, Act: "start", Text: "2 processes start."})
	for _, m := range []string{"m1", "m2"} {
		s.add(event.Event{Kind: event.Member, Member: m, Group: "g", Topics: []string{"orders"}, Generation: -1})
	}
	s.rule("m2", rebalance, classic.CodeRebalanceInProgress, nil)
	s.rule("m1", rebalance, classic.CodeRebalanceInProgress, nil)
	s.rule("m1", received, classic.CodeNone, nil)
	s.add(event.Event{Kind: event.Assigned, Member: "m1", Partitions: owns(0, 1), Owned: owns(0, 1), Generation: 2})
	s.add(event.Event{Kind: event.Assigned, Member: "m2", Partitions: owns(2, 3), Owned: owns(2, 3), Generation: 2})
	s.add(event.Event{Kind: event.Settled, Generation: 2, Took: 0.72, Owners: map[string]event.Partitions{"m1": owns(0, 1), "m2": owns(2, 3)}})
	s.add(event.Event{Kind: event.Act, Act: "old_generation", Text: "A heartbeat of m1 reaches the coordinator with the number of an earlier generation."})
	s.rule("m1", expelled, classic.CodeIllegalGeneration, errors.New("the wire says so"))
	s.add(event.Event{Kind: event.Lost, Member: "m1", Partitions: owns(0, 1)})
	s.rule("m2", expelled, classic.CodeIllegalGeneration, nil)
	s.rule("m2", late, classic.CodeNone, nil)
	s.add(event.Event{Kind: event.Settled, Generation: 3, Took: 1, Owners: map[string]event.Partitions{"m1": owns(0, 1, 3)}})
	s.add(event.Event{Kind: event.Error, Member: "m2", Code: "ILLEGAL_GENERATION", Error: "long"})
	s.add(event.Event{Kind: event.End, Member: "m2", Text: "gave up", State: "UNJOINED", Generation: -1, Tally: &event.Tally{Sent: 9, Answered: 8}})
	s.add(event.Event{Kind: event.End, Member: "m1", Text: "alive", State: "STABLE", Generation: 3, Partitions: owns(0, 1, 3),
		Tally: &event.Tally{Sent: 12, Answered: 12, Joined: 3, Errors: map[string]int{"a": 1, "b": 2}}})
	ok := true
	s.add(event.Event{Kind: event.Result, OK: &ok, Text: "all is as it should be"})

	require.Equal(t, `

 1  2 processes start.
            Heartbeat REBALANCE_IN_PROGRESS: request_rejoin  m1 m2                 classic.yaml:257
  0.80  settled in generation 2 after 0.7 s   who owns which partition; + is new to its owner
        m1    +0  +1   ·   ·
        m2     ·   ·  +2  +3

 2  A heartbeat of m1 reaches the coordinator with the number of an earlier generation.
  1.00  m1  Heartbeat ILLEGAL_GENERATION → UNJOINED                                classic.yaml:261
            if    not stale
            does  reset_generation, heartbeat_failed
            says  encountered ILLEGAL_GENERATION from Heartbeat response
            why   the member id is still good; dropping it makes a ghost that blocks the group
                  until its session ends, which is long
            from  the wire says so
  1.10  m1  has lost 0-1
  1.20  m2  Heartbeat ILLEGAL_GENERATION → UNJOINED                                classic.yaml:261
  1.30  m2  loop heartbeat: poll_expired, not static → UNJOINED                    classic.yaml:324
            does  send_leave
  1.40  settled in generation 3 after 1.0 s
        m1     0   1   ·  +3
        m2  still works on 2-3, and does not know better
  1.50  m2  its poll fails with ILLEGAL_GENERATION: the application ends

member  in the end        last state            heartbeats  rejoins  errors   partitions
m1      alive             STABLE in 3             12 of 12        2       3   0-1,3
m2      gave up           UNJOINED                  8 of 9        0       0   nothing
heartbeats: answered of sent; rejoins: how often it became STABLE again; errors: codes but NONE

rule                error                                   members and how often
classic.yaml:257    Heartbeat REBALANCE_IN_PROGRESS         m1 1  m2 1
classic.yaml:261    Heartbeat ILLEGAL_GENERATION            m1 1  m2 1

all is as it should be
`, s.shown(t))
}

func TestMembersOfARealGroup(t *testing.T) {
	var s script
	both := event.Partitions{"orders": {0, 1}, "payments": {7}}
	s.add(event.Event{Kind: event.Member, Member: "m1", Instance: "i", Group: "g", Topics: []string{"orders", "payments"}, Generation: -1})
	s.add(event.Event{Kind: event.Assigned, Member: "m1", Partitions: both, Owned: both, Generation: 2})
	s.rule("m1", rebalance, classic.CodeRebalanceInProgress, nil)
	s.add(event.Event{Kind: event.Revoked, Member: "m1", Partitions: event.Partitions{"orders": {1}}, Owned: event.Partitions{"orders": {0}, "payments": {7}}, Generation: 3})
	s.add(event.Event{Kind: event.Assigned, Member: "m1", Owned: event.Partitions{"orders": {0}, "payments": {7}}, Generation: 3})
	s.add(event.Event{Kind: event.Error, Member: "m1", Error: "the disk is gone"})
	s.add(event.Event{Kind: event.End, Member: "m1", Text: "gave up", State: "STABLE", Generation: 3, Partitions: both, Tally: &event.Tally{Joined: 2}})
	bad := false
	s.add(event.Event{Kind: event.Result, OK: &bad, Text: "not as it should be", Problem: []string{"one", "two"}})
	require.Equal(t, `
  0.00  m1  begins: group "g", topics orders, payments, as instance "i"
  0.10  m1  takes up orders 0-1; payments 7 in generation 2
  0.20  m1  Heartbeat REBALANCE_IN_PROGRESS                                        classic.yaml:257
            if    STABLE
            does  request_rejoin, heartbeat_received
  0.30  m1  lets go of orders 1 in generation 3; owns orders 0; payments 7
  0.40  m1  takes up nothing in generation 3; owns orders 0; payments 7
  0.50  m1  its poll fails: the disk is gone

member  in the end        last state            heartbeats  rejoins  errors   partitions
m1      gave up           STABLE in 3               0 of 0        1       0   orders 0-1; payments 7
heartbeats: answered of sent; rejoins: how often it became STABLE again; errors: codes but NONE

rule                error                                   members and how often
classic.yaml:257    Heartbeat REBALANCE_IN_PROGRESS         m1 1

not as it should be
  - one
  - two
`, s.shown(t))
}

// Many topics, or many partitions, do not fit into columns.
func TestOwnersInWords(t *testing.T) {
	var s script
	s.add(event.Event{Kind: event.Settled, Owners: map[string]event.Partitions{"m10": {"a": {0, 1, 40}}, "m9": nil}})
	s.add(event.Event{Kind: event.Settled, Owners: map[string]event.Partitions{"m1": {"a": {0}, "b": {1}}}})
	require.Equal(t, `
  0.00  settled in generation 0 after 0.0 s   who owns which partition; + is new to its owner
        m9  nothing
        m10 a 0-1,40
  0.10  settled in generation 0 after 0.0 s
        m1  a 0; b 1
`, s.shown(t))
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// A whole show, on a screen with colours and on one without.
func TestTheColumnsOfAWholeShow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var plain, coloured bytes.Buffer
		a, b := New(&plain, false), New(&coloured, true)
		var mu sync.Mutex
		_, err := show.Run(t.Context(), show.Config{
			Group: "orders", Topic: "orders", Partitions: 12, Members: 5, Seed: 3, Balancers: []kgo.GroupBalancer{kgo.CooperativeStickyBalancer()},
			Member: heartbeat.Config{SessionTimeout: 4 * time.Second, HeartbeatInterval: 300 * time.Millisecond, MaxPollInterval: 4 * time.Second},
		}, func(e event.Event) {
			mu.Lock()
			defer mu.Unlock()
			e.Time = time.Now()
			require.NoError(t, a.Show(e))
			require.NoError(t, b.Show(e))
		})
		require.NoError(t, err)
		require.NotContains(t, plain.String(), "\x1b")
		require.Contains(t, coloured.String(), "\x1b[")
		stripped := escapes.ReplaceAllString(coloured.String(), "")
		trailing := regexp.MustCompile(`(?m) +$`)
		require.Equal(t, trailing.ReplaceAllString(plain.String(), ""), trailing.ReplaceAllString(stripped, ""))
		for line := range strings.Lines(plain.String()) {
			require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimRight(line, "\n")), width, "%q is broken by a terminal", line)
		}
	})
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestAScreenThatCannotBeWritten(t *testing.T) {
	require.ErrorContains(t, New(full{}, false).Show(event.Event{Kind: event.Act, Text: "x"}), "no space left")
}

func TestWhoGetsColours(t *testing.T) {
	terminal := func(string) string { return "" }
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	defer f.Close()
	require.False(t, Coloured(f, terminal), "a file is no terminal")
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer null.Close()
	for name, value := range map[string]string{"NO_COLOR": "1", "TERM": "dumb"} {
		require.False(t, Coloured(null, func(n string) string {
			if n == name {
				return value
			}
			return ""
		}), "%s=%s", name, value)
	}
}

func TestWrap(t *testing.T) {
	require.Equal(t, []string{""}, wrap("", 10))
	require.Equal(t, []string{"one two", "three"}, wrap("one  two three", 8))
	require.Equal(t, []string{"a", "incomprehensible", "word"}, wrap("a incomprehensible word", 5))
	require.Equal(t, []string{"→ ·", "→"}, wrap("→ · →", 3), "runes, not bytes")
}
