package heartbeat_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/spec"
)

// late sends a request under one identity, and lets its answer come under another: `late API CODE changed=generation`
// (or member, or both). Printed is what the answer does.
func (s *script) late() string {
	var changed string
	s.d.ScanArgs(s.t, "changed", &changed)
	s.begin()
	w, a := s.world, s.apps["a"]
	if changed == "both" { // the group's generations go on while somebody is in it
		w.diary.hide("b")
		w.app("b", nil).run()
	}
	join := func() {
		require.NoError(s.t, a.Poll(s.t.Context()))
		w.pass(10 * time.Millisecond)
	}
	join()
	before := a.Status()
	w.hold(s.key())
	if s.key().Name() == "OffsetCommit" {
		go func() { a.note(ended, "commit: %s", outcome(a.commit())) }()
	}
	w.pass(3100 * time.Millisecond)
	switch changed {
	case "member":
		w.kick(a)
		w.forget()
	case "both":
		w.kick(a)
	}
	a.Rejoin("to change " + changed)
	join()
	after := a.Status()
	w.diary.take()
	require.NoError(s.t, w.release(s.key(), s.given(s.arg(1))))
	w.pass(3 * time.Second)
	require.Equal(s.t, changed != "generation", before.Member != after.Member)
	require.Equal(s.t, changed != "member", before.Generation != after.Generation)
	now := a.Status()
	now.Heartbeats, now.LastHeartbeat = after.Heartbeats, after.LastHeartbeat
	require.Equal(s.t, after, now, "the late answer has changed the member")
	s.since = w.diary.now() - 3*time.Second
	return fmt.Sprintf("         sent as %s, answered to %s\n", who(w, before), who(w, after)) + s.print(w.diary.take()) + s.members()
}

func who(w *world, st heartbeat.Status) string {
	return w.diary.named(fmt.Sprintf("%s of generation %d", st.Member, st.Generation))
}

// each lets an application run, and answers one request of its member by one thing after the other: `each API`. Printed is
// which rule decides, what the caller is told where one waits, which request follows when, and on what answers.
func (s *script) each() string {
	s.begin()
	s.apps["a"].attend()
	words := []string{"cut", "garbage", "nothing"}
	for n := int16(-1); n < 1000; n++ {
		if name := classic.Code(n).String(); !strings.HasPrefix(name, "UNKNOWN(") {
			words = append(words, name)
		}
	}
	groups := map[string][]string{}
	for _, word := range append(words, "UNKNOWN(999)") {
		reaction := s.reaction(word)
		groups[reaction] = append(groups[reaction], word)
		s.lines = append(s.lines, line{s.now(), word + ": " + reaction})
	}
	var b strings.Builder
	for _, reaction := range slices.Sorted(maps.Keys(groups)) {
		fmt.Fprintf(&b, "%s\n", reaction)
		if strings.Contains(reaction, "/otherwise") {
			fmt.Fprintf(&b, "    %d codes\n", len(groups[reaction]))
			continue
		}
		for chunk := range slices.Chunk(groups[reaction], 4) {
			fmt.Fprintf(&b, "    %s\n", strings.Join(chunk, " "))
		}
	}
	return b.String()
}

// reaction is which rule decides about an answer of a member that is in its group, and what request follows.
func (s *script) reaction(word string) string {
	w, member, key := s.world, s.apps["a"], s.key()
	a := answer{way: byCode, code: 999}
	if word != "UNKNOWN(999)" {
		a = s.given(word)
	}
	healthy := func() bool {
		st := member.Status()
		return st.State == classic.Stable && st.Heartbeats == 0 && st.Coordinator != heartbeat.AnyBroker && !st.Flags.Has(classic.RejoinNeeded)
	}
	for deadline, beats := 0, 0; beats < 2; deadline++ { // then past failures are forgotten
		if deadline == 1000 {
			s.t.Fatalf("before %s: the member does not recover: %s%s", word, status(member.Status()), w.diary.last(20))
		}
		if w.pass(1007 * time.Millisecond); !healthy() { // not in step with the heartbeats
			w.diary.take()
		}
		beats = w.diary.count("Heartbeat/NONE")
	}
	w.diary.take()
	w.broker.answer(key, a)
	switch key {
	case kmsg.JoinGroup, kmsg.SyncGroup:
		member.Rejoin("to see what follows")
	case kmsg.FindCoordinator:
		w.broker.answer(kmsg.Heartbeat, answer{way: byCode, code: classic.CodeNotCoordinator})
	case kmsg.OffsetCommit:
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		go func() { member.note(ended, "%s", outcome(member.commitUntil(ctx))) }()
	case kmsg.LeaveGroup:
		go func() {
			member.note(ended, "%s", outcome(member.Leave(context.Background(), heartbeat.LeaveAlways, "to see what follows")))
		}()
	}
	var rule entry
	said := ""
	for range 400 { // a JoinGroup has more than five minutes for its answer
		w.pass(time.Second)
		var next entry
		for _, e := range w.diary.take() {
			switch {
			case rule.rule == "" && strings.HasPrefix(e.rule, key.Name()+"/"):
				rule = e
			case rule.rule != "" && e.kind == ended:
				told, _, _ := strings.Cut(e.text, " by ")
				said = ": " + told
			case rule.rule != "" && e.kind == sent && next.text == "":
				next = e
			}
		}
		if next.text != "" {
			request, _, _ := strings.Cut(next.text, " ")
			pause := when(next.at-rule.at, said != "")
			if d := next.at - rule.at; request == "FindCoordinator" && d >= 160*time.Millisecond && d <= 2010*time.Millisecond {
				pause = "after the backoff of a lookup" // the member's or the transport's, the longer one
			}
			return fmt.Sprintf("%s%s: then %s %s", rule.rule, said, request, pause)
		}
	}
	s.t.Fatalf("after %s no request follows: a member that says nothing is dead", word)
	return ""
}

// when is how long something takes, where that is not the same each time. Where a caller has asked, at any time, what
// comes next may be what comes anyhow.
func when(d time.Duration, asked bool) string {
	switch {
	case d < 5*time.Millisecond:
		return "at once"
	case d >= 80*time.Millisecond && d <= 130*time.Millisecond:
		return "after a backoff"
	case d >= 160*time.Millisecond && d <= 250*time.Millisecond:
		return "after the backoff of a lookup"
	case d > 2900*time.Millisecond && d <= 3*time.Second:
		return "after an interval"
	case asked && d < 3*time.Second:
		return "within an interval"
	}
	return "after " + d.String()
}

// missing lists which rules that drop what the coordinator knows the member by have not decided in this file, with the file
// that shows each: the command's lines name those files. A rule that none of them shows is an error, as is a file that shows none.
func (s *script) missing() string {
	machine, err := spec.Load("../spec/classic.yaml")
	require.NoError(s.t, err)
	drops := map[string]bool{}
	for _, e := range machine.Effects {
		drops[e.Name] = len(e.Drops) > 0
	}
	var missing []string
	count := 0
	for _, r := range classic.Rules() {
		if slices.ContainsFunc(r.Do, func(do classic.Do) bool { return drops[do.Effect.String()] }) {
			count++
			if !s.fired[r.Name] {
				missing = append(missing, r.Name)
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d, shown elsewhere:\n", len(missing), count)
	for _, file := range strings.Fields(s.d.Input) {
		demands := demandedBy(s.t, file)
		left := slices.DeleteFunc(slices.Clone(missing), demands)
		require.Less(s.t, len(left), len(missing), "%s demands none of the rules that nothing before it shows: take it out", file)
		fmt.Fprintf(&b, "%s\n", file)
		for _, rule := range missing {
			if !slices.Contains(left, rule) {
				fmt.Fprintf(&b, "    %s\n", rule)
			}
		}
		missing = left
	}
	require.Empty(s.t, missing, "rules that drop identity, and that nothing here or in the files named shows")
	return b.String()
}

// demandedBy reports of each rule whether a file demands that it decides: a scenario by an expect, which alone has lines that
// begin with "rule", and a test of the Core by the rule's whole name.
func demandedBy(t *testing.T, file string) func(rule string) bool {
	isTest := strings.HasSuffix(file, "_test.go")
	path := filepath.Join(scenarioDir, file)
	if isTest {
		path = file
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return func(rule string) bool {
		if isTest {
			return strings.Contains(string(text), strconv.Quote(rule))
		}
		return strings.Contains(string(text), "\nrule "+rule+"\n") || strings.Contains(string(text), "\nrule "+rule+" -> ")
	}
}
