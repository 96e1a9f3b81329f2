package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"go.yaml.in/yaml/v4"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/kbeat/event"
	"github.com/kbeat/kbeat/tools/kbeat/live"
)

func TestAdviceIsAboutCodesThatThereAre(t *testing.T) {
	var texts map[string]string
	require.NoError(t, yaml.Load(adviceText, &texts))
	require.NotEmpty(t, texts)
	for name, text := range texts {
		_, err := classic.ParseCode(name)
		require.NoError(t, err)
		require.NotEmpty(t, text, name)
		require.NotContains(t, text, "\n", name)
	}
}

// Whatever a rule of its own raises to a poll, somebody will read and want to know what to do.
func TestThereIsAdviceForWhatIsRaised(t *testing.T) {
	told := map[classic.Code]string{ // where there is none, because the program itself would be wrong
		classic.CodeInvalidRequest:                     "the request is made by this module",
		classic.CodeTransactionalIDAuthorizationFailed: "nobody asks for a transaction's coordinator",
	}
	for number := int16(-2000); number < 200; number++ {
		code := classic.Code(number)
		m := classic.Memory{State: classic.PreparingRebalance, Flags: classic.CoordinatorKnown}
		rules := []*classic.Rule{classic.DecideFindCoordinator(m, code, classic.FindCoordinatorGuards{})}
		if strings.HasPrefix(rules[0].Name, "FindCoordinator/otherwise") {
			rules = nil
		}
		for _, rule := range classic.Rules() { // a rule's name has the codes that it is for
			path := strings.Split(rule.Name, "/")
			if len(path) > 1 && rule.Input.Kind() == fsm.KindResponse && rule.Input != classic.InputOffsetCommit &&
				slices.Contains(strings.Split(path[1], ", "), code.String()) {
				rules = append(rules, rule)
			}
		}
		for _, rule := range rules {
			raises := rule.Result.Class() == fsm.ClassFatal && rule.Result.Error().Kind == fsm.ErrorOwn
			if _, ok := told[code]; raises && !ok {
				require.NotEmpty(t, advice(code.String()), "%s is raised by %s at %s", code, rule.Name, rule.At())
			}
		}
	}
}

func TestExplain(t *testing.T) {
	rule := classic.DecideFindCoordinator(classic.Initial(), classic.CodeGroupAuthorizationFailed, classic.FindCoordinatorGuards{})
	for want, err := range map[string]error{
		`group "g": FindCoordinator: GROUP_AUTHORIZATION_FAILED (` + sentence(classic.CodeGroupAuthorizationFailed.Message()) +
			`): the broker said so; grant READ on the group to this user, or choose another --group [` + rule.At() + `]`: fmt.Errorf("m1: %w", &heartbeat.Error{
			Name: "GROUP_AUTHORIZATION_FAILED", Input: classic.InputFindCoordinator, Code: classic.CodeGroupAuthorizationFailed,
			Group: "g", Rule: rule, Err: errors.New("the broker\nsaid so"),
		}),
		`group "g": assignment_failed: ASSIGNMENT: no topics`: &heartbeat.Error{
			Name: "ASSIGNMENT", Input: classic.InputAssignmentFailed, Group: "g", Err: errors.New("no topics"),
		},
		"--heartbeat-interval is 3s, not less than --session-timeout (1s)": &heartbeat.ConfigError{Field: "HeartbeatInterval", Problem: "is 3s, not less than SessionTimeout (1s)"},
		`topic "t": UNKNOWN_TOPIC_OR_PARTITION (This server does not host this topic-partition); create it, or correct --topic; a user without DESCRIBE on it is told the same`: &live.TopicError{Topic: "t", Err: kerr.UnknownTopicOrPartition},
		"something else": errors.New("something else"),
	} {
		require.Equal(t, want, explain(err))
	}
}

func TestHelpNamesEveryKind(t *testing.T) {
	for _, kind := range event.Kinds() {
		require.Regexp(t, `(?m)^  `+string(kind)+` +\S`, runHelp, "kbeat run --help lacks the kind")
	}
	for line := range strings.Lines(runHelp) {
		require.LessOrEqual(t, len(line), 116)
	}
}
