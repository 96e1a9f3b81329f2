package world

import (
	"slices"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/sim/judge"
)

// mistake is what a faulty member does, and what it must be found out by.
type mistake struct {
	name   string
	breaks judge.Invariant
	seed   uint64
	hears  func(f *faulty, in heartbeat.Input) heartbeat.Input
	speaks func(f *faulty, o heartbeat.Output) []heartbeat.Output
	adds   func(f *faulty, in heartbeat.Input) []heartbeat.Output
	config func(*heartbeat.Config) // what the Core is made with instead
	plan   func(*Plan)             // changes the seed's; nil: nothing
}

func (m mistake) core(_ string, config heartbeat.Config) (Core, error) {
	if m.config != nil {
		m.config(&config)
	}
	core, err := heartbeat.NewCore(config)
	return &faulty{Core: core, hears: m.hears, speaks: m.speaks, adds: m.adds}, err
}

// only leaves a plan no other acts but births and those that are given.
func only(acts ...Act) func(*Plan) {
	return func(p *Plan) {
		p.Acts = slices.DeleteFunc(p.Acts, func(a Act) bool { return a.Kind != Birth })
		p.Acts = append(p.Acts, acts...)
	}
}

// leased makes all members eager ones with leases, besides.
func leased(acts ...Act) func(*Plan) {
	return func(p *Plan) {
		only(acts...)(p)
		p.Cooperative = false
		for i := range p.People {
			p.People[i].Lease = true
		}
	}
}

func isRequest(o heartbeat.Output, api classic.Input) (heartbeat.Request, bool) {
	r, ok := o.(heartbeat.Request)
	return r, ok && r.API == api
}

func isCallback(o heartbeat.Output, kind heartbeat.CallbackKind) bool {
	c, ok := o.(heartbeat.Callback)
	return ok && c.Kind == kind
}

func as(o ...heartbeat.Output) []heartbeat.Output { return o }

func mistakes() []mistake {
	return []mistake{{
		name: "a leader gives one member's partitions to all", breaks: judge.OneOwner, seed: 1,
		speaks: func(_ *faulty, o heartbeat.Output) []heartbeat.Output {
			if r, ok := isRequest(o, classic.InputSyncGroup); ok && len(r.Assignments) > 1 {
				r.Assignments = slices.Clone(r.Assignments)
				for i := range r.Assignments {
					r.Assignments[i].Data = r.Assignments[0].Data
				}
				return as(r)
			}
			return as(o)
		},
	}, {
		name: "a cooperative member does not claim what it keeps", breaks: judge.OneOwner, seed: 2,
		speaks: func(_ *faulty, o heartbeat.Output) []heartbeat.Output {
			if r, ok := isRequest(o, classic.InputJoinGroup); ok && len(r.Protocols[0].Metadata) > 0 {
				r.Protocols = []heartbeat.Protocol{{Name: r.Protocols[0].Name}}
				return as(r)
			}
			return as(o)
		},
	}, {
		name: "the application is told the assignment of the generation before", breaks: judge.OneOwner, seed: 1,
		speaks: func(f *faulty, o heartbeat.Output) []heartbeat.Output {
			c, ok := o.(heartbeat.Callback)
			if !ok || c.Kind != heartbeat.CallbackAssigned {
				return as(o)
			}
			before := f.kept
			f.kept = c.Assignment
			if before != nil {
				c.Assignment = before
			}
			return as(c)
		},
	}, {
		name: "a member keeps its leave to itself", breaks: judge.NoGhost, seed: 6,
		speaks: func(f *faulty, o heartbeat.Output) []heartbeat.Output {
			if r, ok := isRequest(o, classic.InputLeaveGroup); ok {
				return slices.DeleteFunc(f.step(heartbeat.Response{ID: r.ID}), func(o heartbeat.Output) bool {
					_, fired := o.(heartbeat.Fired)
					return fired
				})
			}
			return as(o)
		},
	}, {
		name: "a poll returns before the loss is told", breaks: judge.NoZombie, seed: 1,
		speaks: func(_ *faulty, o heartbeat.Output) []heartbeat.Output {
			if isCallback(o, heartbeat.CallbackLost) {
				return as(heartbeat.PollEnded{}, o)
			}
			return as(o)
		},
	}, {
		name: "a member waits for ever for an answer to its join", breaks: judge.Progress, seed: 1,
		hears: func(f *faulty, in heartbeat.Input) heartbeat.Input {
			r, ok := in.(heartbeat.Response)
			if ok && f.now > time.Minute && r.Code == classic.CodeNone && f.Status().State == classic.PreparingRebalance {
				return nil
			}
			return in
		},
	}, {
		name: "a heartbeat is sent sixty times", breaks: judge.NoSpin, seed: 1,
		speaks: func(f *faulty, o heartbeat.Output) []heartbeat.Output {
			wanted := as(o)
			if r, ok := isRequest(o, classic.InputHeartbeat); ok {
				for range 60 {
					wanted = append(wanted, f.more(r))
				}
			}
			return wanted
		},
	}, {
		name: "heartbeats are forgotten", breaks: judge.NoSilence, seed: 1,
		speaks: func(_ *faulty, o heartbeat.Output) []heartbeat.Output {
			if _, ok := isRequest(o, classic.InputHeartbeat); ok {
				return nil
			}
			return as(o)
		},
	}, {
		name: "time passes without the member", breaks: judge.NoSilence, seed: 1,
		hears: func(_ *faulty, in heartbeat.Input) heartbeat.Input {
			if _, ok := in.(heartbeat.Tick); ok {
				return nil
			}
			return in
		},
	}, {
		name: "a member says goodbye when it is closed already", breaks: judge.SilentAfterClose, seed: 5,
		adds: func(f *faulty, in heartbeat.Input) []heartbeat.Output {
			if _, ok := in.(heartbeat.CloseAsked); ok {
				return as(f.more(heartbeat.Request{API: classic.InputLeaveGroup, Member: "me", Timeout: time.Second}))
			}
			return nil
		},
	}, {
		name: "a heartbeat carries the generation before", breaks: judge.IdentityByRules, seed: 1,
		speaks: func(_ *faulty, o heartbeat.Output) []heartbeat.Output {
			if r, ok := isRequest(o, classic.InputHeartbeat); ok && r.Generation > 2 {
				r.Generation--
				return as(r)
			}
			return as(o)
		},
	}, {
		name: "the member id is dropped with the generation", breaks: judge.IdentityByRules, seed: 1,
		speaks: func(_ *faulty, o heartbeat.Output) []heartbeat.Output {
			if r, ok := isRequest(o, classic.InputJoinGroup); ok && r.Generation == heartbeat.NoGeneration {
				r.Member = ""
				return as(r)
			}
			return as(o)
		},
	}, {
		name: "the application is not told of an assignment", breaks: judge.CallbacksPaired, seed: 1,
		speaks: func(f *faulty, o heartbeat.Output) []heartbeat.Output {
			if isCallback(o, heartbeat.CallbackAssigned) {
				return f.step(heartbeat.CallbackEnded{})
			}
			return as(o)
		},
	}, {
		name: "the application is not asked to let go", breaks: judge.CallbacksPaired, seed: 1,
		speaks: func(f *faulty, o heartbeat.Output) []heartbeat.Output {
			if isCallback(o, heartbeat.CallbackRevoked) {
				return f.step(heartbeat.CallbackEnded{})
			}
			return as(o)
		},
	}, {
		name: "the application is asked to let go when the JoinGroup has left", breaks: judge.CallbacksPaired, seed: 1,
		speaks: func(f *faulty, o heartbeat.Output) []heartbeat.Output {
			if isCallback(o, heartbeat.CallbackRevoked) {
				return append(f.step(heartbeat.CallbackEnded{}), o)
			}
			return as(o)
		},
	}, {
		name: "the end of a callback is not heard", breaks: judge.Progress, seed: 1,
		hears: func(_ *faulty, in heartbeat.Input) heartbeat.Input {
			if _, ok := in.(heartbeat.CallbackEnded); ok {
				return nil
			}
			return in
		},
	}, {
		name: "the coordinator is looked up again and again", breaks: judge.NoLookupsInVain, seed: 1,
		speaks: func(f *faulty, o heartbeat.Output) []heartbeat.Output {
			if fired, ok := o.(heartbeat.Fired); ok && fired.Rule.Input == classic.InputHeartbeat && fired.Code == classic.CodeRebalanceInProgress {
				return as(o, f.more(heartbeat.Request{API: classic.InputFindCoordinator, Node: heartbeat.AnyBroker, Timeout: time.Second}))
			}
			return as(o)
		},
	}, {
		name: "offsets are committed in the present generation, whenever they were read", breaks: judge.OffsetsFenced, seed: 1,
		hears: func(f *faulty, in heartbeat.Input) heartbeat.Input {
			if c, ok := in.(heartbeat.CommitAsked); ok {
				s := f.Status()
				c.Member, c.Generation = s.Member, s.Generation
				return c
			}
			return in
		},
	}, {
		name: "a request waits for longer than its limit", breaks: judge.RequestsEnd, seed: 1,
		plan: only(Act{At: time.Minute, For: 30 * time.Second, Kind: HalfOpen, Who: 0, Other: true}),
		speaks: func(_ *faulty, o heartbeat.Output) []heartbeat.Output {
			if r, ok := o.(heartbeat.Request); ok {
				r.Timeout *= 3
				return as(r)
			}
			return as(o)
		},
	}, {
		name: "a request is not abandoned when its coordinator is replaced", breaks: judge.RequestsEnd, seed: 1,
		plan: only(Act{At: time.Minute, For: 30 * time.Second, Kind: BrokerStop, Who: -1}),
		speaks: func(f *faulty, o heartbeat.Output) []heartbeat.Output {
			if _, ok := o.(heartbeat.Abandoned); ok {
				return nil
			}
			if fired, ok := o.(heartbeat.Fired); ok && fired.Code == classic.CodeAbandoned {
				return nil
			}
			return as(o)
		},
	}, {
		name: "a commit is not answered", breaks: judge.CallsEnd, seed: 1, plan: commits,
		speaks: func(_ *faulty, o heartbeat.Output) []heartbeat.Output {
			if _, ok := o.(heartbeat.CommitEnded); ok {
				return nil
			}
			return as(o)
		},
	}, {
		name: "a leave is not answered", breaks: judge.CallsEnd, seed: 1,
		plan: only(Act{At: 20 * time.Second, For: 30 * time.Second, Kind: Absent, Who: 0}),
		speaks: func(_ *faulty, o heartbeat.Output) []heartbeat.Output {
			if _, ok := o.(heartbeat.Left); ok {
				return nil
			}
			return as(o)
		},
	}, {
		name: "a silent coordinator is not looked up", breaks: judge.CoordinatorFollowed, seed: 8,
		plan: only(Act{At: time.Minute, For: 30 * time.Second, Kind: BrokerStop, Who: -1}),
		speaks: func(f *faulty, o heartbeat.Output) []heartbeat.Output {
			if _, ok := isRequest(o, classic.InputFindCoordinator); ok && f.Status().Coordinator != heartbeat.AnyBroker {
				return nil
			}
			return as(o)
		},
	}, {
		name: "a coordinator is looked up without a pause", breaks: judge.NoLookupsInVain, seed: 1,
		plan: only(Act{At: time.Minute, For: 20 * time.Second, Kind: Cut, Who: 0}),
		config: func(c *heartbeat.Config) {
			c.RetryBackoff, c.RetryBackoffMax = 80*time.Millisecond, 400*time.Millisecond
		},
	}, {
		name: "a lease is taken to last for longer", breaks: judge.LeasedAlone, seed: 1,
		plan:   leased(Act{At: 70 * time.Second, For: time.Minute, Kind: Cut, Who: 0}),
		config: func(c *heartbeat.Config) { c.SessionTimeout *= 4 },
		speaks: func(_ *faulty, o heartbeat.Output) []heartbeat.Output {
			r, ok := o.(heartbeat.Request)
			if !ok {
				return as(o)
			}
			if r.SessionTimeout /= 4; r.API == classic.InputHeartbeat {
				r.Timeout /= 4
			}
			return as(r)
		},
	}, {
		name: "the work begins before the first heartbeat", breaks: judge.LeasedAlone, seed: 1, plan: leased(),
		config: func(c *heartbeat.Config) { c.Lease = false },
	}, {
		name: "an answer of another generation is taken for one of the present", breaks: judge.LateAnswersIgnored, seed: 12, plan: rejoinsSlowly,
		hears: func(f *faulty, in heartbeat.Input) heartbeat.Input {
			if r, ok := in.(heartbeat.Response); ok {
				f.late, r.ID = r.ID, f.mistaken(r.ID)
				return r
			}
			return in
		},
		speaks: func(f *faulty, o heartbeat.Output) []heartbeat.Output {
			switch o := o.(type) {
			case heartbeat.Request:
				f.open = append(f.open, o)
			case heartbeat.Abandoned:
				f.open = slices.DeleteFunc(f.open, func(r heartbeat.Request) bool { return r.ID == o.ID })
			case heartbeat.Fired:
				if o.Request != 0 { // what was answered is that request, whatever the Core takes it for
					o.Request = f.late
				}
				return as(o)
			}
			return as(o)
		},
	}}
}

// mistaken is the request that the Core takes for answered when another one is: the last one to the same API, where that was
// sent under the present identity and the one that is answered was not.
func (f *faulty) mistaken(answered uint64) uint64 {
	at := slices.IndexFunc(f.open, func(r heartbeat.Request) bool { return r.ID == answered })
	if at < 0 {
		return answered
	}
	s := f.Status()
	present := judge.Identity{MemberID: s.Member, Generation: s.Generation}
	if late := f.open[at]; sender(late) != present {
		for i, r := range slices.Backward(f.open) {
			if r.API == late.API && sender(r) == present {
				at = i
				break
			}
		}
	}
	taken := f.open[at].ID
	f.open = slices.Delete(f.open, at, at+1)
	return taken
}

// commits lets all members commit, and nothing else happen.
func commits(p *Plan) {
	only()(p)
	for i := range p.People {
		p.People[i].Commits = true
	}
}

// rejoinsSlowly lets messages be late, and members rejoin meanwhile, so that a heartbeat is answered in another generation
// than the one in which it was sent.
func rejoinsSlowly(p *Plan) {
	acts := []Act{{At: 20 * time.Second, For: time.Minute, Kind: Slow, Who: -1, Extra: 3 * time.Second}}
	for at := 22 * time.Second; at < 80*time.Second; at += 3 * time.Second {
		acts = append(acts, Act{At: at, Kind: Rejoin, Who: int(at/time.Second) % len(p.People)})
	}
	only(acts...)(p)
}
