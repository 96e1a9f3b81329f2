package broker

import (
	"os"
	"strings"
)

// tailLines is how much of a broker's log a failed test prints.
const tailLines = 80

// logFile is where a broker's output goes, through all its restarts.
type logFile string

func (f logFile) open() (*os.File, error) {
	return os.OpenFile(string(f), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
}

func (f logFile) contains(text string) bool {
	all, err := os.ReadFile(string(f))
	return err == nil && strings.Contains(string(all), text)
}

func (f logFile) tail(lines int) string {
	all, err := os.ReadFile(string(f))
	if err != nil {
		return err.Error()
	}
	list := strings.Split(strings.TrimRight(string(all), "\n"), "\n")
	return strings.Join(list[max(0, len(list)-lines):], "\n")
}
