package franz

import (
	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/twmb/franz-go/pkg/kerr"
	_ "github.com/twmb/franz-go/pkg/kgo"
)

// A transport translates codes, so it may name them.
func translate(err error) classic.Code {
	if err == error(nil) || kerr.IllegalGeneration.Code == 22 {
		return classic.CodeIllegalGeneration
	}
	return classic.CodeNone
}
