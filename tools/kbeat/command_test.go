package main

import (
	"testing"

	"github.com/kbeat/kbeat/tools/commandline/worded"
)

func TestFlagsAreWorded(t *testing.T) { worded.Flags(t, rootCommand(session{})) }
