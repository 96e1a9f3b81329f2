package main

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/commandline"
	"github.com/kbeat/kbeat/tools/kbeat/live"
)

// passwordVariable is read where no flag has the password: a process's arguments can be seen by others, its environment
// by fewer.
const passwordVariable = "KBEAT_SASL_PASSWORD"

// mostMembers is how many members of a real group one process is for. A member holds a connection while its group joins, and
// 1,024 files are what many systems let a process have open: a thousand members of one group were seen to take 1,014, with 155 MB
// and 6 % of a core. More of them are more processes.
const mostMembers = 1000

// runFlags is what `kbeat run` is called with.
type runFlags struct {
	json    bool
	members int
	seed    uint64
	during  time.Duration
	trace   string

	brokers      []string
	group        string
	topics       []string
	instance     string
	clientID     string
	balancers    []string
	startTimeout time.Duration

	session, interval, poll time.Duration

	tls          bool
	files        live.TLS
	sasl         live.SASL
	passwordFile string
}

// onlyLive are the flags that mean nothing to an embedded group.
var onlyLive = []string{
	"group", "topic", "instance-id", "client-id", "start-timeout",
	"tls", "tls-ca", "tls-cert", "tls-key", "tls-insecure",
	"sasl-mechanism", "sasl-user", "sasl-password", "sasl-password-file",
}

func (r *runFlags) declare(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVar(&r.json, "json", false, "write each event as a line of JSON")
	f.IntVar(&r.members, "members", 0, "begin with `N` members (default 3; with --brokers 1)")
	f.Uint64Var(&r.seed, "seed", 0, "of what is left to chance: whom things happen to, the\njitter of pauses (default 1; with --brokers any)")
	f.DurationVar(&r.during, "for", 0, "go on with things that happen for this long; with\n--brokers: look at the group then, and leave")
	f.StringVar(&r.trace, "trace", "", "write the member's trace to a `FILE` for kbeat replay, in\nplace of what it holds; of several members: run.trace is run.m1.trace, …")
	f.StringSliceVar(&r.balancers, "balancer", []string{"cooperative-sticky"}, "`NAME` of how to divide the partitions: range,\nroundrobin, sticky or cooperative-sticky; of several the\nfirst is preferred")
	f.DurationVar(&r.session, "session-timeout", 0, "session.timeout.ms (default 4s; with --brokers 45s)")
	f.DurationVar(&r.interval, "heartbeat-interval", 0, "heartbeat.interval.ms (default 300ms; with --brokers 3s)")
	f.DurationVar(&r.poll, "max-poll-interval", 0, "max.poll.interval.ms, and the rebalance timeout\n(default 4s; with --brokers 5m)")

	f.StringSliceVar(&r.brokers, "brokers", nil, "be a member on these brokers: `HOST:PORT`,…")
	f.StringVar(&r.group, "group", "", "`ID` of the group")
	f.StringSliceVar(&r.topics, "topic", nil, "`NAME` of a topic to share; several: say it again")
	f.StringVar(&r.instance, "instance-id", "", "group.instance.id, which makes the member static; of\nseveral members each gets a number behind the `ID`")
	f.StringVar(&r.clientID, "client-id", "kbeat", "client.id")
	f.DurationVar(&r.startTimeout, "start-timeout", 10*time.Second, "give up when no broker has answered by then")
	f.BoolVar(&r.tls, "tls", false, "speak TLS; the flags below imply it")
	f.StringVar(&r.files.CA, "tls-ca", "", "PEM `FILE` of those who vouch for the brokers\n(default: whom the system trusts)")
	f.StringVar(&r.files.Cert, "tls-cert", "", "PEM `FILE` of our certificate")
	f.StringVar(&r.files.Key, "tls-key", "", "PEM `FILE` of its key")
	f.BoolVar(&r.files.Insecure, "tls-insecure", false, "take any broker for the right one")
	f.StringVar(&r.sasl.Mechanism, "sasl-mechanism", "", "`NAME`: "+strings.Join(live.Mechanisms(), ", "))
	f.StringVar(&r.sasl.User, "sasl-user", "", "`NAME` of the user")
	f.StringVar(&r.sasl.Password, "sasl-password", "", "password, which others on this machine can see; better:")
	f.StringVar(&r.passwordFile, "sasl-password-file", "", "`FILE` of the password; or $"+passwordVariable)
}

// check finds what cannot be meant; said reports whether a flag of this name was given.
func (r *runFlags) check(said func(name string) bool) error {
	if r.during < 0 {
		return usage("--for is %s: a length of time, not below 0", r.during)
	}
	if r.startTimeout <= 0 {
		return usage("--start-timeout is %s: a length of time above 0", r.startTimeout)
	}
	for name, length := range map[string]time.Duration{
		"session-timeout": r.session, "heartbeat-interval": r.interval, "max-poll-interval": r.poll,
	} {
		if said(name) && length <= 0 {
			return usage("--%s is %s: a length of time above 0", name, length)
		}
	}
	if said("trace") {
		if err := checkTrace(r.trace); err != nil {
			return err
		}
	}
	if said("brokers") {
		if err := checkAddresses(r.brokers); err != nil {
			return err
		}
	}
	if said("members") && r.members < 1 {
		return usage("--members is %d: at least 1", r.members)
	}
	if len(r.brokers) == 0 {
		for _, name := range onlyLive {
			if said(name) {
				return usage("--%s needs --brokers: the embedded group has no use for it", name)
			}
		}
		return nil
	}
	switch {
	case r.members > mostMembers:
		return usage("--members is %d: at most %d in one process", r.members, mostMembers)
	case r.group == "":
		return usage("--group is missing: which group to be a member of?")
	case len(r.topics) == 0:
		return usage("--topic is missing: which topics does the group share?")
	case (r.files.Cert == "") != (r.files.Key == ""):
		return usage("--tls-cert and --tls-key belong together")
	case r.sasl.Mechanism == "" && (said("sasl-user") || said("sasl-password") || said("sasl-password-file")):
		return usage("--sasl-mechanism is missing: one of %s", strings.Join(live.Mechanisms(), ", "))
	case r.sasl.Mechanism != "" && !slices.Contains(live.Mechanisms(), r.sasl.Mechanism):
		return usage("--sasl-mechanism %q is none of %s", r.sasl.Mechanism, strings.Join(live.Mechanisms(), ", "))
	case r.sasl.Mechanism != "" && r.sasl.User == "":
		return usage("--sasl-user is missing")
	}
	return nil
}

// checkTrace refuses what cannot be a trace's file before anything has begun. A trace's name is also the beginning of others'.
func checkTrace(path string) error {
	folder, file := filepath.Split(path)
	if info, err := os.Stat(path); file == "" || file == "." || file == ".." || err == nil && info.IsDir() {
		return usage("--trace %q is no name of a file", path)
	}
	if folder == "" {
		return nil
	}
	return commandline.Fail(commandline.ExitIO, commandline.Folder("trace", filepath.Clean(folder)))
}

// checkAddresses refuses what no broker can be reached at; an empty list too, which is most likely a variable that is not set.
func checkAddresses(addresses []string) error {
	if len(addresses) == 0 {
		return usage("--brokers is empty: HOST:PORT, more of them after commas")
	}
	for _, address := range addresses {
		host, port, err := net.SplitHostPort(address)
		if err != nil { // without a port it is Kafka's
			host, port = strings.Trim(address, "[]"), "9092"
		}
		if n, err := strconv.ParseUint(port, 10, 16); host == "" || strings.ContainsAny(host, " /") || err != nil || n == 0 {
			return usage("--brokers: %q is no HOST:PORT", address)
		}
	}
	return nil
}

// member is the times of the members, those that are said before those that are given here.
func (r *runFlags) member(session, interval, poll time.Duration) heartbeat.Config {
	return heartbeat.Config{
		Group: r.group, InstanceID: r.instance, Seed: r.seed,
		SessionTimeout: cmp.Or(r.session, session), HeartbeatInterval: cmp.Or(r.interval, interval), MaxPollInterval: cmp.Or(r.poll, poll),
	}
}

// asFlags is a text about fields of heartbeat.Config, with the flags that they come from.
func asFlags(text string) string {
	return strings.NewReplacer(
		"SessionTimeout", "--session-timeout", "HeartbeatInterval", "--heartbeat-interval",
		"MaxPollInterval", "--max-poll-interval", "Group", "--group", "Protocols", "--balancer",
	).Replace(text)
}

// client is how to reach the brokers.
func (r *runFlags) client(getenv func(string) string) ([]kgo.Opt, error) {
	opts := []kgo.Opt{kgo.ClientID(r.clientID)}
	if r.tls || r.files != (live.TLS{}) {
		o, err := r.files.Option()
		if err != nil {
			return nil, commandline.Fail(commandline.ExitIO, err)
		}
		opts = append(opts, o)
	}
	if r.sasl.Mechanism != "" {
		password, err := r.password(getenv)
		if err != nil {
			return nil, err
		}
		sasl := r.sasl
		sasl.Password = password
		o, err := sasl.Option()
		if err != nil {
			return nil, usage("%v", err)
		}
		opts = append(opts, o)
	}
	return opts, nil
}

func (r *runFlags) password(getenv func(string) string) (string, error) {
	switch {
	case r.sasl.Password != "":
		return r.sasl.Password, nil
	case r.passwordFile != "":
		text, err := os.ReadFile(r.passwordFile)
		if err != nil {
			return "", commandline.Fail(commandline.ExitIO, fmt.Errorf("the password cannot be read: %w", err))
		}
		return strings.TrimRight(string(text), "\r\n"), nil
	case getenv(passwordVariable) != "":
		return getenv(passwordVariable), nil
	}
	return "", usage("the password is missing: --sasl-password-file, or $%s", passwordVariable)
}

// balancersOf are franz-go's, by Kafka's names.
func balancersOf(names []string) ([]kgo.GroupBalancer, error) {
	if len(names) == 0 {
		return nil, usage("--balancer is empty: one of %s", strings.Join(balancerNames(), ", "))
	}
	var found []kgo.GroupBalancer
	for _, name := range names {
		i := slices.Index(balancerNames(), name)
		if i < 0 {
			return nil, usage("--balancer %q is none of %s", name, strings.Join(balancerNames(), ", "))
		}
		found = append(found, balancers()[i])
	}
	return found, nil
}

func balancers() []kgo.GroupBalancer {
	return []kgo.GroupBalancer{kgo.RangeBalancer(), kgo.RoundRobinBalancer(), kgo.StickyBalancer(), kgo.CooperativeStickyBalancer()}
}

func balancerNames() []string {
	var names []string
	for _, b := range balancers() {
		names = append(names, b.ProtocolName())
	}
	return names
}
