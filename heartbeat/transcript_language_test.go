package heartbeat_test

// command is a word of the transcripts' language: how it is written, what it is for, and what it does.
type command struct {
	name, args, doc string
	does            func(*script)
	prints          func(*script) string // instead of what happens
}

// commandNamed finds a command.
func commandNamed(name string) (command, bool) {
	for _, c := range language() {
		if c.name == name {
			return c, true
		}
	}
	return command{}, false
}

// language is the whole of it. NAME is a member's: the first one is a, and meant where none is named.
func language() []command {
	return []command{
		{name: "begin", args: "[joined] [log] [session=45s] [poll=5m] [request=30s] [instance=i] [lease]", does: (*script).begin,
			doc: "a new broker, and a member that has not been polled, or that is in its group; `lease`: it works under a lease; `log` prints what it logs at Warn and above"},
		{name: "member", args: "NAME [instance=i] …", does: (*script).member, doc: "another one, as begin makes it"},
		{name: "show", args: "[KIND …]", prints: (*script).show, doc: "prints no other kinds from here on (rule, log, sent, app, call); without one, all. `expect` sees all"},
		{name: "poll", args: "[NAME] [ctx=1s] [cancel=1s] [for=100ms]", does: (*script).poll,
			doc: "polls until the poll has ended, or for that long; its context ends in time, or is cancelled"},
		{name: "commit", args: "as poll [partition=1]", does: (*script).commit, doc: "commits an offset"},
		{name: "leave", args: "as poll", does: (*script).leave, doc: "leaves the group; a static member keeps its place"},
		{name: "close", args: "as poll", does: (*script).close, doc: "closes the member"},
		{name: "run", args: "[NAME]", does: (*script).run, doc: "polls from here on whenever there is something to do, and often enough"},
		{name: "work", args: "[NAME] [takes=1s]", does: (*script).work, doc: "calls Run, whose work returns so long after its generation has ended"},
		{name: "rejoin", args: "[NAME] REASON", does: (*script).rejoin, doc: "asks for a rejoin"},
		{name: "protocols", args: "[NAME] PROTOCOL=METADATA …", does: (*script).protocols, doc: "changes what the member offers"},
		{name: "advance", args: "D", does: (*script).advance, doc: "lets time pass"},
		{name: "answer", args: "API [CODE] [NAME] [times=2]", does: (*script).answer,
			doc: "says what becomes of the next requests: a CODE of the catalogue, or cut, garbage or nothing for what is no answer; times=0: all"},
		{name: "hold", args: "API [NAME]", does: (*script).hold, doc: "holds the next request"},
		{name: "delay", args: "API [NAME]", does: (*script).delay, doc: "lets the next request be answered, and holds the answer"},
		{name: "release", args: "API [CODE]", does: (*script).release, doc: "lets what is held longest go on"},
		{name: "relent", args: "API", does: (*script).relent, doc: "lets the coordinator answer again"},
		{name: "kick", args: "[NAME]", does: (*script).kick, doc: "the coordinator forgets the member"},
		{name: "move", args: "", does: (*script).move, doc: "the group moves to another broker, and its members with it"},
		{name: "forget", args: "", does: (*script).forget, doc: "the coordinator forgets the whole group, which has no members"},
		{name: "callback", args: "KIND [NAME] [takes=1s] [heeds] [fails] [panics] [commits]", does: (*script).callback,
			doc: "says what the next callback (assigned, revoked, lost) does; `heeds`: it ends with its context"},
		{name: "assignor", args: "[NAME] [takes=1s] [heeds] [fails] [panics]", does: (*script).assignor, doc: "says what the leader's next assignment does"},
		{name: "panic", args: "observer, hook, logger or transport [NAME]", does: (*script).panics, doc: "the next call of it panics"},
		{name: "stall", args: "D [NAME]", does: (*script).stall, doc: "the member stands still for so long at its next rule, as on a machine that sleeps"},
		{name: "wall", args: "D", prints: (*script).wall, doc: "steps the wall clock under a member that runs in real time, and prints what that did"},
		{name: "late", args: "API CODE changed=generation", prints: (*script).late,
			doc: "sends a request under one identity, and answers it under another (or changed=member, or both); prints what the answer does"},
		{name: "each", args: "API …", prints: (*script).each,
			doc: "answers one request by each code and by what is no answer; prints which rule decides, and which request follows when"},
		{name: "missing", args: "", prints: (*script).missing,
			doc: "prints which rules that drop identity this file has not shown; a file named on a line below it, a scenario or a test of the Core, must demand each"},
		{name: "expect", args: "", prints: (*script).expect, doc: "says what must have happened since the last expect, as below"},
	}
}
