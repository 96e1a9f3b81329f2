package heartbeat

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Renew is the command that renews all that the tests of this package have on record of the rules; the diff is for review.
const Renew = "go test ./heartbeat -run 'Oracle|Scenarios|Reactions' -rewrite"

// Rewriting reports whether it is running. The flag is datadriven's.
func Rewriting() bool { return flag.Lookup("rewrite").Value.String() == "true" }

// Who reads README.md renews the same.
func TestReadmeRenewsAll(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	require.True(t, strings.Contains(string(readme), "`"+Renew+"`"), "README.md has another command than %s", Renew)
}
