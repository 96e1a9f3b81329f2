package codes

import (
	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/twmb/franz-go/pkg/kerr"
)

// Code is not the generated type.
type Code int

const CodeOwn Code = 22

func decide(c classic.Code, name string) bool {
	if c == classic.CodeNone || c == classic.CodeDisconnect || Code(c) == CodeOwn {
		return true
	}
	switch c {
	case classic.CodeIllegalGeneration: // want `CodeIllegalGeneration is named in Go: what a code means is a rule, and belongs into spec/`
		return true
	case classic.CodeUnknownServerError: // want `CodeUnknownServerError is named in Go`
		return true
	}
	if kerr.ErrorForCode(int16(c)) == nil {
		return false
	}
	_ = kerr.IllegalGeneration // want `kerr.IllegalGeneration is named in Go`
	_ = "after an ILLEGAL_GENERATION one joins again"
	return name == "ILLEGAL_GENERATION" || name == "DISCONNECT" // want `ILLEGAL_GENERATION is named in Go`
}
