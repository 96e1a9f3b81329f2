package fsmgen

import (
	_ "github.com/spf13/cobra"
	_ "github.com/twmb/franz-go/pkg/kgo"
)
