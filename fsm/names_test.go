package fsm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm"
)

type fruit uint8

// fruits have a hole at 0, as enumerations have that count from one.
var fruits = fsm.Names[fruit]{Of: "fruit", List: []string{1: "apple", 2: "pear", 3: "blackcurrant"}}

func TestNames(t *testing.T) {
	for i, name := range fruits.List {
		if name == "" {
			continue
		}
		require.Equal(t, name, fruits.String(fruit(i)))
		text, err := fruits.Marshal(fruit(i))
		require.NoError(t, err)
		back, err := fruits.Parse(string(text))
		require.NoError(t, err)
		require.Equal(t, fruit(i), back)
	}
	for _, none := range []fruit{0, 4, 255} {
		require.Regexp(t, `^fruit\(\d+\)$`, fruits.String(none))
		_, err := fruits.Marshal(none)
		require.ErrorContains(t, err, "no fruit has the number")
	}
}

func TestUnknownName(t *testing.T) {
	for _, c := range []struct{ name, near string }{
		{"aple", "apple"},
		{"Pear", "pear"},
		{"black-currant", "blackcurrant"},
		{"plum", ""},
		{"", ""},
		{"fruit(1)", ""},
	} {
		_, err := fruits.Parse(c.name)
		var unknown *fsm.UnknownNameError
		require.ErrorAs(t, err, &unknown, c.name)
		require.Equal(t, fsm.UnknownNameError{Of: "fruit", Name: c.name, Near: c.near}, *unknown)
	}
	require.EqualError(t, &fsm.UnknownNameError{Of: "fruit", Name: "aple", Near: "apple"}, `unknown fruit "aple"; did you mean apple?`)
	require.EqualError(t, &fsm.UnknownNameError{Of: "fruit", Name: "plum"}, `unknown fruit "plum"`)
}

type basket uint16

var baskets = fsm.SetNames[basket]{Of: "fruit", List: fruits.List}

func TestSetNames(t *testing.T) {
	for set, text := range map[basket]string{0: "none", 2: "apple", 2 | 8: "apple|blackcurrant"} {
		require.Equal(t, text, baskets.String(set))
		marshalled, err := baskets.Marshal(set)
		require.NoError(t, err)
		back, err := baskets.Parse(string(marshalled))
		require.NoError(t, err)
		require.Equal(t, set, back)
	}
	require.Equal(t, "fruit(0)|apple|fruit(15)", baskets.String(1|2|1<<15))
	_, err := baskets.Marshal(1 << 15)
	require.ErrorContains(t, err, "fruit(15)")
	for _, text := range []string{"", "apple|", "apple|aple", "none|apple"} {
		_, err := baskets.Parse(text)
		require.ErrorAs(t, err, new(*fsm.UnknownNameError), text)
	}
}

func TestEnumerations(t *testing.T) {
	for c := fsm.ClassNone; c <= fsm.ClassIgnored; c++ {
		text, err := c.MarshalText()
		require.NoError(t, err)
		var back fsm.Class
		require.NoError(t, back.UnmarshalText(text))
		require.Equal(t, c, back)
	}
	require.Equal(t, "backoff", fsm.ClassBackoff.String())
	require.Equal(t, []string{"response", "loop", "event"}, []string{fsm.KindResponse.String(), fsm.KindLoop.String(), fsm.KindEvent.String()})
	require.Equal(t, []string{"none", "own", "code", "named"},
		[]string{fsm.ErrorNone.String(), fsm.ErrorOwn.String(), fsm.ErrorCode.String(), fsm.ErrorNamed.String()})
}
