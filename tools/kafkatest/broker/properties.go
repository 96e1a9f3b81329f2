package broker

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// newBrokers chooses ports and writes what each broker is to be. Nothing runs yet.
func newBrokers(path, dir string, o options) ([]*Broker, error) {
	ports, err := freePorts(2 * o.brokers)
	if err != nil {
		return nil, err
	}
	front := o.front
	if front == nil {
		front = func(_ int32, listens string) (string, error) { return listens, nil }
	}
	var voters, known, controllers []string
	for i := range o.brokers {
		id := int32(i + 1)
		broker, err := front(id, fmt.Sprintf("127.0.0.1:%d", ports[2*i]))
		if err != nil {
			return nil, err
		}
		controller, err := front(id, fmt.Sprintf("127.0.0.1:%d", ports[2*i+1]))
		if err != nil {
			return nil, err
		}
		known, controllers = append(known, broker), append(controllers, controller)
		voters = append(voters, fmt.Sprintf("%d@%s", id, controller))
	}
	brokers := make([]*Broker, o.brokers)
	for i := range brokers {
		home := filepath.Join(dir, fmt.Sprint(i+1))
		if err := os.MkdirAll(home, 0o755); err != nil {
			return nil, err
		}
		b := &Broker{
			ID:         int32(i + 1),
			Addr:       known[i],
			listens:    fmt.Sprintf("127.0.0.1:%d", ports[2*i]),
			classPath:  path,
			properties: filepath.Join(home, "server.properties"),
			log:        logFile(filepath.Join(home, "log")),
			admin:      len(o.users) > 0,
		}
		p := properties(b, controllers[i], ports[2*i+1], strings.Join(voters, ","), filepath.Join(home, "data"), o)
		if err := os.WriteFile(b.properties, []byte(p), 0o644); err != nil {
			return nil, err
		}
		brokers[i] = b
	}
	return brokers, nil
}

func properties(b *Broker, controller string, controllerPort int, voters, data string, o options) string {
	protocol := "PLAINTEXT"
	if len(o.users) > 0 {
		protocol = "SASL_PLAINTEXT"
	}
	replicas := "1"
	if o.brokers >= 3 {
		replicas = "3"
	}
	p := map[string]string{
		"process.roles":                  "broker,controller",
		"node.id":                        fmt.Sprint(b.ID),
		"controller.quorum.voters":       voters,
		"controller.listener.names":      "CONTROLLER",
		"listeners":                      fmt.Sprintf("%s://%s,CONTROLLER://127.0.0.1:%d", protocol, b.listens, controllerPort),
		"advertised.listeners":           fmt.Sprintf("%s://%s,CONTROLLER://%s", protocol, b.Addr, controller),
		"listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT",
		"inter.broker.listener.name":     protocol,
		"log.dirs":                       data,

		// A group of tests need not wait for members that might come.
		"group.initial.rebalance.delay.ms": "0",
		// Tests let members die; Apache Kafka's least session of 6 s would make each of them wait that long.
		"group.min.session.timeout.ms": "1000",

		"offsets.topic.num.partitions":                     "3",
		"offsets.topic.replication.factor":                 replicas,
		"default.replication.factor":                       replicas,
		"share.coordinator.state.topic.replication.factor": replicas,
		"transaction.state.log.replication.factor":         replicas,
		"auto.create.topics.enable":                        "false",

		// A broker that was killed is to be missed, and back in the cluster, soon.
		"broker.session.timeout.ms":              "3000",
		"broker.heartbeat.interval.ms":           "500",
		"initial.broker.registration.timeout.ms": "60000",
	}
	if len(o.users) > 0 {
		jaas := `org.apache.kafka.common.security.plain.PlainLoginModule required username="admin" password="` + Admin + `"` +
			` user_admin="` + Admin + `"`
		for _, name := range slices.Sorted(maps.Keys(o.users)) {
			jaas += fmt.Sprintf(" user_%s=%q", name, o.users[name])
		}
		maps.Copy(p, map[string]string{
			"sasl.enabled.mechanisms":                             "PLAIN",
			"sasl.mechanism.inter.broker.protocol":                "PLAIN",
			"listener.name.sasl_plaintext.plain.sasl.jaas.config": jaas + ";",
			"authorizer.class.name":                               "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
			"super.users":                                         "User:admin;User:ANONYMOUS", // the controllers' listener asks nobody who they are
		})
	}
	maps.Copy(p, o.properties)

	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(p)) {
		fmt.Fprintf(&text, "%s=%s\n", name, p[name])
	}
	return text.String()
}
