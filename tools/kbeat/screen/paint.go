package screen

import (
	"os"
	"strings"
)

// The colours, as numbers of ECMA-48's "select graphic rendition".
const (
	bold   = "1"
	faint  = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
)

// memberColours are given to members in turn. Red and green say that something is bad or good.
var memberColours = [...]string{"36", "35", "34", "33", "96", "95", "94", "93"}

// Coloured reports whether what is written to f should have colours: it is a terminal that has some, and NO_COLOR
// (no-color.org) is not set.
func Coloured(f *os.File, getenv func(string) string) bool {
	if getenv("NO_COLOR") != "" || getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// paint colours text, where there are colours.
func (s *Screen) paint(colour, text string) string {
	if !s.coloured || text == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// name is a member's, in its colour, as wide as the widest.
func (s *Screen) name(member string) string {
	return s.paint(s.colourOf(member), pad(member, nameWidth))
}

func (s *Screen) colourOf(member string) string {
	i, ok := s.colours[member]
	if !ok {
		i = len(s.colours)
		s.colours[member] = i
	}
	return memberColours[i%len(memberColours)]
}

// nameWidth is of a column of members.
const nameWidth = 4

// pad fills text up to a width, by runes.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-len([]rune(text))))
}

// wrap breaks text into lines of at most width runes, at spaces.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case len([]rune(line))+1+len([]rune(word)) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	return append(lines, line)
}
