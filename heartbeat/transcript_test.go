package heartbeat_test

import (
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
)

// Each file of testdata/scenarios is a fault that clients of Kafka really had: it says what is shown and why it matters,
// and then has commands, with all that happens printed under each. README.md there lists the files and the commands.
// `-rewrite` renews what is printed, never what is expected of it; the diff is to be reviewed.
//
// Printed is the time in seconds, and what has happened: a rule has decided, a request has come to the broker (sent), the
// application is told something (app), a call of its has ended, something is logged (log, where `begin` asks for it). What
// comes again and again at one pace is printed once. The last line says what the member is then.
func TestScenarios(t *testing.T) {
	for _, file := range scenarioFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			outside := newRealTime()
			defer outside.close()
			synctest.Test(t, func(t *testing.T) {
				s := &script{real: outside, fired: map[string]bool{}}
				defer s.end()
				datadriven.RunTestAny(quiet{t}, file, func(_ testing.TB, d *datadriven.TestData) string {
					s.t, s.d = t, d
					return s.do()
				})
			})
		})
	}
}

const scenarioDir = "testdata/scenarios"

// scenarioFiles is every file of the folder but the index.
func scenarioFiles(t *testing.T) []string {
	files, err := filepath.Glob(filepath.Join(scenarioDir, "*"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return slices.DeleteFunc(files, func(f string) bool { return filepath.Ext(f) == ".md" })
}

// quiet drops what datadriven logs, which in virtual time is a line each ten seconds that a test lets pass.
type quiet struct{ testing.TB }

func (quiet) Logf(string, ...any) {}

// script is a transcript that runs.
type script struct {
	t       *testing.T
	d       *datadriven.TestData
	real    *realTime
	world   *world
	carrier *faults // of requests
	apps    map[string]*app
	order   []string // of the apps
	shown   []kind   // what is printed; all where there is none
	fired   map[string]bool
	was     string // what the members were after the last command

	since time.Duration // when the last expect was
	lines []line        // since then
	fresh bool          // the last command was an expect
}

// line is one thing that has happened, printed or not.
type line struct {
	at   time.Duration
	text string
}

func (s *script) end() {
	if s.world != nil {
		s.world.close()
		time.Sleep(24 * time.Hour) // what the application does may take long, and nobody has waited for it
	}
}

// do runs one command.
func (s *script) do() string {
	if s.d.Cmd != "expect" && s.fresh {
		s.lines, s.fresh = nil, false
		s.since = s.now()
	}
	c, ok := commandNamed(s.d.Cmd)
	if !ok {
		s.d.Fatalf(s.t, "unknown command")
	}
	if s.d.Cmd != "expect" && s.d.Cmd != "missing" && s.d.Input != "" {
		s.d.Fatalf(s.t, "%s is one line; what follows it is %q", s.d.Cmd, s.d.Input)
	}
	if c.prints != nil {
		return c.prints(s)
	}
	c.does(s)
	synctest.Wait()
	happened, now := s.print(s.world.diary.take()), s.members()
	if happened == "" && now == s.was && s.d.Cmd != "begin" {
		return ""
	}
	s.was = now
	return happened + now
}

// now is the time that has passed since the last begin.
func (s *script) now() time.Duration {
	if s.world == nil {
		return 0
	}
	return s.world.diary.now()
}

// arg is the i-th argument without a value, or "".
func (s *script) arg(i int) string {
	for _, a := range s.d.CmdArgs {
		if len(a.Vals) > 0 {
			continue
		}
		if i == 0 {
			return a.Key
		}
		i--
	}
	return ""
}

// has reports whether a word is among the arguments without a value.
func (s *script) has(word string) bool {
	for _, a := range s.d.CmdArgs {
		if a.Key == word && len(a.Vals) == 0 {
			return true
		}
	}
	return false
}

// duration is the argument with this name, or def.
func (s *script) duration(name string, def time.Duration) time.Duration {
	for _, a := range s.d.CmdArgs {
		if a.Key == name {
			return s.parse(a.Vals[0])
		}
	}
	return def
}

func (s *script) parse(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		s.d.Fatalf(s.t, "%v", err)
	}
	return d
}

// app is the member that one of the arguments names, or the first one.
func (s *script) app() *app {
	for _, name := range s.order {
		if s.has(name) {
			return s.apps[name]
		}
	}
	return s.apps[s.order[0]]
}
