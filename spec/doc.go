// Package spec reads specifications of protocol machines: which reaction follows from which answer, in which state.
//
// A specification is a YAML file that a reviewer who knows the protocol can read. Load turns it into a Machine in which every
// name points at its declaration, or says with line, column and caret everything that is wrong with it:
//
//	m, err := spec.Load("spec/classic.yaml")
//	if err != nil {
//		return err // spec.Findings, which prints one paragraph for each thing that is wrong
//	}
//	for _, cell := range m.Cells() { … } // every state, code and answer, with the rule that decides
//
// A Machine that Load returned decides every cell, and decides it once; its rules keep the preconditions of their effects,
// the declared edges and the invariants; what is declared is used. The checks are made so that a slip of the pen does not
// go unseen: of those that tools/slips makes in the text of a specification, hardly any changes what is decided in silence.
//
// The package knows nothing of generated code and nothing of any one protocol. It reads the files that it is given, never
// writes, starts no goroutine and keeps no state. Its functions may be called concurrently.
//
// # The notation
//
// A decision is one word (the result, else the state to go to), a rule `{to, do, result, why, deviates}`, a mapping of branches
// or a list of lines. A key is a condition: `[not] guard and … in [not] STATE, GROUP`, either half alone will do. `to` may be a
// path through several states. `why` and `deviates` also stand beside branches, and count for all below them.
//
// Of a mapping exactly one branch holds, in any order. It may have an `else` beside one branch by state, and beside nothing
// else: a branch that is lost would fall to it unseen. Of a list the first line that holds decides, and the last is `else`. A
// line that could be lost unseen is refused (`unguarded`): an effect of a line below it must be declared to be done `only`
// where this line does not hold; or branch in a mapping. Use lists where the order is a fact, and mappings elsewhere.
//
// A request waits until its `limit` is over, counted from its sending. After `again`, which is shorter, it is sent once more beside
// itself, and either answer counts. It ends before that as soon as one of the conditions holds which `when` lists; its response
// then has the code that `abandoned` names, an unanswered end, for which the response has a rule of its own. A length of time is
// TERM, `min(TERM, TERM)` or `max(TERM, TERM)`, a TERM `SETTING`, `SETTING + MILLISECONDS`, `SETTING / NUMBER` or `MILLISECONDS`.
// The conditions ask states, flags, and guards of request, member and config: what is known while there is no answer.
//
// Either no state declares `from`, and any rule may go anywhere, or all edges are declared, and each is taken.
//
// The sections of a file:
//
//	machine, doc    the name, of a Go package, and what it is about
//	original        what it is that `deviates` speaks of, and what holds the rules against it
//	catalogue       NAME of catalogue/NAME.yaml: codes, how requests end without one, documented codes, settings, callbacks
//	states          NAME: text, or {initial, final, from, unused, enters_with, leaves_with, doc}. With one `from` all edges are
//	                declared; `unused` ones are taken by no rule. What enters_with and leaves_with name (effects, flags that
//	                are set), every rule does that enters or leaves the state; what all of several rules do must be named
//	groups          NAME: [STATE, …]
//	identity        [NAME, …]: what the other side knows the machine by
//	flags           NAME: text, or {initial, doc}: what the machine remembers; only effects change it
//	guards          by whom they are asked of (request, code, member, config, or inputs): NAME: text, or {one_of: {ANSWER: text}}
//	timers          NAME: {after, default, most, jitter, free, from, guard, event, doc}, in milliseconds; the end is a guard or an event.
//	                With most it doubles with each attempt, the first free of which have no pause; {from: sending}: of the
//	                request that is answered
//	effects         NAME: text, or {sets, clears, drops, takes, starts, forgets, sends, calls, answered_by, only, with, deviates, doc}
//	requests        RESPONSE: {limit, again, abandoned, when, doc, deviates}: how long each request that effects send waits for its answer
//	errors          NAME: text, or {retriable, doc}: what is raised and has no code
//	results         by the inputs that share them: NAME: text, or {is, error, do, deviates, doc}
//	responses       API: {CODE, CODE: decision, CODE: as CODE, otherwise: decision}
//	loops           NAME: a list
//	events          NAME: decision
//	outside         [EVENT, …]: which of them end no timer and no effect; who lists them lists all
//	invariants      [{drops: IDENTITY, must: FLAG, EFFECT or STATE, or nothing}, {absorbing: STATE}, …], each with its why
//	disagreements   [{about, others, chosen, why, rules: [RULE, …]}, …]: where those who speak the protocol differ. A RULE is the
//	                way to it or to several, as in RULES.md: API/CODE/condition
//
// The catalogue, of which several machines can share one, is a file of its own:
//
//	codes           NAME: {code: NUMBER, retriable, message}
//	unanswered      NAME: text, or {retriable, message, doc}: how a request ends without an answer; rules name it like a code
//	settings        [NAME, …]: what timers may last, under `after`, and requests, under `limit` and `again`
//	callbacks       [NAME, …]: what effects may call
//	documented      RESPONSE: [CODE, …]: what the protocol names for it; each needs a rule of its own, beside `otherwise`
package spec
