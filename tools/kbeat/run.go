package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/commandline"
	"github.com/kbeat/kbeat/tools/kbeat/event"
	"github.com/kbeat/kbeat/tools/kbeat/live"
	"github.com/kbeat/kbeat/tools/kbeat/show"
)

const runHelp = `Without --brokers a group is played on an embedded cluster, in less than half a minute: members share
a topic, and then things happen to them that happen in production: the coordinator moves, a heartbeat
is of an old generation, an operator removes a member, one dies without a word, an application is too
slow, a second process has the same instance id. Each is announced, and is over when all members and
the broker agree again. The exit code is 0 if all of it ended as it should, and 1 otherwise.

With --brokers, --group and --topic it is a member of a real group, or several, until Ctrl-C, which
leaves the group, so that the partitions move at once. Another Ctrl-C ends at once, with code 130.

--json writes one object a line, each with time and kind:
  act       something is about to happen                      act, text
  member    a member begins                                   member, instance, group, topics
  rule      a rule has decided                                member, rule, at, input, code, from, state, do, why
  state     the member's state has changed                    as rule; member_id and generation are the new ones
  assigned  partitions come                                   member, member_id, generation, partitions, owned
  revoked   partitions go; they were the member's until now   as assigned
  lost      partitions are somebody else's already            as assigned
  error     a poll has failed                                 member, code, rule, at, error
  settled   all agree                                         generation, owners, took
  end       a member is over                                  member, text, state, partitions, tally, error
  result    the last line                                     ok, text, problem
EVENTS.md beside the command's source says all of it.`

func runCommand(s session) *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run a group: an embedded one to which things happen, or members of a real one",
		Long:  runHelp,
		Example: `  kbeat run
  kbeat run --json --seed 7 --members 5
  kbeat run --brokers 127.0.0.1:9092 --group orders --topic orders`,
		Args: cobra.NoArgs,
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := flags.check(cmd.Flags().Changed); err != nil {
			return err
		}
		return flags.run(s, cmd.Flags().Changed("seed"))
	}
	flags.declare(cmd)
	return cmd
}

// play is a run, whatever it runs: it returns the sentence with which it ends well, or what is not well.
type play func(ctx context.Context, emit func(event.Event)) (good string, problems []string, err error)

// run is the command, when its flags have been read.
func (r *runFlags) run(s session, seeded bool) (err error) {
	var files traces
	var p play
	if len(r.brokers) > 0 {
		p, err = r.liveGroup(s, &files)
	} else {
		p, err = r.embedded(&files, seeded)
	}
	if err != nil {
		return err
	}
	log := event.NewLog(s.reader(r.json))
	good, problems, err := p(s.ctx, log.Emit)
	var interrupted *interruptedError
	switch {
	case errors.As(err, &interrupted):
		log.Emit(result("interrupted", []string{"what was begun is not done"}))
		err = commandline.Fail(exitInterrupted, commandline.ErrSaid)
	case err != nil:
		log.Emit(result("", []string{explain(err)})) // a person is told on stderr
		err = commandline.Fail(codeOf(err), err)
	case len(problems) > 0:
		log.Emit(result("not as it should be", problems))
		err = commandline.Fail(commandline.ExitFailed, commandline.ErrSaid)
	default:
		log.Emit(result(good, nil))
	}
	if written := errors.Join(log.Close(), files.close()); written != nil && err == nil {
		err = commandline.Fail(commandline.ExitIO, fmt.Errorf("what has happened cannot be written: %w", written))
	}
	return err
}

func result(text string, problems []string) event.Event {
	ok := len(problems) == 0
	return event.Event{Kind: event.Result, OK: &ok, Text: text, Problem: problems}
}

// codeOf is what to exit with after an error that has no code of its own.
func codeOf(err error) int {
	var (
		config      *heartbeat.ConfigError
		unreachable *live.UnreachableError
	)
	switch {
	case errors.As(err, &config):
		return commandline.ExitUsage
	case errors.As(err, &unreachable):
		return exitUnavailable
	}
	return commandline.ExitFailed
}

// The embedded group: short times, so that nobody waits for long; long enough for a machine that has much else to do.
const (
	showSession  = 4 * time.Second
	showInterval = 300 * time.Millisecond
	showPoll     = 4 * time.Second
	partitions   = 12
)

// embedded plays a group on an embedded cluster.
func (r *runFlags) embedded(files *traces, seeded bool) (play, error) {
	balancers, err := balancersOf(r.balancers)
	if err != nil {
		return nil, err
	}
	c := show.Config{
		Group: "orders", Topic: "orders", Partitions: partitions, Members: 3, Balancers: balancers, Seed: 1,
		Member: r.member(showSession, showInterval, showPoll), For: r.during,
	}
	if r.members > 0 {
		c.Members = r.members
	}
	if c.Members < show.LeastMembers || c.Members >= partitions {
		return nil, usage("--members is %d: between %d and %d in the embedded group", c.Members, show.LeastMembers, partitions-1)
	}
	if seeded {
		c.Seed = r.seed
	}
	if r.trace != "" {
		files.path, files.members = r.trace, 1+c.Members
		c.Trace = files.create
	}
	return func(ctx context.Context, emit func(event.Event)) (string, []string, error) {
		problems, err := show.Run(ctx, c, emit)
		return "all is as it should be: each partition has one owner, all members are STABLE in one generation, and the broker agrees", problems, err
	}, nil
}

// liveGroup is members of a real group.
func (r *runFlags) liveGroup(s session, files *traces) (play, error) {
	balancers, err := balancersOf(r.balancers)
	if err != nil {
		return nil, err
	}
	client, err := r.client(s.getenv)
	if err != nil {
		return nil, err
	}
	c := live.Config{
		Brokers: r.brokers, Client: client, Topics: r.topics, Members: max(1, r.members), Member: r.member(0, 0, 0),
		Balancers: balancers, StartTimeout: r.startTimeout, For: r.during,
	}
	if r.trace != "" {
		files.path, files.members = r.trace, c.Members
		c.Trace = files.create
	}
	return func(ctx context.Context, emit func(event.Event)) (string, []string, error) {
		stop := context.AfterFunc(ctx, func() {
			s.say(fmt.Sprintf("leaves the group, within %s; the same again ends at once", live.LeaveTimeout))
		})
		defer stop()
		problems, err := live.Run(ctx, c, emit, s.say)
		good := "all members have left"
		if r.instance != "" {
			good = "all members have stopped; they keep their places for the session timeout, as they are static"
		}
		if r.during > 0 && ctx.Err() == nil {
			good = "in the end all was as it should be: each partition had one owner, and the broker agreed; " + good
		}
		return good, problems, err
	}, nil
}
