package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

func TestRanges(t *testing.T) {
	for want, numbers := range map[string][]int32{
		"":          nil,
		"3":         {3},
		"0-1":       {0, 1},
		"0-3,7":     {0, 1, 2, 3, 7},
		"1,3,5-6,9": {1, 3, 5, 6, 9},
	} {
		require.Equal(t, want, Ranges(numbers))
	}
}

func TestPartitionsAsText(t *testing.T) {
	require.Equal(t, "nothing", Partitions(nil).String())
	require.Equal(t, "nothing", Partitions{"a": nil}.String())
	require.Equal(t, "a 1; b 0-2", Partitions{"b": {0, 1, 2}, "a": {1}}.String())
}

func TestALogKeepsTheOrderAndItsReaderOutOfTheWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := make(chan struct{})
		var read []string
		var times []time.Time
		log := NewLog(func(e Event) error {
			<-stuck
			read, times = append(read, e.Member), append(times, e.Time)
			return nil
		})
		log.Emit(Event{Member: "first"})
		time.Sleep(time.Second)
		log.Emit(Event{Member: "second"}) // would hang here if it waited for the reader
		close(stuck)
		require.NoError(t, log.Close())
		require.Equal(t, []string{"first", "second"}, read)
		require.Equal(t, time.Second, times[1].Sub(times[0]), "the time is that of the emission")
		log.Emit(Event{Member: "late"})
		require.Len(t, read, 2)
	})
}

func TestManyMayEmit(t *testing.T) {
	var last time.Time
	count := 0
	log := NewLog(func(e Event) error {
		require.False(t, e.Time.Before(last), "times go back")
		last = e.Time
		count++
		return nil
	})
	var emitting sync.WaitGroup
	for range 8 {
		emitting.Go(func() {
			for range 100 {
				log.Emit(Event{Kind: Rule})
			}
		})
	}
	emitting.Wait()
	require.NoError(t, log.Close())
	require.Equal(t, 800, count)
}

func TestALogWhoseReaderFails(t *testing.T) {
	full := errors.New("no space left")
	calls := 0
	log := NewLog(func(Event) error {
		calls++
		return full
	})
	log.Emit(Event{})
	log.Emit(Event{})
	require.ErrorIs(t, log.Close(), full)
	require.Equal(t, 1, calls, "after an error the reader is left alone")
}

func TestLinesOfJSON(t *testing.T) {
	var out bytes.Buffer
	write := JSON(&out)
	zone := time.FixedZone("east", 3600)
	require.NoError(t, write(Event{
		Time: time.Date(2026, 1, 1, 13, 0, 0, 123456789, zone), Kind: Assigned, Member: "m1", MemberID: "m1-x", Generation: 3,
		Partitions: Partitions{"a": {1}}, Owned: Partitions{"a": {0, 1}},
	}))
	ok := false
	require.NoError(t, write(Event{Time: time.Unix(0, 0), Kind: Result, OK: &ok, Problem: []string{"it is broken"}}))
	require.Equal(t, `{"time":"2026-01-01T12:00:00.123456Z","kind":"assigned","member":"m1","member_id":"m1-x","generation":3,"partitions":{"a":[1]},"owned":{"a":[0,1]}}
{"time":"1970-01-01T00:00:00Z","kind":"result","ok":false,"problem":["it is broken"]}
`, out.String(), "EVENTS.md says that what is here keeps its name and meaning")
}

func TestADecision(t *testing.T) {
	rule := classic.DecideHeartbeat(classic.Memory{State: classic.Stable}, classic.CodeIllegalGeneration, classic.HeartbeatGuards{})
	e := Event{Kind: Rule, Member: "m1"}.Of(heartbeat.Fired{
		Rule: rule, Code: classic.CodeIllegalGeneration, Request: 7, From: classic.Stable, To: classic.Unjoined, Err: errors.New("detail"),
	})
	e.Fired = nil
	require.Equal(t, Event{
		Kind: Rule, Member: "m1", From: "STABLE", State: "UNJOINED",
		Rule: rule.Name, At: rule.At(), Input: "Heartbeat", Code: "ILLEGAL_GENERATION", Result: "failed", Class: "backoff",
		Do: []string{"reset_generation", "heartbeat_failed"}, Reason: "encountered ILLEGAL_GENERATION from Heartbeat response",
		Why: rule.Why, Error: "detail",
	}, e)
	require.NotEmpty(t, e.Why)
}

func TestADecisionThatIsAboutNoResponse(t *testing.T) {
	e := Event{}.Of(heartbeat.Fired{
		Rule: classic.DecideHeartbeatTurn(
			classic.Memory{State: classic.Stable, Flags: classic.LoopExists | classic.LoopEnabled | classic.CoordinatorKnown},
			classic.HeartbeatTurnGuards{PollExpired: true},
		),
		From: classic.Stable, To: classic.Unjoined,
	})
	require.Empty(t, e.Code)
	require.Equal(t, "heartbeat", e.Input)
	require.Contains(t, e.Reason, "the application did not poll within max.poll.interval.ms")
}

// Reasons of which a part is not in the decision are left out rather than told in part.
func TestReasonsAreWholeOrNotThere(t *testing.T) {
	for _, rule := range classic.Rules() {
		e := Event{}.Of(heartbeat.Fired{Rule: rule, Code: classic.CodeDisconnect, Request: 1})
		require.NotContains(t, e.Reason, "{", "of %s", rule.At())
		require.NotContains(t, e.Reason, "  ", "of %s", rule.At())
	}
}

func TestEveryFieldAndKindIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../EVENTS.md")
	require.NoError(t, err)
	for _, of := range []reflect.Type{reflect.TypeFor[Event](), reflect.TypeFor[Tally]()} {
		for i := range of.NumField() {
			name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			if name != "-" {
				require.Contains(t, string(text), "`"+name+"`", "EVENTS.md lacks the field")
			}
		}
	}
	for _, k := range Kinds() {
		require.Contains(t, string(text), "| `"+string(k)+"` |", "EVENTS.md lacks the kind")
	}
}

func TestAnEventSurvivesJSON(t *testing.T) {
	ok := true
	e := Event{Time: time.Unix(1, 0).UTC(), Kind: End, Member: "m", Generation: -1, OK: &ok, Tally: &Tally{Sent: 1, Errors: map[string]int{"r": 2}}}
	line, err := json.Marshal(e)
	require.NoError(t, err)
	var back Event
	require.NoError(t, json.Unmarshal(line, &back))
	require.Equal(t, e, back)
}
