package main

import (
	"fmt"

	"go.yaml.in/yaml/v4"
)

// data is documented.yaml: what is kept by hand.
type data struct {
	Unanswered  []end                          `yaml:"unanswered"`
	Corrections map[string]correction          `yaml:"corrections"`
	Settings    []string                       `yaml:"settings"`
	Callbacks   []string                       `yaml:"callbacks"`
	Documented  map[string]map[string][]string `yaml:"documented"` // response, source, names of codes
}

// end is a way in which a request ends without an answer.
type end struct {
	Name      string `yaml:"name"`
	Retriable bool   `yaml:"retriable"`
	Message   string `yaml:"message"`
}

// correction of what the library says of a code. The zero value of a field corrects nothing.
type correction struct {
	Name      string `yaml:"name"`
	Retriable *bool  `yaml:"retriable"`
	Why       string `yaml:"why"`
}

func readData(text []byte) (*data, error) {
	var d data
	if err := yaml.Load(text, &d, yaml.WithKnownFields()); err != nil {
		return nil, fmt.Errorf("documented.yaml: %w", err)
	}
	return &d, nil
}
