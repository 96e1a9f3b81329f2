package gen

import (
	_ "github.com/dave/jennifer/jen"
	_ "github.com/kbeat/kbeat/fsm/classic"     // want `gen must not import fsm/classic: the generator serves every machine`
	_ "github.com/kbeat/kbeat/heartbeat/franz" // want `the generator serves every machine`
	_ "github.com/looplab/fsm"                 // want `the generator serves every machine`
	_ "github.com/stretchr/testify/require"    // want `libraries for tests would come into every user's build`
	_ "github.com/twmb/franz-go/pkg/kgo"       // want `the generator serves every machine` `the wire is a Transport's business`
)
