// Command catalogue writes spec/catalogue/kafka.yaml: every error code of Kafka, how a request ends without an answer,
// and which codes the protocol documents for which response.
//
//	catalogue -o spec/catalogue/kafka.yaml          write it
//	catalogue -check -o spec/catalogue/kafka.yaml   exit with 1 when what is there is not what would be written
//
// Where it is called wrongly it exits with 64.
//
// The codes are those of franz-go's package kerr; documented.yaml adds what kerr does not know. It never asks a broker.
package main

import (
	"bytes"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/kbeat/kbeat/tools/commandline"
)

//go:embed documented.yaml
var documented []byte

func main() {
	out := flag.String("o", "", "file to write, or to compare with")
	check := flag.Bool("check", false, "write nothing; exit with 1 when the file is stale")
	if err := commandline.Parse(flag.CommandLine, os.Args[1:], func(args []string) error {
		if *out == "" {
			return errors.New("-o is missing: which file?")
		}
		return commandline.NoArguments(args)
	}); err != nil {
		os.Exit(commandline.ExitCode(err))
	}
	os.Exit(commandline.Run("catalogue", os.Stdout, os.Stderr, func(io.Writer) error { return run(*out, *check) }))
}

func run(out string, check bool) error {
	d, err := readData(documented)
	if err != nil {
		return err
	}
	c, err := build(libraryCodes(), d)
	if err != nil {
		return err
	}
	text := c.render()
	if there, err := os.ReadFile(out); err == nil && bytes.Equal(there, text) {
		return nil
	}
	if check {
		return fmt.Errorf("%s is stale; run go generate ./spec", out)
	}
	return replace(out, text)
}
