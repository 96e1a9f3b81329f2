package layers

import (
	_ "github.com/kbeat/kbeat/fsm/classic"
	_ "github.com/kbeat/kbeat/gen"       // want `the loop drives generated decisions`
	_ "github.com/looplab/fsm"           // want `looplab/fsm stands behind the generated Machine`
	_ "github.com/spf13/cobra"           // want `a library has no command line`
	_ "github.com/twmb/franz-go/pkg/kgo" // want `heartbeat/layers must not import github.com/twmb/franz-go/pkg/kgo: the wire is a Transport's business`
)
