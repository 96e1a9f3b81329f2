package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// samplesOf is one repetition of three clients; change is what kbeat shows.
func samplesOf(f fault, session time.Duration, change func(*sample)) (all []sample) {
	for _, c := range clients {
		s := sample{
			fault: f, repetition: 1, group: group{c, session, 3}, watched: f.watch, lost: 4, rejoins: 2, lookups: 6,
			gaps:  []time.Duration{10 * time.Second, 12 * time.Second, 20 * time.Second},
			first: []time.Duration{9 * time.Second, 11 * time.Second, 15 * time.Second},
		}
		if c == kbeat {
			s.gaps[2] = 14 * time.Second
			change(&s)
		}
		all = append(all, s)
	}
	return all
}

func TestGates(t *testing.T) {
	for name, c := range map[string]struct {
		fault   fault
		session time.Duration
		change  func(*sample)
		missed  string
	}{
		"all hold":      {longStop, 20 * time.Second, func(*sample) {}, ""},
		"lost":          {killed, 10 * time.Second, func(s *sample) { s.lost = 5 }, "5 partitions were lost, 1 more than Java's 4"},
		"rejoins":       {killed, 10 * time.Second, func(s *sample) { s.rejoins = 4 }, "4 JoinGroups, 2 more than Java's 2"},
		"gap":           {cut, 45 * time.Second, func(s *sample) { s.gaps[0] = 14100 * time.Millisecond }, "a gap of 14.1 s between commits in repetition 1; Java's median of 12.0 s and 2.0 s are the limit, exceeded by 0.1 s"},
		"late":          {longStop, 20 * time.Second, func(s *sample) { s.first[1] = 17 * time.Second }, "the first commit after the fault came after 17.0 s; 15.0 s is the limit, exceeded by 2.0 s"},
		"late, session": {longStop, 45 * time.Second, func(s *sample) { s.first[1] = 17 * time.Second }, ""},
		"late, fault":   {killed, 20 * time.Second, func(s *sample) { s.first[1] = 17 * time.Second }, ""},
		"silent":        {killed, 20 * time.Second, func(s *sample) { s.silent = 1 }, "1 members did not commit again"},
		"records":       {killed, 20 * time.Second, func(s *sample) { s.recordsLost = 7 }, "7 records were lost; none may be"},
	} {
		t.Run(name, func(t *testing.T) {
			missed := gates(summarize(samplesOf(c.fault, c.session, c.change)))
			if c.missed == "" {
				require.Empty(t, missed)
				return
			}
			require.Equal(t, []string{"coordinator " + c.fault.name + ", session " + c.session.String() + ", 3 members: " + c.missed}, missed)
		})
	}
	slow := samplesOf(killed, 20*time.Second, func(s *sample) { s.gaps[2] = 17 * time.Second })
	for i := range slow {
		slow[i].repetition = 2
	}
	slow[1].gaps = []time.Duration{15 * time.Second, 15 * time.Second, 15 * time.Second}
	require.Empty(t, gates(summarize(append(slow, samplesOf(killed, 20*time.Second, func(*sample) {})...))), "Java's of the same repetition count")
	alone := samplesOf(killed, 20*time.Second, func(*sample) {})[:1]
	require.Equal(t, []string{"coordinator " + killed.name + ", session 20s, 3 members: there is nothing of Java's consumer to compare with"}, gates(summarize(alone)))
}

func TestTable(t *testing.T) {
	samples := samplesOf(longStop, 20*time.Second, func(s *sample) { s.first, s.silent = s.first[:1], 2 })
	samples = append(samples, samplesOf(longStop, 20*time.Second, func(s *sample) { s.lookups, s.recordsLost = 45, 2 })...)
	samples = append(samples, samplesOf(killed, 10*time.Second, func(s *sample) { s.first, s.silent = nil, 3 })[:1]...)
	text := table(summarize(samples))
	require.Equal(t, `| coordinator | session | members | client | partitions lost | rejoins | longest gap between commits, median / most | first commit after the fault, median / most | lookups a member-second | records lost |
|---|--:|--:|---|--:|--:|--:|--:|--:|--:|
| killed by SIGKILL, started again after 20 s | 10s | 3 | kbeat | 4 | 2 | 12.0 s / 14.0 s | none, 3 never | 0.04 | 0 |
| stopped for 60 s | 20s | 3 | kbeat | 8 | 4 | 12.0 s / 14.0 s | 10.0 s / 15.0 s, 2 never | 0.10 | 2 |
| stopped for 60 s | 20s | 3 | Java | 8 | 4 | 12.0 s / 20.0 s | 11.0 s / 15.0 s | 0.02 | 0 |
| stopped for 60 s | 20s | 3 | franz-go | 8 | 4 | 12.0 s / 20.0 s | 11.0 s / 15.0 s | 0.02 | 0 |
`, text)
	require.Equal(t, "All gates hold.\n", verdict(nil))
	require.Equal(t, "Gates that failed:\n\n- a\n- b\n", verdict([]string{"a", "b"}))
	page := document(newPlan(options{repetitions: 5}), time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), text)
	require.Contains(t, page, "Measured on 2026-12-01 by `make recovery ARGS=\"-o FILE\"`")
	require.Contains(t, page, text)
}
