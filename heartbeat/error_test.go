package heartbeat

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
)

// An error says of which group it is, what happened, in which state, why, and which rule decided, with its line.
func TestErrorSaysWhatHappened(t *testing.T) {
	cause := errors.New("the wire is cut")
	d := drive(t)
	d.step(Poll{})
	d.answer(classic.InputFindCoordinator, classic.CodeNone)
	d.step(Response{ID: d.sent(classic.InputJoinGroup).ID, Code: classic.CodeGroupAuthorizationFailed, Err: cause})
	var err *Error
	require.ErrorAs(t, d.out[len(d.out)-1].(PollEnded).Err, &err)
	require.ErrorIs(t, err, cause)
	require.Equal(t, Error{
		Name: "GROUP_AUTHORIZATION_FAILED", Input: classic.InputJoinGroup, Code: classic.CodeGroupAuthorizationFailed, Group: "g",
		Node: 1, Generation: NoGeneration, State: classic.PreparingRebalance, Rule: err.Rule, Err: cause,
	}, *err)
	require.Regexp(t, `^group "g": JoinGroup at broker 1 in PREPARING_REBALANCE: GROUP_AUTHORIZATION_FAILED \(.+[^.]\): the wire is cut; rule at classic.yaml:\d+$`, err.Error())

	// The next error knows nothing of the last one.
	d.step(CommitAsked{Member: "m-9", Generation: 3})
	require.ErrorAs(t, d.out[len(d.out)-1].(CommitEnded).Err, &err)
	require.Equal(t, Error{
		Name: "REBALANCE_IN_PROGRESS", Input: classic.InputCommit, Group: "g", Node: AnyBroker, Generation: NoGeneration, State: classic.PreparingRebalance, Rule: err.Rule,
	}, *err)

	d.step(Poll{})
	d.after(120 * time.Millisecond)
	require.Equal(t, "poll ends: UNEXPECTED", d.answer(classic.InputJoinGroup, classic.Code(999)))
	require.ErrorAs(t, d.out[len(d.out)-1].(PollEnded).Err, &err)
	require.Regexp(t, `JoinGroup at broker 1 in PREPARING_REBALANCE: UNEXPECTED \(a code that no rule expects in this response; the log of the broker may say more\) after UNKNOWN\(999\); rule at classic.yaml:\d+$`, err.Error())
}

// What each rule raises is found as what it is: the answered code, another code, or a named error; and as nothing else.
func TestErrorIs(t *testing.T) {
	core := drive(t).core
	const answered = classic.CodeFencedInstanceID
	core.step.answer = Response{Code: answered, Err: io.ErrUnexpectedEOF}
	targets := []error{classic.CodeNone, classic.Code(999), answered}
	for _, rule := range classic.Rules() {
		switch e := rule.Result.Error(); e.Kind {
		case fsm.ErrorCode:
			targets = append(targets, e.Code)
		case fsm.ErrorNamed:
			targets = append(targets, e.Name)
		}
	}
	kinds := map[fsm.ErrorKind]bool{}
	for _, rule := range classic.Rules() {
		e := rule.Result.Error()
		kinds[e.Kind] = true
		err := core.failure(rule)
		var want error
		switch e.Kind {
		case fsm.ErrorNone:
			require.NoError(t, err, rule)
			continue
		case fsm.ErrorOwn:
			want = answered
		case fsm.ErrorCode:
			want = e.Code
		case fsm.ErrorNamed:
			want = e.Name
		}
		for _, target := range targets {
			require.Equal(t, target == want, errors.Is(fmt.Errorf("poll: %w", err), target), "%s raises %s: is it %s?", rule, want, target)
		}
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "what lies behind it is found too")
	}
	require.Len(t, kinds, 4, "results of each kind")
}

// Who searches logs for a code finds where it was received: an error names no other, whatever rule has raised it.
func TestErrorNamesNoCodeThatWasNotReceived(t *testing.T) {
	core := drive(t).core
	for _, rule := range classic.Rules() {
		for _, answered := range []classic.Code{classic.CodeNone, classic.CodeFencedInstanceID, classic.CodeDisconnect, classic.CodeAbandoned} {
			core.step.answer = Response{Code: answered}
			err := core.failure(rule)
			if err == nil {
				continue
			}
			if answered == classic.CodeAbandoned { // by the member
				require.NotContains(t, err.Error(), answered.String(), rule)
				require.Equal(t, 1, strings.Count(err.Error(), "stopped waiting for the answer"), "%s: %v", rule, err)
			}
			namesOnly(t, answered, err.Error())
		}
	}
}

// namesOnly says that a text names no code but one, which was received.
func namesOnly(t *testing.T, received classic.Code, text string) {
	t.Helper()
	for _, word := range upperCase.FindAllString(text, -1) {
		if code, err := classic.ParseCode(word); err == nil {
			require.Equal(t, received, code, text)
		}
	}
}

var upperCase = regexp.MustCompile(`[A-Z][A-Z_]+[A-Z]`)

// So does a line of the log: of the codes that its rule is for it has the one that was received.
func TestTheLogNamesNoCodeThatWasNotReceived(t *testing.T) {
	j := newJournal(Config{Group: "g"}, drive(t).core.Status())
	for _, rule := range classic.Rules() {
		received := []classic.Code{classic.CodeNone}
		if way := strings.Split(rule.Name, "/"); rule.Input.Kind() == fsm.KindResponse {
			received = nil
			for name := range strings.SplitSeq(way[1], ", ") {
				code, err := classic.ParseCode(name)
				if name == "otherwise" {
					code, err = 999, nil
				}
				require.NoError(t, err, rule)
				received = append(received, code)
			}
		}
		for _, code := range received {
			f := Fired{Rule: rule, Code: code}
			for _, a := range append(j.decision(f), eventAttr{"failure", j.failure(f)}, eventAttr{"codes", nameOf(f)}) {
				namesOnly(t, code, fmt.Sprint(a.value))
			}
			if code == classic.CodeAbandoned {
				require.NotContains(t, ruleName(f), code.String())
			}
		}
	}
}

// Why the commit of a member without an assignment fails is not that its generation has ended.
func TestACommitWithoutAnAssignmentSaysSo(t *testing.T) {
	for name, before := range map[string]func(*driven){
		"was never polled": func(*driven) {},
		"joins":            func(d *driven) { d.step(Poll{}) },
	} {
		d := drive(t)
		before(d)
		d.step(CommitAsked{Generation: NoGeneration})
		err := d.out[len(d.out)-1].(CommitEnded).Err
		require.ErrorIs(t, err, classic.ErrorCommitFailed, name)
		require.ErrorContains(t, err, "commit in UNJOINED: COMMIT_FAILED: the member has no assignment", name)
		require.ErrorContains(t, err, "nothing was committed", name)
	}
}

// Of the errors that have no code, one may be mended by a repetition: that the join was given up.
func TestWhichErrorsMayBeRepeated(t *testing.T) {
	seen := map[classic.ErrorName]bool{}
	for _, rule := range classic.Rules() {
		if e := rule.Result.Error(); e.Kind == fsm.ErrorNamed {
			seen[e.Name] = true
			require.Equal(t, e.Name == classic.ErrorUnjoinedGroup, e.Name.Retriable(), e.Name)
		}
	}
	require.Len(t, seen, 11, "each is raised by some rule")
}

// A code that no catalogue knows is told from another one.
func TestErrorIsUnknownCode(t *testing.T) {
	err := &Error{Name: classic.Code(999).String(), Code: 999}
	require.ErrorIs(t, err, classic.Code(999))
	require.NotErrorIs(t, err, classic.Code(998))
	require.NotErrorIs(t, err, ErrClosed)
}
