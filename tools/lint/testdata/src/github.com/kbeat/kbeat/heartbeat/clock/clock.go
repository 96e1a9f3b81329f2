package clock

import "time"

func steady(start time.Time) time.Duration {
	end := start.Add(time.Second)
	if end.Before(time.Now()) || end.After(start) || end.IsZero() {
		return time.Until(end)
	}
	return time.Since(start) + end.Sub(start).Round(time.Second)
}

func daily(t time.Time) int64 {
	_ = time.Unix(0, 0)      // want `time.Unix tells the time of day`
	_ = t.Round(0)           // want `\(time.Time\).Round tells the time of day`
	later := time.Time.UTC   // want `\(time.Time\).UTC tells the time of day`
	_ = t.UnmarshalText(nil) // want `\(\*time.Time\).UnmarshalText tells the time of day`
	return later(t).Unix()   // want `\(time.Time\).Unix tells the time of day`
}
