package heartbeat

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

// driven is a Core that a test drives by hand.
type driven struct {
	t    testing.TB
	core *Core
	now  time.Duration
	out  []Output  // of the last step
	open []Request // that wait for their answers
	ids  int       // member ids given
	gen  int32     // the coordinator's
}

// drive makes a Core; the changes are to its Config.
func drive(t testing.TB, changes ...func(*Config)) *driven {
	config := Config{Group: "g", ProtocolType: "consumer", Protocols: []Protocol{{Name: "range"}}}
	for _, change := range changes {
		change(&config)
	}
	core, err := NewCore(config)
	require.NoError(t, err)
	return &driven{t: t, core: core, gen: 4}
}

func static(c *Config) { c.InstanceID = "i" }

func leased(c *Config) { c.Lease = true }

// step tells the Core something, and says what it does: see did.
func (d *driven) step(in Input) string {
	d.out = slices.Clone(d.core.Step(d.now, in))
	for _, o := range d.out {
		if r, ok := o.(Request); ok {
			d.open = append(d.open, r)
		}
	}
	return d.did()
}

// did is what the last step did, without the rules by which it did so: "JoinGroup m-1/5, poll ends".
func (d *driven) did() string {
	var all []string
	for _, o := range d.out {
		if text := deed(o); text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, ", ")
}

// deed is one thing that a Core wants to be done; "" for a rule.
func deed(o Output) string {
	switch o := o.(type) {
	case Request:
		if o.API == classic.InputFindCoordinator {
			return o.API.String()
		}
		return fmt.Sprintf("%s %s/%d", o.API, o.Member, o.Generation)
	case Callback:
		return fmt.Sprintf("%s %d", o.Kind, o.Generation)
	case RunAssignment:
		return "assign"
	case AssignmentAbandoned:
		return "abandon"
	case Abandoned:
		if o.Listen {
			return ""
		}
		return "forget request " + strconv.FormatUint(o.ID, 10)
	case PollEnded:
		return "poll ends" + because(o.Err)
	case CommitEnded:
		return "commit ends" + because(o.Err)
	case Left:
		return "left" + because(o.Err)
	}
	return ""
}

// because is the name of an error, or its text.
func because(err error) string {
	var named *Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &named):
		return ": " + named.Name
	}
	return ": " + err.Error()
}

// rules are the names of those that the last step says have decided.
func (d *driven) rules() (names []string) {
	for _, o := range d.out {
		if f, ok := o.(Fired); ok {
			names = append(names, f.Rule.Name)
		}
	}
	return names
}

// after lets time pass.
func (d *driven) after(pause time.Duration) string {
	d.now += pause
	return d.step(Tick{})
}

// sent is the latest request of an API that waits for its answer.
func (d *driven) sent(api classic.Input) Request {
	d.t.Helper()
	for _, r := range slices.Backward(d.open) {
		if r.API == api {
			return r
		}
	}
	require.Fail(d.t, "no "+api.String()+" waits for its answer")
	return Request{}
}

// answer ends the latest request of an API with a code; what a success of it says can be changed.
func (d *driven) answer(api classic.Input, code classic.Code, changes ...func(*Response)) string {
	d.t.Helper()
	return d.end(d.sent(api), code, changes...)
}

// end ends a request.
func (d *driven) end(sent Request, code classic.Code, changes ...func(*Response)) string {
	d.open = slices.DeleteFunc(d.open, func(r Request) bool { return r.ID == sent.ID })
	r := Response{ID: sent.ID, Code: code}
	switch {
	case code == classic.CodeMemberIDRequired:
		r.Member = d.newID()
	case code != classic.CodeNone:
	case sent.API == classic.InputFindCoordinator:
		r.Node = 1
	case sent.API == classic.InputJoinGroup:
		d.gen++
		r.Generation, r.Leader, r.Member, r.Protocol = d.gen, "leader", sent.Member, new("range")
		if r.Member == "" {
			r.Member = d.newID()
		}
	case sent.API == classic.InputSyncGroup:
		r.Assignment = fmt.Appendf(nil, "of %d", sent.Generation)
	}
	for _, change := range changes {
		change(&r)
	}
	return d.step(r)
}

func (d *driven) newID() string {
	d.ids++
	return fmt.Sprintf("m-%d", d.ids)
}

func leads(r *Response) {
	r.Leader, r.Members = r.Member, []JoinMember{{ID: r.Member}, {ID: "other"}}
}

// join polls a member that is not in the group into it.
func (d *driven) join() *driven {
	d.t.Helper()
	d.step(Poll{})
	if !d.core.has(classic.CoordinatorKnown) {
		d.answer(classic.InputFindCoordinator, classic.CodeNone)
	}
	d.rejoin()
	return d
}

// joinLeased polls a member with a lease into the group.
func (d *driven) joinLeased() *driven {
	d.t.Helper()
	d.step(Poll{})
	if !d.core.has(classic.CoordinatorKnown) {
		d.answer(classic.InputFindCoordinator, classic.CodeNone)
	}
	d.answer(classic.InputJoinGroup, classic.CodeNone)
	beat := fmt.Sprintf("Heartbeat %s/%d", d.core.who.member, d.gen)
	require.Equal(d.t, beat, d.answer(classic.InputSyncGroup, classic.CodeNone), "the work begins when it is answered")
	require.Equal(d.t, fmt.Sprintf("assigned %d", d.gen), d.answer(classic.InputHeartbeat, classic.CodeNone))
	require.Equal(d.t, "poll ends", d.step(CallbackEnded{}))
	return d
}

// rejoin goes on from where JoinGroup was sent, until the poll has ended.
func (d *driven) rejoin() {
	d.t.Helper()
	d.answer(classic.InputJoinGroup, classic.CodeNone)
	d.answer(classic.InputSyncGroup, classic.CodeNone)
	require.Equal(d.t, fmt.Sprintf("assigned %d", d.gen), d.did())
	require.Equal(d.t, "poll ends", d.step(CallbackEnded{}))
	require.Equal(d.t, classic.Stable, d.state())
}

func (d *driven) state() classic.State { return d.core.memory.State }

// beat lets the next heartbeat be sent.
func (d *driven) beat() Request {
	d.t.Helper()
	d.now = d.core.clocks.end(classic.TimerInterval)
	require.Contains(d.t, d.step(Tick{}), "Heartbeat ")
	return d.sent(classic.InputHeartbeat)
}

// underway reports whether a request of this API waits for its answer.
func (c *Core) underway(api classic.Input) bool {
	return slices.ContainsFunc(c.open, func(o open) bool { return o.request.API == api })
}
