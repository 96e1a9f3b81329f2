package broker

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed pom.xml
var pom []byte

// classPath is the jars of the pom, as java wants them. Maven takes seconds to say so even when it has all of them, so
// the answer is kept in the user's cache under the pom's sum, and believed while each jar is there.
func classPath(ctx context.Context, scratch string) (string, error) {
	kept := ""
	if cache, err := os.UserCacheDir(); err == nil {
		kept = filepath.Join(cache, "kbeat", fmt.Sprintf("classpath-%x", sha256.Sum256(pom)))
		if path, err := os.ReadFile(kept); err == nil && allExist(filepath.SplitList(string(path))) {
			return string(path), nil
		}
	}
	path, err := askMaven(ctx, scratch)
	if err != nil {
		return "", err
	}
	if kept != "" {
		keep(kept, path)
	}
	return path, nil
}

func askMaven(ctx context.Context, scratch string) (string, error) {
	project, answer := filepath.Join(scratch, "pom.xml"), filepath.Join(scratch, "classpath")
	if err := os.WriteFile(project, pom, 0o644); err != nil {
		return "", err
	}
	mvn := exec.CommandContext(ctx, "mvn", "-q", "-B", "-f", project, "dependency:build-classpath", "-Dmdep.outputFile="+answer)
	if out, err := mvn.CombinedOutput(); err != nil {
		return "", fmt.Errorf("maven cannot resolve the broker's jars: %w\n%s", err, out)
	}
	path, err := os.ReadFile(answer)
	return strings.TrimSpace(string(path)), err
}

// keep is best effort: without it the next start asks Maven again. The file appears whole or not at all, since test
// processes that run side by side share it.
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
