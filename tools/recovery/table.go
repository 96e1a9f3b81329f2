package main

import (
	"fmt"
	"strings"
	"time"
)

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

func (s spread) String() string {
	if s == (spread{}) {
		return "none"
	}
	return fmt.Sprintf("%s / %s", seconds(s.median), seconds(s.most))
}

// table is the rows in Markdown.
func table(rows []row) string {
	var b strings.Builder
	b.WriteString("| coordinator | session | members | client | partitions lost | rejoins | longest gap between commits, median / most | first commit after the fault, median / most | lookups a member-second | records lost |\n" +
		"|---|--:|--:|---|--:|--:|--:|--:|--:|--:|\n")
	for _, f := range allFaults {
		for _, r := range rows {
			if r.fault.id != f.id {
				continue
			}
			first := r.first.String()
			if r.silent > 0 {
				first += fmt.Sprintf(", %d never", r.silent)
			}
			fmt.Fprintf(&b, "| %s | %s | %d | %s | %d | %d | %s | %s | %.2f | %d |\n", r.fault.name, r.group.session, r.group.members, r.group.client,
				r.lost, r.rejoins, r.gaps, first, r.lookups, r.recordsLost)
		}
	}
	return b.String()
}

// verdict is the gates that failed, as a list.
func verdict(missed []string) string {
	if len(missed) == 0 {
		return "All gates hold.\n"
	}
	return "Gates that failed:\n\n- " + strings.Join(missed, "\n- ") + "\n"
}
