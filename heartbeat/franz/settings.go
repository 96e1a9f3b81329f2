package franz

import (
	"context"
	"net"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
	"github.com/twmb/franz-go/pkg/sasl"
)

// settings is what of a client's options has to do with connections. The others stay with the client: a copy of them all
// would make a second producer or consumer of each connection.
type settings struct {
	connection []kgo.Opt // of each client
	lookup     []kgo.Opt // of the one that looks up coordinators
	rest       time.Duration
	min, max   *kversion.Versions // max may be nil
	random     *random
}

// longest is the most that franz-go can be made to wait for an answer, beside what the request asks for. The limit that
// counts is the request's own.
const longest = 15 * time.Minute

func settingsOf(cl *kgo.Client, seed uint64) settings {
	s := settings{
		random: newRandom(seed),
		rest:   option[time.Duration](cl, kgo.ConnIdleTimeout),
		min:    leastVersions(option[*kversion.Versions](cl, kgo.MinVersions)),
		max:    option[*kversion.Versions](cl, kgo.MaxVersions),
	}
	software := cl.OptValues(kgo.SoftwareNameAndVersion)
	s.connection = []kgo.Opt{
		kgo.WithContext(cl.Context()),
		kgo.SoftwareNameAndVersion(software[0].(string), software[1].(string)),
		kgo.Dialer(taggingDialer(option[dialFunc](cl, kgo.Dialer))), // with cl's TLS in it
		kgo.ConnIdleTimeout(s.rest),
		kgo.MinVersions(s.min),
		kgo.BrokerMaxReadBytes(option[int32](cl, kgo.BrokerMaxReadBytes)), // what an answer says of its size is made room for
		kgo.FetchMaxBytes(option[int32](cl, kgo.FetchMaxBytes)),           // which must not be more
		kgo.DisableClientMetrics(),                                        // they are about producing and consuming
		kgo.WithHooks(brokerHooks(option[[]kgo.Hook](cl, kgo.WithHooks))),
	}
	if s.max != nil {
		s.connection = append(s.connection, kgo.MaxVersions(s.max))
	}
	if id := cl.OptValues(kgo.ClientID); id[1].(bool) {
		s.connection = append(s.connection, kgo.ClientID(id[0].(string)))
	}
	if logger := option[kgo.Logger](cl, kgo.WithLogger); logger != nil {
		s.connection = append(s.connection, kgo.WithLogger(logger))
	}
	if option[bool](cl, kgo.AlwaysRetryEOF) {
		s.connection = append(s.connection, kgo.AlwaysRetryEOF())
	}
	var mechanisms []sasl.Mechanism
	for _, m := range option[[]sasl.Mechanism](cl, kgo.SASL) {
		mechanisms = append(mechanisms, taggingMechanism{m})
	}
	if len(mechanisms) > 0 {
		s.connection = append(s.connection, kgo.SASL(mechanisms...))
	}
	s.lookup = []kgo.Opt{
		kgo.SeedBrokers(option[[]string](cl, kgo.SeedBrokers)...),
		kgo.RequestTimeoutOverhead(option[time.Duration](cl, kgo.RequestTimeoutOverhead)),
		kgo.MetadataMaxAge(option[time.Duration](cl, kgo.MetadataMaxAge)),
		kgo.MetadataMinAge(option[time.Duration](cl, kgo.MetadataMinAge)),
	}
	if rebootstrap := option[func() ([]string, error)](cl, kgo.OnRebootstrapRequired); rebootstrap != nil {
		s.lookup = append(s.lookup, kgo.OnRebootstrapRequired(rebootstrap))
	}
	return s
}

// option is the value of one of cl's options, or zero if it is not set.
func option[T any](cl *kgo.Client, name any) T {
	v, _ := cl.OptValue(name).(T)
	return v
}

// finder is a client for lookups; hook sees its connections. How long a hung broker's connection is kept is the client's to
// say.
func (s settings) finder(hook kgo.Hook) (*kgo.Client, error) {
	return kgo.NewClient(slices.Concat(s.connection, s.lookup, []kgo.Opt{kgo.WithHooks(hook)})...)
}

// client is a client for one broker; hook sees its connections.
func (s settings) client(addr string, hook kgo.Hook) (*kgo.Client, error) {
	return kgo.NewClient(slices.Concat(s.connection, []kgo.Opt{
		kgo.WithHooks(hook),
		kgo.SeedBrokers(addr),
		kgo.RequestTimeoutOverhead(longest),
		kgo.MetadataMaxAge(time.Hour), // nobody asks it where another broker is
	})...)
}

// leastVersions is asked, raised to the versions of Apache Kafka 2.3 that know static members. The version of a request
// is agreed on per connection, so one that cannot name its instance would otherwise be sent, and be taken for a dynamic
// member's.
func leastVersions(asked *kversion.Versions) *kversion.Versions {
	least := new(kversion.Versions)
	if asked != nil {
		asked.EachMaxKeyVersion(least.SetMaxKeyVersion)
	}
	for key, version := range map[kmsg.Key]int16{
		kmsg.JoinGroup: 5, kmsg.SyncGroup: 3, kmsg.Heartbeat: 3, kmsg.OffsetCommit: 7,
	} {
		if v, _ := least.LookupMaxKeyVersion(key.Int16()); v < version {
			least.SetMaxKeyVersion(key.Int16(), version)
		}
	}
	return least
}

type dialFunc = func(ctx context.Context, network, host string) (net.Conn, error)
