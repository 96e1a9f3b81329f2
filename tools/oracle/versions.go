package main

import (
	"fmt"
	"strings"
)

// version is one of Kafka's.
type version struct {
	number string
	partly bool // its classes are others, so that not all programs compile
}

// knownVersions are those that were asked, the newest first.
func knownVersions() []version {
	return []version{{"4.3.1", false}, {"4.2.1", false}, {"4.1.1", false}, {"4.0.0", true}, {"3.9.1", true}}
}

// versionsInWords is the known versions as a sentence.
func versionsInWords() string {
	var wholly, partly []string
	for _, v := range knownVersions() {
		if v.partly {
			partly = append(partly, v.number)
		} else {
			wholly = append(wholly, v.number)
		}
	}
	return fmt.Sprintf("versions that are known to work are %s, and with some of the programs %s", strings.Join(wholly, ", "), strings.Join(partly, ", "))
}
