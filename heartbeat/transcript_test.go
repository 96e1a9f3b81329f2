package heartbeat_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// Each file of testdata/scenarios is a fault that clients of Kafka really had: it says what is shown and why it matters,
// and then has commands, with all that happens printed under each. `-rewrite` renews it; the diff is to be reviewed.
//
//	begin [session=45s] [poll=5m] [request=30s] [instance=i]
//	                                             a new broker, and a member that has not been polled
//	member NAME [instance=i]                     another one; the commands below take its name as NAME
//	poll [NAME] [ctx=1s] [for=100ms]             polls until the poll has ended, or for that long
//	commit, leave, close [NAME] [ctx=1s] [for=100ms]
//	rejoin REASON                                asks for a rejoin
//	advance DURATION                             lets time pass
//	answer API CODE [times=2]                    says what becomes of the next requests (CODE: of the catalogue, or
//	                                             cut, garbage or nothing for what is no answer; times=0: all)
//	hold API, release API [CODE]                 holds the next one, and lets the one held longest be answered
//	delay API, release API                       the next one is answered, and the answer is held
//	kick [NAME]                                  the coordinator forgets the member
//	forget                                       the coordinator forgets the whole group
//	callback KIND [takes=1s] [fails]             says what the next callback does
//	expect                                       lines that begin so have been printed since the last expect, in that
//	                                             order; `...` is anything, and `no LINE` has not been printed
//
// Printed is the time in seconds, and what has happened: a rule has decided, a request has come to the broker (sent), the
// application is told something (app), a call of its has ended. The last line says what the member is then.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/scenarios/*")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{fired: map[string]bool{}}
				defer s.end()
				datadriven.RunTestAny(quiet{t}, file, func(_ testing.TB, d *datadriven.TestData) string {
					s.t, s.d = t, d
					return s.do()
				})
			})
		})
	}
}

// quiet drops what datadriven logs, which in virtual time is a line each ten seconds that a test lets pass.
type quiet struct{ testing.TB }

func (quiet) Logf(string, ...any) {}

// script is a transcript that runs.
type script struct {
	t     *testing.T
	d     *datadriven.TestData
	world *world
	apps  map[string]*app
	order []string // of the apps
	fired map[string]bool
	was   string   // what the members were after the last command
	lines []string // printed since the last expect
	fresh bool     // the last command was an expect
}

func (s *script) end() {
	if s.world != nil {
		s.world.close()
	}
}

// do runs one command.
func (s *script) do() string {
	if s.d.Cmd != "expect" && s.fresh {
		s.lines, s.fresh = nil, false
	}
	commands := map[string]func(){
		"begin": s.begin, "member": s.member, "poll": s.poll, "commit": s.commit, "leave": s.leave, "close": s.close,
		"rejoin": s.rejoin, "advance": s.advance, "answer": s.answer, "hold": s.hold, "delay": s.delay, "release": s.release,
		"kick": s.kick, "forget": s.forget, "callback": s.callback,
	}
	tables := map[string]func() string{"expect": s.expect, "late": s.late, "each": s.each, "missing": s.missing}
	if table := tables[s.d.Cmd]; table != nil {
		return table()
	}
	command := commands[s.d.Cmd]
	if command == nil {
		s.d.Fatalf(s.t, "unknown command")
	}
	command()
	synctest.Wait()
	happened, now := s.print(s.world.diary.take()), s.now()
	if happened == "" && now == s.was && s.d.Cmd != "begin" {
		return ""
	}
	s.was = now
	return happened + now
}

// print writes entries down.
func (s *script) print(entries []entry) string {
	var b strings.Builder
	for _, e := range entries {
		s.fired[e.rule] = true
		if len(s.apps) == 1 {
			e.who = ""
		}
		b.WriteString(e.String() + "\n")
		s.lines = append(s.lines, fmt.Sprintf("%s %s", e.kind, e.text))
	}
	return b.String()
}

// now says what each member is.
func (s *script) now() string {
	var b strings.Builder
	for _, name := range s.order {
		line := s.world.diary.named(status(s.apps[name].Status()))
		if len(s.apps) > 1 {
			line = name + ": " + line
		}
		fmt.Fprintf(&b, "%8s %-4s %s\n", "", "now", line)
		s.lines = append(s.lines, "now "+line)
	}
	return b.String()
}

func status(st heartbeat.Status) string {
	text := st.State.String()
	if st.Member != "" {
		text += " member=" + st.Member
	}
	if st.Generation != heartbeat.NoGeneration {
		text += fmt.Sprintf(" generation=%d", st.Generation)
	}
	if st.Flags.Has(classic.RejoinNeeded) {
		text += fmt.Sprintf(" rejoin=%q", st.Reason)
	}
	if st.Heartbeats > 0 {
		text += fmt.Sprintf(" heartbeats=%d", st.Heartbeats)
	}
	if !st.Flags.Has(classic.CoordinatorKnown) {
		text += " coordinator=unknown"
	}
	return text
}

// expect is what keeps a rewritten transcript honest.
func (s *script) expect() string {
	s.fresh = true
	rest := s.lines
	for want := range strings.Lines(s.d.Input) {
		want = strings.TrimSpace(want)
		unwanted, none := strings.CutPrefix(want, "no ")
		found := -1
		for i, line := range rest {
			if matches(line, unwanted) {
				found = i
				break
			}
		}
		switch {
		case none && found >= 0:
			s.d.Fatalf(s.t, "%q has been printed: %s", unwanted, rest[found])
		case !none && found < 0:
			s.d.Fatalf(s.t, "%q has not been printed (in this order) since the last expect:\n%s", want, strings.Join(s.lines, "\n"))
		case !none:
			rest = rest[found+1:]
		}
	}
	return "ok\n"
}

// matches says whether a line begins as wanted; "..." stands for anything.
func matches(line, want string) bool {
	for i, part := range strings.Split(want, "...") {
		at := strings.Index(line, strings.TrimSpace(part))
		if at < 0 || i == 0 && at > 0 {
			return false
		}
		line = line[at+len(strings.TrimSpace(part)):]
	}
	return true
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

// duration is the argument with this name, or def.
func (s *script) duration(name string, def time.Duration) time.Duration {
	for _, a := range s.d.CmdArgs {
		if a.Key == name {
			d, err := time.ParseDuration(a.Vals[0])
			if err != nil {
				s.d.Fatalf(s.t, "%s: %v", name, err)
			}
			return d
		}
	}
	return def
}

// app is the member that the first argument names, or the only one.
func (s *script) app() *app {
	if a := s.apps[s.arg(0)]; a != nil {
		return a
	}
	return s.apps["a"]
}
