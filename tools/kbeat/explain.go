package main

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"go.yaml.in/yaml/v4"

	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/kbeat/live"
)

// adviceText says what a person can do about an error code. What a member does about it is the specification's affair.
//
//go:embed advice.yaml
var adviceText []byte

// advice is what to do about the error of this name; "" where there is nothing better to say than the error itself.
func advice(name string) string {
	var texts map[string]string
	if err := yaml.Load(adviceText, &texts); err != nil {
		return "" // a test holds the file to what it should be
	}
	return texts[name]
}

// explain is an error as one line that says what to do.
func explain(err error) string {
	var (
		decided     *heartbeat.Error
		config      *heartbeat.ConfigError
		unreachable *live.UnreachableError
		topic       *live.TopicError
		refused     *kerr.Error
	)
	text := err.Error()
	switch {
	case errors.As(err, &decided):
		text = explainDecided(decided)
	case errors.As(err, &config):
		text = asFlags(config.Field + " " + config.Problem)
	case errors.As(err, &unreachable):
		text += "; check --brokers, and whether they want --tls or --sasl-mechanism"
	case errors.As(err, &topic) && errors.As(topic.Err, &refused):
		text = withAdvice(fmt.Sprintf("topic %q: %s (%s)", topic.Topic, refused.Message, sentence(refused.Description)), refused.Message)
	}
	return strings.ReplaceAll(text, "\n", " ")
}

// explainDecided is an error that a rule has raised.
func explainDecided(e *heartbeat.Error) string {
	what := e.Code.String()
	if message := e.Code.Message(); message != "" {
		what += " (" + sentence(message) + ")"
	}
	if e.Name != e.Code.String() {
		what = e.Name
	}
	text := fmt.Sprintf("group %q: %s: %s", e.Group, e.Input, what)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	text = withAdvice(text, e.Code.String())
	if e.Rule != nil {
		text += " [" + e.Rule.At() + "]"
	}
	return text
}

func withAdvice(text, name string) string {
	if a := advice(name); a != "" {
		return text + "; " + a
	}
	return text
}

// sentence is a message without its full stop.
func sentence(message string) string { return strings.TrimSuffix(message, ".") }
