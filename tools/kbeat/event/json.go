package event

import (
	"encoding/json"
	"io"
	"time"
)

// JSON is a reader for a Log that writes each event as a line of JSON. Times are UTC, to the microsecond.
func JSON(w io.Writer) func(Event) error {
	return func(e Event) error {
		e.Time = e.Time.UTC().Truncate(time.Microsecond)
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		_, err = w.Write(append(line, '\n'))
		return err
	}
}
