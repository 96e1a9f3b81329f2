package broker

import (
	"context"
	"io"
)

// Java starts a Java program with Apache Kafka's jars on its class path: the name of a class, or a file with the source of one,
// and its arguments. Stop ends it by SIGKILL and waits until it is gone; it also ends with our process. Ended is closed when the
// program is no more and all that it has written has been passed on.
func (c *Cluster) Java(stdout, stderr io.Writer, program string, args ...string) (stop func(), ended <-chan struct{}, err error) {
	cmd := java(context.Background(), c.path, program, args...)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	p, err := launch(cmd)
	if err != nil {
		return nil, nil, err
	}
	return p.kill, p.ended, nil
}
