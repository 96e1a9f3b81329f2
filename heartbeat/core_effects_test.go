package heartbeat

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/spec"
)

// specification is what package classic decides by. tools/rewire returns the changed one here while it tries a mutant.
func specification(t testing.TB) *spec.Machine {
	machine, err := spec.Load("../spec/classic.yaml")
	require.NoError(t, err)
	return machine
}

// Flags and timers of an effect are changed by generated code; the rest that the specification declares of it is done by a
// method that is written by hand: the callback, the request, and what is taken from an answer or dropped.
func TestEffectsDoWhatIsDeclared(t *testing.T) {
	machine := specification(t)
	for _, effect := range machine.Effects {
		core := drive(t).join().core
		before := core.who
		core.out, core.step = core.out[:0], step{
			who: before, sent: &open{}, answer: Response{Member: "given", Generation: 9, Node: 1, Protocol: new("other")},
		}
		performs(t, core, effect.Name)
		var calls, sends, takes, drops []string
		for _, o := range core.out {
			switch o := o.(type) {
			case Callback:
				calls = append(calls, map[CallbackKind]string{
					CallbackAssigned: "onPartitionsAssigned", CallbackRevoked: "onPartitionsRevoked", CallbackLost: "onPartitionsLost",
				}[o.Kind])
			case RunAssignment:
				calls = append(calls, "onLeaderElected")
			case Request:
				sends = append(sends, o.API.String())
			}
		}
		for _, part := range machine.Identity {
			switch of := partOf(t, part.Name); of(core.who) {
			case of(before):
			case of(nobody):
				drops = append(drops, part.Name)
			case of(identity{"given", 9, "other"}):
				takes = append(takes, part.Name)
			default:
				require.Fail(t, "it is neither what was nor what was answered", "%s: %v", effect.Name, core.who)
			}
		}
		require.ElementsMatch(t, effect.Calls, calls, "%s: calls", effect.Name)
		require.ElementsMatch(t, namesIn(effect.Sends, func(in *spec.Input) string { return in.Name }), sends, "%s: sends", effect.Name)
		require.ElementsMatch(t, namesIn(effect.Takes, func(i *spec.Identity) string { return i.Name }), takes, "%s: takes", effect.Name)
		require.ElementsMatch(t, namesIn(effect.Drops, func(i *spec.Identity) string { return i.Name }), drops, "%s: drops", effect.Name)
	}
}

// performs calls the method of an effect.
func performs(t *testing.T, core *Core, effect string) {
	handler := reflect.ValueOf((*effects)(core))
	name := strings.ReplaceAll(effect, "_", "")
	for i := range handler.NumMethod() {
		if !strings.EqualFold(handler.Type().Method(i).Name, name) {
			continue
		}
		switch method := handler.Method(i).Interface().(type) {
		case func():
			method()
		case func(fsm.Text):
			method("")
		}
		return
	}
	require.Fail(t, "no method is the effect", effect)
}

// partOf returns the part of an identity that the specification names.
func partOf(t *testing.T, name string) func(identity) any {
	switch name {
	case "member_id":
		return func(i identity) any { return i.member }
	case "generation":
		return func(i identity) any { return i.generation }
	}
	require.Fail(t, "no field is this part of the identity", name)
	return nil
}

func namesIn[T any](list []T, name func(T) string) []string {
	var out []string
	for _, x := range list {
		out = append(out, name(x))
	}
	return out
}

// A reset gives the reason that the next JoinGroup carries, the callback and the log.
func TestReasonsOfResets(t *testing.T) {
	const answered = "encountered {code} from {api} response"
	reasons := map[classic.Input]fsm.Text{
		classic.InputJoinGroup: answered, classic.InputSyncGroup: answered, classic.InputHeartbeat: answered, classic.InputOffsetCommit: answered,
		classic.InputLeaseTurn:     "the lease is over",
		classic.InputHeartbeatTurn: "the application did not poll within max.poll.interval.ms",
		classic.InputReleased:      "{given}",
	}
	seen := map[classic.Input]bool{}
	for _, rule := range classic.Rules() {
		for _, do := range rule.Do {
			if slices.Contains([]classic.Effect{classic.EffectResetGeneration, classic.EffectResetIdentity}, do.Effect) {
				require.Equal(t, reasons[rule.Input], do.Text, rule.Name)
				seen[rule.Input] = true
			}
		}
	}
	require.Len(t, seen, len(reasons))
}
