// Package maven has Maven say what Java programs are made of.
package maven

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// ClassPath is the jars of a pom, as java wants them; properties are NAME=VALUE and override the pom's. Maven takes seconds to
// say so even when it has all of them, so the answer is kept in the user's cache under the sum of what was asked, and believed
// while each jar is there. One process of a user asks at a time: Maven does not expect another one to download the same.
func ClassPath(ctx context.Context, pom []byte, properties ...string) (string, error) {
	kept := ""
	if cache, err := os.UserCacheDir(); err == nil {
		asked := sha256.Sum256([]byte(strings.Join(append(properties, string(pom)), "\n")))
		kept = filepath.Join(cache, "kbeat", fmt.Sprintf("classpath-%x", asked))
		if path, ok := known(kept); ok {
			return path, nil
		}
		unlock, err := lock(ctx, filepath.Join(cache, "kbeat", "maven.lock"))
		if err != nil {
			return "", err
		}
		defer unlock()
		if path, ok := known(kept); ok { // by whom we have waited for
			return path, nil
		}
	}
	path, err := ask(ctx, pom, properties)
	if err != nil {
		return "", err
	}
	if kept != "" {
		keep(kept, path)
	}
	return path, nil
}

// known is the answer that was kept, while it is true.
func known(kept string) (path string, ok bool) {
	text, err := os.ReadFile(kept)
	return string(text), err == nil && allExist(filepath.SplitList(string(text)))
}

func ask(ctx context.Context, pom []byte, properties []string) (string, error) {
	scratch, err := os.MkdirTemp("", "maven-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch)
	project, answer := filepath.Join(scratch, "pom.xml"), filepath.Join(scratch, "classpath")
	if err := os.WriteFile(project, pom, 0o600); err != nil {
		return "", err
	}
	args := []string{"-q", "-B", "-f", project, "dependency:build-classpath", "-Dmdep.outputFile=" + answer}
	for _, p := range properties {
		args = append(args, "-D"+p)
	}
	if out, err := exec.CommandContext(ctx, "mvn", args...).CombinedOutput(); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", refusal(err, string(out))
	}
	path, err := os.ReadFile(answer)
	return strings.TrimSpace(string(path)), err
}

// NotFoundError is that there is no such jar where Maven asks for it. That it cannot ask is another error.
type NotFoundError struct{ Said string } // by Maven, in a line

func (e *NotFoundError) Error() string { return unresolved + e.Said }

const unresolved = "maven cannot resolve the jars: "

// notFound is how Maven says that there is no such jar: as an answer, and as one that it had before.
var notFound = regexp.MustCompile(`\b(Could not find artifact|was not found in) `)

// around is what Maven says around the reason: what it was about to do, and the number of a page that it names further below.
var around = regexp.MustCompile(`^Failed to execute goal on project \S+: Could not resolve dependencies for project \S+: | -> \[Help \d+\]$`)

// refusal is the first thing that Maven says of its failure: what follows is advice on how to call Maven.
func refusal(err error, out string) error {
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("java programs need Maven: %w", err)
	}
	for line := range strings.Lines(out) {
		if _, said, found := strings.Cut(line, "[ERROR] "); found {
			said = around.ReplaceAllString(strings.TrimSpace(said), "")
			if notFound.MatchString(said) {
				return &NotFoundError{said}
			}
			return errors.New(unresolved + said)
		}
	}
	return fmt.Errorf(unresolved+"%w\n%s", err, out)
}

// keep is best effort: without it the next start asks Maven again. The file appears whole or not at all, since processes
// that run side by side share it.
func keep(file, path string) {
	if os.MkdirAll(filepath.Dir(file), 0o755) != nil {
		return
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file))
	if err != nil {
		return
	}
	_, err = tmp.WriteString(path)
	if closed := tmp.Close(); err != nil || closed != nil || os.Rename(tmp.Name(), file) != nil {
		os.Remove(tmp.Name())
	}
}

func allExist(files []string) bool {
	for _, f := range files {
		if _, err := os.Stat(f); err != nil {
			return false
		}
	}
	return len(files) > 0
}
