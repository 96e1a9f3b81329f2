//go:build kafka

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/tools/commandline"
)

const quick = "timers_backoff" // a program that takes seconds

// What is committed is what Kafka says; a fact that is not is named, and write makes it good, to the byte.
func TestAFalseFactIsNamed(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "heartbeat", "testdata", "oracle"))))
	code, stdout, stderr := called(t, "check", quick, "--dir", dir)
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, quick+": ")

	path := filepath.Join(dir, quick+suffix)
	packed, err := os.ReadFile(path)
	require.NoError(t, err)
	text, err := unpack(path)
	require.NoError(t, err)
	lie := bytes.Replace(text, []byte(`"pause":100}`), []byte(`"pause":101}`), 1)
	require.NotEqual(t, text, lie)
	require.NoError(t, replace(path, lie))
	code, _, stderr = called(t, "check", quick, "--dir", dir)
	require.Equal(t, commandline.ExitFailed, code)
	require.Regexp(t, quick+suffix+`: line \d+ differs: pause 101 → 100\n`, stderr)

	code, stdout, stderr = called(t, "write", quick, "--dir", dir)
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, path+": renewed")
	renewed, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, packed, renewed, "the same facts are other bytes; does another release of Go pack otherwise? then `go run ./tools/oracle write` after `rm`")
}

// A program that Kafka's classes cannot serve is said to be one, and the others are compared. Those of the consumer protocol
// have been there since Kafka 4.0.
func TestOtherVersions(t *testing.T) {
	dir := filepath.Join("..", "..", "heartbeat", "testdata", "oracle")
	code, stdout, stderr := called(t, "diff", "--kafka", "4.0.0", quick, "listener", "consumer_events", "--dir", dir)
	require.Equal(t, commandline.ExitFailed, code)
	require.Contains(t, stdout, "listener: Kafka 4.0.0 has not what they are compiled with\n")
	require.Regexp(t, `Fixture.java:\d+: cannot find symbol; symbol: class BaseHeartbeatThread; location: class Fixture`, stdout)
	require.Regexp(t, quick+`: Kafka [0-9.]+ has (\d+) facts, Kafka 4.0.0 has \d+; \d+ are the same`, stdout)
	require.Regexp(t, `consumer_events: Kafka [0-9.]+ has \d+ facts, Kafka 4.0.0 has \d+; \d+ are the same`, stdout)
	require.Equal(t, "oracle: 1 of 3 programs cannot ask Kafka 4.0.0, whose classes are others\n", stderr)

	code, stdout, stderr = called(t, "diff", "--kafka", "3.9.1", quick, "consumer_edges", "--dir", dir)
	require.Equal(t, commandline.ExitFailed, code)
	require.Contains(t, stdout, "consumer_edges: Kafka 3.9.1 has not what they are compiled with\n")
	require.Regexp(t, `cannot find symbol; symbol: class ConsumerMembershipManager`, stdout)
	require.Equal(t, "oracle: 1 of 2 programs cannot ask Kafka 3.9.1, whose classes are others\n", stderr)

	code, _, stderr = called(t, "diff", "--kafka", "0.0.1", quick, "--dir", dir)
	require.Equal(t, commandline.ExitFailed, code)
	require.Contains(t, stderr, "kafka-clients 0.0.1, or the jar of its tests, cannot be had: maven cannot resolve the jars: ")
	require.Contains(t, stderr, "kafka-clients:jar:0.0.1")
}
