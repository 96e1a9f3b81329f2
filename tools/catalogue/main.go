// Command catalogue writes spec/catalogue/kafka.yaml: every error code of Kafka, how a request ends without an answer,
// and which codes the protocol documents for which response.
//
//	catalogue -o spec/catalogue/kafka.yaml          write it
//	catalogue -check -o spec/catalogue/kafka.yaml   exit with 1 when what is there is not what would be written
//
// The codes are those of franz-go's package kerr; documented.yaml adds what kerr does not know. It never asks a broker.
package main

import (
	"bytes"
	_ "embed"
	"flag"
	"fmt"
	"os"
)

//go:embed documented.yaml
var documented []byte

func main() {
	out := flag.String("o", "", "file to write, or to compare with")
	check := flag.Bool("check", false, "write nothing; exit with 1 when the file is stale")
	flag.Parse()
	if *out == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*out, *check); err != nil {
		fmt.Fprintln(os.Stderr, "catalogue:", err)
		os.Exit(1)
	}
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
