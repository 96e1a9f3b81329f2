package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/kbeat/kbeat/tools/maven"
)

//go:embed java
var sources embed.FS

const javaPackage = "org.apache.kafka.clients.consumer.internals" // for what Kafka keeps to its own packages

// oracle is the programs, compiled against a version of Kafka.
type oracle struct {
	classPath string // Kafka's
	scratch   string // what is ours: src, and classes once compiled
}

// newOracle has Maven resolve Kafka's jars; where no version is named they are those of the pom. Until release, the oracle has a
// folder for temporary files.
func newOracle(ctx context.Context, version string) (*oracle, error) {
	pom, err := sources.ReadFile("java/pom.xml")
	if err != nil {
		return nil, err
	}
	var properties []string
	if version != "" {
		properties = append(properties, "kafka.version="+version)
	}
	jars, err := maven.ClassPath(ctx, pom, properties...)
	if err != nil {
		if missing := (*maven.NotFoundError)(nil); version != "" && errors.As(err, &missing) {
			return nil, fmt.Errorf("kafka-clients %s, or the jar of its tests, cannot be had: %w; %s", version, err, versionsInWords())
		}
		return nil, err
	}
	scratch, err := os.MkdirTemp("", "oracle-")
	if err != nil {
		return nil, err
	}
	o := &oracle{classPath: jars, scratch: scratch}
	java, err := fs.Sub(sources, "java")
	if err == nil {
		err = os.CopyFS(scratch, java)
	}
	if err != nil {
		o.release()
		return nil, err
	}
	return o, nil
}

func (o *oracle) release() { os.RemoveAll(o.scratch) }

// compile makes classes of the programs, and of no more than they need.
func (o *oracle) compile(ctx context.Context, programs ...program) error {
	src := filepath.Join(o.scratch, "src")
	args := []string{"-nowarn", "-Xlint:-options", "--release", "17", "-cp", o.classPath, "-sourcepath", src, "-d", o.classes()}
	for _, p := range programs {
		args = append(args, filepath.Join(src, filepath.FromSlash(path.Join(strings.Split(javaPackage, ".")...)), p.class+".java"))
	}
	out, err := exec.CommandContext(ctx, "javac", args...).CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("the oracle needs a JDK of Java 17: %w", err)
	case err != nil:
		return errors.New(compilerErrors(string(out)))
	}
	return nil
}

func (o *oracle) classes() string { return filepath.Join(o.scratch, "classes") }

// ask runs a program, and returns the facts that it prints.
func (o *oracle) ask(ctx context.Context, p program) ([]byte, error) {
	args := []string{"-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData",
		"--add-opens", "java.base/java.lang=ALL-UNNAMED", // where a thread keeps the seed of its random numbers
		"-cp", o.classes() + string(filepath.ListSeparator) + o.classPath, javaPackage + "." + p.class}
	cmd := exec.CommandContext(ctx, "java", append(args, p.args...)...)
	var facts, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &facts, &said
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%s: %w: %s", p.class, err, exception(said.String()))
	}
	if _, err := readHead(facts.Bytes()); err != nil {
		return nil, fmt.Errorf("%s: what it prints are no facts: %w", p.class, err)
	}
	return facts.Bytes(), nil
}

var (
	compilerError  = regexp.MustCompile(`^.*?([A-Za-z0-9]+\.java:\d+): error: (.*)$`)
	compilerDetail = regexp.MustCompile(`^\s+(symbol|location|required|found|reason): +(.*)$`)
	compilerChoice = regexp.MustCompile(`^\s+(?:constructor|method) (?:[A-Za-z0-9]+\.)?(.*) is not applicable$`)
)

// compilerErrors is the lines of javac that say what is wrong: one for each error, with the symbol that it is about.
func compilerErrors(out string) string {
	var errs []string
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\r\n")
		if m := compilerError.FindStringSubmatch(line); m != nil {
			errs = append(errs, m[1]+": "+strings.TrimRight(m[2], ";"))
		} else if m := compilerDetail.FindStringSubmatch(line); m != nil && len(errs) > 0 {
			errs[len(errs)-1] += "; " + m[1] + ": " + strings.Join(strings.Fields(m[2]), " ")
		} else if m := compilerChoice.FindStringSubmatch(line); m != nil && len(errs) > 0 {
			errs[len(errs)-1] += "; there is: " + m[1]
		}
	}
	if errs == nil {
		return strings.TrimSpace(out)
	}
	return strings.Join(errs, "\n")
}

// exception is what a stack trace says, and where in our programs that happened.
func exception(trace string) string {
	var said []string
	for line := range strings.Lines(trace) {
		line = strings.TrimSpace(line)
		frame, isFrame := strings.CutPrefix(line, "at ")
		switch {
		case !isFrame && line != "" && !strings.HasPrefix(line, "... "):
			said = append(said, line)
		case isFrame && len(said) > 0 && !strings.Contains(said[len(said)-1], " at ") && strings.Contains(frame, javaPackage):
			said[len(said)-1] += " at " + strings.TrimPrefix(frame, javaPackage+".")
		}
	}
	return strings.Join(said, "; ")
}
