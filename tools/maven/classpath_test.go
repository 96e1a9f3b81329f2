package maven

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Of Maven's pages of errors there is the line that says what is wrong.
func TestRefusal(t *testing.T) {
	failed := errors.New("exit status 1")
	require.EqualError(t, refusal(failed, "[INFO] Scanning\n[ERROR] Failed to execute goal on project p: Could not resolve dependencies for project g:p:pom:1: Could not find kafka-clients:jar:9.9.9 in central -> [Help 1]\n[ERROR] \n[ERROR] To see the full stack trace, use -e\n"),
		"maven cannot resolve the jars: Could not find kafka-clients:jar:9.9.9 in central")
	for said, missing := range map[string]bool{
		"Could not find artifact g:a:jar:9.9.9 in central (https://repo)":                                                     true,
		"g:a:jar:9.9.9 was not found in https://repo during a previous attempt. This failure was cached":                      true,
		"Cannot access central (https://repo) in offline mode and the artifact g:a:jar:9.9.9 has not been downloaded from it": false,
		"Could not transfer artifact g:a:pom:9.9.9 from/to central (https://repo): Connection refused":                        false,
	} {
		err := refusal(failed, "[ERROR] Failed to execute goal on project p: Could not resolve dependencies for project g:p:pom:1: "+said+" -> [Help 1]\n")
		require.EqualError(t, err, "maven cannot resolve the jars: "+said)
		require.Equal(t, missing, errors.As(err, new(*NotFoundError)), said)
	}
	require.EqualError(t, refusal(failed, "no Java\n"), "maven cannot resolve the jars: exit status 1\nno Java\n")
	require.EqualError(t, refusal(&exec.Error{Name: "mvn", Err: exec.ErrNotFound}, ""), `java programs need Maven: exec: "mvn": executable file not found in $PATH`)
}

// What Maven has answered is believed while each of the jars is there, and for the same question only.
func TestAnswersAreKept(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	jar := filepath.Join(dir, "a.jar")
	mvn := filepath.Join(dir, "mvn") // says that there is this jar, and counts how often it is asked
	script := `#!/bin/sh
echo asked >>` + filepath.Join(dir, "asked") + `
for a in "$@"; do case $a in -Dmdep.outputFile=*) echo ` + jar + ` >"${a#*=}";; esac; done
`
	require.NoError(t, os.WriteFile(mvn, []byte(script), 0o755))
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	asked := func() int {
		text, err := os.ReadFile(filepath.Join(dir, "asked"))
		require.NoError(t, err)
		return len(text) / len("asked\n")
	}
	for i, c := range []struct {
		property string
		jar      bool
		asked    int
	}{
		{"v=1", true, 1}, {"v=1", true, 1}, {"v=2", true, 2}, {"v=1", true, 2}, {"v=1", false, 3},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			if c.jar {
				require.NoError(t, os.WriteFile(jar, nil, 0o600))
			} else {
				require.NoError(t, os.Remove(jar))
			}
			path, err := ClassPath(context.Background(), []byte("<project/>"), c.property)
			require.NoError(t, err)
			require.Equal(t, jar, path)
			require.Equal(t, c.asked, asked())
		})
	}
}

// Whoever asks while Maven is being asked waits for that answer.
func TestOneAsksAtATime(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kbeat", "maven.lock")
	unlock, err := lock(t.Context(), file)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err = lock(ctx, file)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, file)
	unlock()
	unlock, err = lock(t.Context(), file)
	require.NoError(t, err)
	unlock()
}
