package fsm_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"testing"
	"unsafe"

	looplab "github.com/looplab/fsm"
	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm"
)

// Each test here shows a hazard of looplab/fsm, and then that a Machine does not have it. Where the first half fails the
// library has mended its ways, and what keeps the hazard out can go.

// light is the machine of these tests: red, green, yellow, red; and a lamp that is tested without changing.
type light string

const red, green, yellow light = "red", "green", "yellow"

func (l light) String() string { return string(l) }

var ways = []fsm.Edge[light]{
	{Event: "go", From: red, To: green},
	{Event: "warn", From: green, To: yellow},
	{Event: "stop", From: yellow, To: red},
	{Event: "test", From: red, To: red},
}

func machine(t *testing.T, hooks fsm.Hooks[light]) *fsm.Machine[light] {
	d, err := fsm.NewDefinition(red, light.String, ways)
	require.NoError(t, err)
	return d.Machine(hooks)
}

func bare(callbacks looplab.Callbacks) *looplab.FSM {
	var events looplab.Events
	for _, e := range ways {
		events = append(events, looplab.EventDesc{Name: e.Event, Src: []string{e.From.String()}, Dst: e.To.String()})
	}
	return looplab.NewFSM(red.String(), events, callbacks)
}

func TestContextThatEndsInTheMiddleOfAMove(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b := bare(looplab.Callbacks{"leave_red": func(context.Context, *looplab.Event) { cancel() }})
	require.ErrorIs(t, b.Event(ctx, "go"), context.Canceled)
	require.ErrorAs(t, b.Event(t.Context(), "go"), new(looplab.InTransitionError), "the bare machine is stuck for ever")

	m := machine(t, fsm.Hooks[light]{Leave: func(light) { cancel() }})
	require.NoError(t, m.Fire("go"))
	require.NoError(t, m.Fire("warn"))
	require.Equal(t, yellow, m.State())
}

func TestPanicInACallback(t *testing.T) {
	b := bare(looplab.Callbacks{"leave_red": func(context.Context, *looplab.Event) { panic("a bug of the user") }})
	require.Panics(t, func() { _ = b.Event(t.Context(), "go") })
	require.ErrorAs(t, b.Event(t.Context(), "go"), new(looplab.InTransitionError), "the bare machine is stuck for ever")

	for _, name := range []string{"leave", "transition", "enter"} {
		panics := true
		hooks := fsm.Hooks[light]{
			Leave:      func(light) { panicIf(panics && name == "leave") },
			Transition: func(light, light, string) { panicIf(panics && name == "transition") },
			Enter:      func(light) { panicIf(panics && name == "enter") },
		}
		m := machine(t, hooks)
		require.Panics(t, func() { _ = m.Fire("go") }, name)
		panics = false
		require.Equal(t, green, m.State(), "a hook that panics has been told of a move that was made")
		require.NoError(t, m.Fire("warn"), name)
	}
}

func panicIf(yes bool) {
	if yes {
		panic("a bug of the user")
	}
}

// deadlocks are calls of the bare machine from its own callbacks that never return.
var deadlocks = map[string]looplab.Callbacks{
	"Event in before":    {"before_go": func(ctx context.Context, e *looplab.Event) { _ = e.FSM.Event(ctx, "go") }},
	"Event in leave":     {"leave_red": func(ctx context.Context, e *looplab.Event) { _ = e.FSM.Event(ctx, "go") }},
	"Can in before":      {"before_go": func(_ context.Context, e *looplab.Event) { e.FSM.Can("go") }},
	"Can in leave":       {"leave_red": func(_ context.Context, e *looplab.Event) { e.FSM.Can("go") }},
	"SetState in before": {"before_go": func(_ context.Context, e *looplab.Event) { e.FSM.SetState("red") }},
	"SetState in leave":  {"leave_red": func(_ context.Context, e *looplab.Event) { e.FSM.SetState("red") }},
}

func TestCallsFromCallbacks(t *testing.T) {
	for name := range deadlocks {
		out := child(t, "deadlock", name)
		require.Contains(t, out, "waits for itself", name)
	}

	var m *fsm.Machine[light]
	calls := 0
	call := func() {
		if calls++; calls > 3 {
			return
		}
		m.Can("go")
		m.Available()
		require.NoError(t, m.Reset(red))
		require.NoError(t, m.Fire("go"))
	}
	m = machine(t, fsm.Hooks[light]{
		Leave:      func(light) { call() },
		Transition: func(light, light, string) { call() },
		Enter:      func(light) { call() },
	})
	require.NoError(t, m.Fire("go"))
	require.Equal(t, green, m.State())
	require.Greater(t, calls, 3)
}

func TestCallbackOfTheStateThatWasEntered(t *testing.T) {
	require.Regexp(t, "entered green, and ran the callback of yellow|DATA RACE", child(t, "race", ""))

	// The hooks are told what was moved, not what the state is by then.
	var told []string
	var m *fsm.Machine[light]
	m = machine(t, fsm.Hooks[light]{
		Transition: func(_, to light, _ string) {
			if to == green {
				require.NoError(t, m.Fire("warn"))
			}
		},
		Enter: func(l light) { told = append(told, l.String()) },
	})
	require.NoError(t, m.Fire("go"))
	require.Equal(t, []string{"yellow", "green"}, told)
	require.Equal(t, yellow, m.State())
}

func TestWayBackToTheSameState(t *testing.T) {
	require.ErrorAs(t, bare(nil).Event(t.Context(), "test"), new(looplab.NoTransitionError))

	var told []string
	m := machine(t, fsm.Hooks[light]{
		Leave:      func(light) { told = append(told, "left") },
		Transition: func(from, to light, event string) { told = append(told, fmt.Sprint(from, event, to)) },
		Enter:      func(light) { told = append(told, "entered") },
	})
	require.NoError(t, m.Fire("test"))
	require.Equal(t, []string{"redtestred"}, told, "it is a move, in which nothing is left or entered")
}

func TestTwoWaysByOneEvent(t *testing.T) {
	b := looplab.NewFSM("red", looplab.Events{
		{Name: "go", Src: []string{"red"}, Dst: "green"},
		{Name: "go", Src: []string{"red"}, Dst: "yellow"},
	}, nil)
	require.NoError(t, b.Event(t.Context(), "go"))
	require.Equal(t, "yellow", b.Current(), "the bare machine has silently forgotten the first way")

	_, err := fsm.NewDefinition(red, light.String, append(ways, fsm.Edge[light]{Event: "go", From: red, To: yellow}))
	require.ErrorIs(t, err, fsm.ErrUndefined)
	require.ErrorContains(t, err, `go leads from "red" to "green" and to "yellow"`)
}

func TestMisspeltCallback(t *testing.T) {
	b := bare(looplab.Callbacks{"enter_gren": func(context.Context, *looplab.Event) { panic("called") }})
	require.NotPanics(t, func() { _ = b.Event(t.Context(), "go") }, "the bare machine silently never calls it")

	// Hooks are fields: one that is misspelt does not compile. They are given each state, so that none is named at all.
	entered := light("")
	m := machine(t, fsm.Hooks[light]{Enter: func(l light) { entered = l }})
	require.NoError(t, m.Fire("go"))
	require.Equal(t, green, entered)
}

func TestStateThatDoesNotExist(t *testing.T) {
	b := bare(nil)
	b.SetState("purple")
	require.Equal(t, "purple", b.Current())

	m := machine(t, fsm.Hooks[light]{})
	require.ErrorIs(t, m.Reset("purple"), fsm.ErrUnknownState)
	require.Equal(t, red, m.State())
	require.NoError(t, m.Reset(yellow))
	require.Equal(t, yellow, m.State())
}

func TestSizeOfAMachine(t *testing.T) {
	// A machine with as many ways as the classic protocol has; its size is that of its maps.
	var events looplab.Events
	var edges []fsm.Edge[light]
	for i := range 150 {
		name := fmt.Sprintf("event %d", i)
		events = append(events, looplab.EventDesc{Name: name, Src: []string{"red"}, Dst: "green"})
		edges = append(edges, fsm.Edge[light]{Event: name, From: red, To: green})
	}
	d, err := fsm.NewDefinition(red, light.String, edges)
	require.NoError(t, err)
	var keepBare *looplab.FSM
	var keep *fsm.Machine[light]
	require.Greater(t, bytesOf(func() { keepBare = looplab.NewFSM("red", events, nil) }), uint64(10_000))
	require.Greater(t, testing.AllocsPerRun(10, func() { keepBare = looplab.NewFSM("red", events, nil) }), 10.0)
	require.LessOrEqual(t, bytesOf(func() { keep = d.Machine(fsm.Hooks[light]{}) }), uint64(64))
	require.LessOrEqual(t, testing.AllocsPerRun(10, func() { keep = d.Machine(fsm.Hooks[light]{}) }), 1.0)
	require.LessOrEqual(t, unsafe.Sizeof(*keep), uintptr(64))
	runtime.KeepAlive(keepBare)

	other := d.Machine(fsm.Hooks[light]{})
	require.NoError(t, keep.Fire("event 1"))
	require.Equal(t, green, keep.State())
	require.Equal(t, red, other.State(), "machines of one definition do not disturb each other")
	require.True(t, other.Can("event 1"))
	require.False(t, keep.Can("event 1"))
}

// bytesOf is how much one call allocates, the least of several since the runtime allocates too.
func bytesOf(f func()) uint64 {
	least := ^uint64(0)
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

// TestMain lets the test binary be the process in which a hazard is shown that leaves stuck goroutines or races behind.
func TestMain(m *testing.M) {
	switch os.Getenv("FSM_TEST_HAZARD") {
	case "":
		os.Exit(m.Run())
	case "deadlock":
		deadlock(deadlocks[os.Getenv("FSM_TEST_ARGUMENT")])
	case "race":
		race()
	}
}

// child runs a hazard in a process of its own and returns what it said.
func child(t *testing.T, hazard, argument string) string {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "FSM_TEST_HAZARD="+hazard, "FSM_TEST_ARGUMENT="+argument, "GORACE=halt_on_error=1")
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return string(out)
}

// deadlock ends when the goroutine that fires an event waits for a lock which it holds itself.
func deadlock(callbacks looplab.Callbacks) {
	go func() {
		_ = bare(callbacks).Event(context.Background(), "go")
		fmt.Println("came back")
		os.Exit(1)
	}()
	buf := make([]byte, 1<<20)
	for {
		runtime.Gosched()
		stacks := buf[:runtime.Stack(buf, true)]
		if bytes.Contains(stacks, []byte("Mutex.Lock]")) && bytes.Contains(stacks, []byte("looplab/fsm.(*FSM).Event")) {
			fmt.Println("waits for itself")
			return
		}
	}
}

// race lets a second goroutine set the state while the first one moves, until the bare machine, having entered green, runs the
// callback of yellow: it looks the callback up by the state of that moment, without its lock.
func race() {
	var seen atomic.Bool
	b := bare(looplab.Callbacks{"enter_yellow": func(_ context.Context, e *looplab.Event) {
		if e.Dst == "green" {
			seen.Store(true)
		}
	}})
	go func() {
		for !seen.Load() {
			b.SetState("yellow")
		}
	}()
	for range 20_000_000 {
		b.SetState("red")
		_ = b.Event(context.Background(), "go")
		if seen.Load() {
			fmt.Println("entered green, and ran the callback of yellow")
			return
		}
	}
}
