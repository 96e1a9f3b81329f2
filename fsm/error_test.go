package fsm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm"
)

func TestErrorText(t *testing.T) {
	require.Equal(t, "NOT_FOUND", fsm.ErrorText("NOT_FOUND", ""))
	require.Equal(t, "NOT_FOUND: It is not here", fsm.ErrorText("NOT_FOUND", "It is not here."))
	require.Equal(t, "GONE: it was here", fsm.ErrorText("GONE", "it was here"))
}
