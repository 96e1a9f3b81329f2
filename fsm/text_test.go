package fsm_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm"
)

func TestExpand(t *testing.T) {
	for text, want := range map[fsm.Text]string{
		"":                                       "",
		"group is already rebalancing":           "group is already rebalancing",
		"encountered {code} from {api} response": "encountered CODE from API response",
		"{member_id}":                            "MEMBER_ID",
		"{given}{given}":                         "GIVENGIVEN",
		"a { b } {c}":                            "a { b } C",
		"{{code}}":                               "{CODE}",
		"{} {Code} {1} {code":                    "{} {Code} {1} {code",
		"}{":                                     "}{",
	} {
		require.Equal(t, want, text.Expand(strings.ToUpper), string(text))
	}
	require.Equal(t, "{code}", fsm.Text("{code}").Expand(func(string) string { return "{code}" }), "a value is not expanded again")
}
