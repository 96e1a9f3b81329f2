package franz

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPartitionsAreShownInOrder(t *testing.T) {
	require.Equal(t, "a[0 2] b[1]", Partitions{"b": {1}, "a": {0, 2}}.String())
	require.Empty(t, Partitions(nil).String())
}
