package layers

import (
	_ "github.com/kbeat/kbeat/fsm/classic"
	_ "github.com/looplab/fsm"
	_ "go.yaml.in/yaml/v4" // want `fsm/layers must not import go.yaml.in/yaml/v4: what is generated comes into every user's build`
)
