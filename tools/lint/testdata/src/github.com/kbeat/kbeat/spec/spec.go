package spec

import (
	_ "fmt"

	_ "github.com/dave/jennifer/jen"        // want `spec must not import github.com/dave/jennifer/jen: a specification is data`
	_ "github.com/kbeat/kbeat/gen"          // want `spec must not import gen: a specification is data`
	_ "github.com/kbeat/kbeat/tools/fsmgen" // want `spec must not import tools/fsmgen: a specification is data` `spec must not import tools/fsmgen: tools are commands`
	_ "go.yaml.in/yaml/v4"
	_ "gopkg.in/yaml.v3" // want `a specification is data` `nobody maintains it`
)
