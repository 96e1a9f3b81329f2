package broker

import (
	"context"
	"path/filepath"
	"syscall"
)

// Consume runs Apache Kafka's own console consumer as a member of a group, until stop is called, which lets it leave the
// group, or the test ends. Properties are the consumer's, as name=value.
func (c *Cluster) Consume(group, topic string, properties ...string) (stop func()) {
	c.tb.Helper()
	args := []string{"--bootstrap-server", c.brokers[0].Addr, "--group", group, "--topic", topic}
	for _, p := range properties {
		args = append(args, "--command-property", p)
	}
	cmd := java(context.Background(), c.path, "org.apache.kafka.tools.consumer.ConsoleConsumer", args...)
	name := logFile(filepath.Join(c.tb.TempDir(), "consumer"))
	out, err := name.open()
	if err != nil {
		c.tb.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = out, out
	p, err := launch(cmd)
	out.Close()
	if err != nil {
		c.tb.Fatalf("Apache Kafka's consumer does not start: %v", err)
	}
	c.tb.Cleanup(func() {
		p.kill()
		if c.tb.Failed() {
			c.tb.Logf("log of the consumer of group %q:\n%s", group, name.tail(tailLines))
		}
	})
	return func() {
		p.signal(syscall.SIGTERM)
		<-p.ended
	}
}
