package broker

import (
	"context"
	"fmt"
	"os/exec"
)

// Broker is one broker of a Cluster, which is a controller as well.
type Broker struct {
	ID   int32
	Addr string // host and port, as clients know it; the same for its whole life

	listens    string // host and port where it does
	classPath  string
	properties string // file
	log        logFile
	admin      bool // asks for a password

	process *process // the last one that was launched; nil before the first
}

// clusterID is the same for every cluster: ids of clusters only keep brokers from joining the wrong one.
const clusterID = "a2JlYXQtdW5kZXItdGVzdA"

// java is small and quick to start rather than fast: the brokers of a test have little to do.
func java(ctx context.Context, classPath, class string, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "java", append([]string{
		"-Xms32m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData",
		"-Dorg.slf4j.simpleLogger.defaultLogLevel=info",
		"-Dorg.slf4j.simpleLogger.log.org.apache.kafka.common.config.AbstractConfig=warn", // all properties
		"-Dorg.slf4j.simpleLogger.log.state.change.logger=warn",
		"-Dorg.slf4j.simpleLogger.showDateTime=true",
		"-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
		"-cp", classPath, class,
	}, args...)...)
}

// format prepares the empty data folder.
func (b *Broker) format(ctx context.Context) error {
	out, err := java(ctx, b.classPath, "kafka.tools.StorageTool", "format", "-t", clusterID, "-c", b.properties).CombinedOutput()
	if err != nil {
		return fmt.Errorf("broker %d: its storage cannot be formatted: %w\n%s", b.ID, err, out)
	}
	return nil
}

// launch starts the process and does not wait for it to answer.
func (b *Broker) launch() error {
	out, err := b.log.open()
	if err != nil {
		return err
	}
	defer out.Close()

	cmd := java(context.Background(), b.classPath, "kafka.Kafka", b.properties)
	cmd.Stdout, cmd.Stderr = out, out
	if b.process, err = launch(cmd); err != nil {
		return fmt.Errorf("broker %d: %w", b.ID, err)
	}
	return nil
}

// Kill ends the broker by SIGKILL: connections are cut, nothing is said to anybody.
func (b *Broker) Kill() {
	if b.process != nil {
		b.process.kill()
	}
}

// Restart starts the broker again after Kill, on the same port with the same data, and returns when it answers. It does
// not wait until the broker has loaded the groups that it coordinates.
func (b *Broker) Restart(ctx context.Context) error {
	b.Kill()
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	err := b.launch()
	if err == nil {
		err = b.ready(ctx, 1)
	}
	if err != nil {
		return fmt.Errorf("restart broker %d: %w", b.ID, err)
	}
	return nil
}
