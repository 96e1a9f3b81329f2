package coordinator_test

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// backend is a coordinator of a group of its own.
type backend interface {
	// send sends a request. It returns at once, and answers by the end of a later pass, or never.
	send(r heartbeat.Request, answer func(answer))
	// remove is an administrator's LeaveGroup, of several members.
	remove(members []heartbeat.JoinMember, answer func(answer))
	// describe asks what the group is at.
	describe(answer func(answer))
	// restart ends the coordinator and begins another with what was stored.
	restart()
	// pass lets time pass.
	pass(time.Duration)
}

// answer is what a backend says.
type answer struct {
	heartbeat.Response                // to send
	left               []classic.Code // to remove, of each member
	state              string         // to describe
	ids                []string       // to describe: who is a member
}

// stepTime passes with each request: an answer that is there within it came at once.
const stepTime = 200 * time.Millisecond

// player plays one script to one backend.
type player struct {
	t        testing.TB
	backend  backend
	people   []*person
	names    map[string]string // of member ids
	requests int
	told     *transcript

	mu    sync.Mutex
	inbox []said
	open  []asked // not yet answered
}

// person is who sends requests: a process, as far as a coordinator sees it.
type person struct {
	name, id   string
	instance   string
	generation int32
	session    time.Duration
	rebalance  time.Duration
	kind       string // protocol type
	protocols  []heartbeat.Protocol
}

// asked is a request.
type asked struct {
	number int
	step   step
	who    *person // nil where nobody of the script asks
	api    classic.Input
}

// said is an answer to a request.
type said struct {
	asked
	answer
}

// play is the transcript of a script.
func play(t testing.TB, s script, b backend) string {
	p := newPlayer(t, b)
	p.play(s.steps)
	return p.end()
}

func newPlayer(t testing.TB, b backend) *player {
	return &player{t: t, backend: b, names: map[string]string{"": "-"}, told: &transcript{}}
}

func (p *player) play(steps []step) {
	for _, s := range steps {
		p.do(s)
	}
}

// end is the transcript, when all was played.
func (p *player) end() string {
	for _, a := range p.open {
		p.told.line("never answered: %s", a.step)
	}
	return p.told.String()
}

func (p *player) do(s step) {
	switch s.verb {
	case "wait":
		d, err := time.ParseDuration(s.args[0])
		require.NoError(p.t, err)
		p.backend.pass(d)
		p.report(s, 0)
	case "restart":
		p.backend.restart()
		p.report(s, 0)
	case "has":
		p.person(s.who).has(p.t, s.args)
	case "describe":
		p.ask(s, nil, 0, p.backend.describe)
	case "remove":
		members := p.removed(s.args)
		p.ask(s, nil, 0, func(f func(answer)) { p.backend.remove(members, f) })
	default:
		who := p.person(s.who)
		r := p.request(who, s)
		p.ask(s, who, r.API, func(f func(answer)) { p.backend.send(r, f) })
	}
}

// ask sends a request, and reports what is answered before the next step.
func (p *player) ask(s step, who *person, api classic.Input, send func(func(answer))) {
	p.requests++
	a := asked{number: p.requests, step: s, who: who, api: api}
	p.mu.Lock()
	p.open = append(p.open, a)
	p.mu.Unlock()
	send(func(r answer) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.inbox = append(p.inbox, said{a, r})
	})
	p.backend.pass(stepTime)
	p.report(s, a.number)
}

// report writes down what was answered in a step: first to the request of that step, then to earlier ones. In which order
// those came cannot be told, since each comes over a connection of its own.
func (p *player) report(s step, number int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var own, earlier []said
	for _, a := range p.inbox {
		if a.number == number {
			own = append(own, a)
		} else {
			earlier = append(earlier, a)
		}
	}
	p.inbox = nil
	slices.SortFunc(earlier, func(a, b said) int {
		return cmp.Or(cmp.Compare(a.step.who, b.step.who), cmp.Compare(a.number, b.number))
	})
	for _, a := range slices.Concat(own, earlier) {
		p.learn(a)
		p.open = slices.DeleteFunc(p.open, func(o asked) bool { return o.number == a.number })
	}
	switch {
	case number == 0:
		p.told.line("%s", s)
	case own == nil:
		p.told.line("%s: held", s)
	}
	for _, a := range own {
		p.told.line("%s: %s", s, p.render(a))
	}
	for _, a := range earlier {
		p.told.line("  %s: %s", a.step, p.render(a))
	}
}

// learn lets a member learn what it is told of itself.
func (p *player) learn(a said) {
	if a.api != classic.InputJoinGroup || a.Code != classic.CodeNone && a.Code != classic.CodeMemberIDRequired {
		return
	}
	if _, known := p.names[a.Member]; !known {
		name := a.who.name
		for n := 2; slices.Contains(slices.Collect(maps.Values(p.names)), name); n++ {
			name = a.who.name + "." + strconv.Itoa(n)
		}
		p.names[a.Member] = name
	}
	a.who.id, a.who.generation = a.Member, a.Generation
	if a.Code != classic.CodeNone {
		a.who.generation = heartbeat.NoGeneration
	}
}

// person is who has this name.
func (p *player) person(name string) *person {
	for _, x := range p.people {
		if x.name == name {
			return x
		}
	}
	x := &person{
		name: name, generation: heartbeat.NoGeneration, session: 30 * time.Second, rebalance: 30 * time.Second, kind: "work",
		protocols: []heartbeat.Protocol{{Name: "range", Metadata: []byte(name)}},
	}
	p.people = append(p.people, x)
	return x
}

// has changes what a person says of itself.
func (x *person) has(t testing.TB, args []string) {
	for _, arg := range args {
		key, value, _ := strings.Cut(arg, "=")
		var err error
		switch key {
		case "instance":
			x.instance = value
		case "session":
			x.session, err = time.ParseDuration(value)
		case "rebalance":
			x.rebalance, err = time.ParseDuration(value)
		case "type":
			x.kind = value
		case "protocols": // name:metadata,…
			x.protocols = nil
			for _, offer := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' }) {
				name, metadata, _ := strings.Cut(offer, ":")
				x.protocols = append(x.protocols, heartbeat.Protocol{Name: name, Metadata: []byte(metadata)})
			}
		default:
			require.Fail(t, "nobody can have that", arg)
		}
		require.NoError(t, err, arg)
	}
}
