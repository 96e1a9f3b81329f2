package heartbeat_test

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kbeat/kbeat/heartbeat"
)

// diary is what happens in a world, in an order that is the same in each run: at one time first what a member decides,
// then what the broker sees, what the application is told, and which of its calls have ended.
type diary struct {
	began time.Time

	mu      sync.Mutex
	entries []entry
	ids     map[string]string // the names of member ids, which are random
	hidden  map[string]bool   // applications that are left out
}

type entry struct {
	at   time.Duration
	kind kind
	who  string // the application that it is about; "" where there is one only
	rule string // its name, with ruled
	text string
}

// kind is who an entry is by.
type kind string

const (
	ruled   kind = "rule" // a rule has decided
	sent    kind = "sent" // a request has come to the broker
	told    kind = "app"  // the application is told
	ended   kind = "call" // a call of the application has ended
	noticed kind = "log"  // the member logs a failure
)

func newDiary() *diary {
	return &diary{began: time.Now(), ids: map[string]string{}, hidden: map[string]bool{}}
}

// now is the time that entries have.
func (d *diary) now() time.Duration { return time.Since(d.began) }

func (d *diary) add(kind kind, who, format string, args ...any) {
	d.write(entry{kind: kind, who: who, text: fmt.Sprintf(format, args...)})
}

func (d *diary) write(e entry) {
	d.mu.Lock()
	defer d.mu.Unlock()
	e.at = d.now()
	d.entries = append(d.entries, e)
}

// hide leaves out what an application does.
func (d *diary) hide(who string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hidden[who] = true
}

// take empties the diary, and gives it in order.
func (d *diary) take() []entry {
	d.mu.Lock()
	defer d.mu.Unlock()
	entries := slices.DeleteFunc(d.entries, func(e entry) bool { return d.hidden[e.who] })
	d.entries = nil
	slices.SortStableFunc(entries, func(a, b entry) int {
		c := cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(rank(a.kind), rank(b.kind)), cmp.Compare(a.who, b.who))
		switch {
		case c != 0:
		case a.kind == ended: // each on a goroutine of its own
			c = cmp.Compare(a.text, b.text)
		case a.kind == sent: // by API: each has a connection of its own
			api, _, _ := strings.Cut(a.text, " ")
			other, _, _ := strings.Cut(b.text, " ")
			c = cmp.Compare(api, other)
		}
		return c
	})
	for i := range entries {
		entries[i].text = d.named(entries[i].text)
	}
	return entries
}

// last is what has happened last, for whom a test's failure is a riddle.
func (d *diary) last(n int) string {
	entries := d.take()
	var b strings.Builder
	for _, e := range entries[max(0, len(entries)-n):] {
		b.WriteString("\n" + e.String())
	}
	return b.String()
}

// count is how often a rule has decided.
func (d *diary) count(rule string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for _, e := range d.entries {
		if e.rule == rule || strings.HasPrefix(e.rule, rule+"/") {
			n++
		}
	}
	return n
}

// texts empties the diary, and gives what is of one kind.
func (d *diary) texts(k kind) []string { return only(d.take(), k) }

func rank(k kind) int { return slices.Index([]kind{ruled, noticed, sent, told, ended}, k) }

var memberID = regexp.MustCompile(`[a-z]+-[0-9a-f]{32}`)

// named gives each member id a name: m1 is the first, and so on.
func (d *diary) named(text string) string {
	return memberID.ReplaceAllStringFunc(text, func(id string) string {
		if _, ok := d.ids[id]; !ok {
			d.ids[id] = fmt.Sprintf("m%d", len(d.ids)+1)
		}
		return d.ids[id]
	})
}

func (e entry) String() string {
	text := e.text
	if e.who != "" {
		text = e.who + ": " + text
	}
	return fmt.Sprintf("%8.3f %-4s %s", e.at.Seconds(), e.kind, text)
}

// outcome is an error as a transcript has it: an *Error by its name and rule, without the line that the rule is on.
func outcome(err error) string {
	var e *heartbeat.Error
	switch {
	case err == nil:
		return "ok"
	case !errors.As(err, &e):
		text, _, _ := strings.Cut(err.Error(), "\n") // without the stack of a panic
		return text
	case e.Rule == nil:
		return e.Name
	}
	text := e.Name + " by " + e.Rule.Name
	if e.Err != nil && e.Name == "CALLBACK" || e.Name == "LOOP" || e.Name == "ASSIGNMENT" {
		text += ": " + outcome(e.Err)
	}
	if before, _, ok := strings.Cut(err.Error(), "; the last failure: "); ok {
		text = before + "; the last failure: " + text
	}
	return text
}

// fired is a rule that has decided, as a transcript has it.
func fired(f heartbeat.Fired) string {
	text := f.Rule.Name
	if f.Request != 0 && !strings.Contains("/"+f.Rule.Name+"/", "/"+f.Code.String()+"/") {
		text += " [" + f.Code.String() + "]"
	}
	if f.From != f.To {
		text += " -> " + f.To.String()
	}
	return text
}

// only is the texts of one kind.
func only(entries []entry, k kind) []string {
	var texts []string
	for _, e := range entries {
		if e.kind == k {
			texts = append(texts, e.text)
		}
	}
	return texts
}
