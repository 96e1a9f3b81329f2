package heartbeat

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// What is on record of a difference is the same for all facts in which it is the same difference. So values are said in words
// where they hang on how the fact was set up: which generation it is, which member, which code's exception, how much time. Two
// values that differ, and would not in words, stay as they are.

// ownError stands for the exception of the code that the fact is about.
const ownError = "the code's own error"

// oracleWords says values in words.
type oracleWords struct{ own map[string]string } // kafkaExceptions' exception of each code

// worded is a change in words, if it is still one.
func worded(aspect, kafka, ours string, words func(value string) string) change {
	if k, o := words(kafka), words(ours); k != o {
		return change{aspect, k, o}
	}
	return change{aspect, kafka, ours}
}

// ofFact is a change in what a fact shows.
func (w oracleWords) ofFact(fact fmt.Stringer, aspect, kafka, ours string) change {
	switch f := fact.(type) {
	case cellFact:
		return worded(aspect, kafka, ours, func(value string) string { return w.cell(f, aspect, value) })
	case loopFact:
		before := identityFact{MemberID: "member-1", Generation: 5}
		return worded(aspect, kafka, ours, func(value string) string { return kept(aspect, value, f.State, before) })
	case listenerFact:
		of := aspect[strings.Index(aspect, " ")+1:] // without the moment
		return worded(aspect, kafka, ours, func(value string) string { return kept(of, value, f.State, f.before().fact()) })
	case timerFact:
		if strings.HasSuffix(aspect, "_ms") {
			return amounts(aspect, kafka, ours)
		}
	}
	return change{aspect, kafka, ours}
}

// ofLines is a change in what callers see, in a fact about a code.
func (w oracleWords) ofLines(about, aspect, kafka, ours string) change {
	code, _, _ := strings.Cut(about, ":")
	return worded(aspect, kafka, ours, func(text string) string {
		text = callerIncidental.ReplaceAllString(w.error(code, text), "")
		text = callerMembers.ReplaceAllString(text, "the member")
		return strings.ReplaceAll(text, `of ""`, "of nobody")
	})
}

var (
	// callerIncidental is what says nothing of why a request is sent.
	callerIncidental = regexp.MustCompile(` of instance "[^"]*"|,? with a time limit of \d+ ms| with assignments for \[[^\]]*\]`)
	callerMembers    = regexp.MustCompile(`"member-\d+"`)
)

// ofLife is a change in a step of a life.
func (w oracleWords) ofLife(aspect, kafka, ours string) change {
	if aspect == "lookups" && kafka != "less" { // said in words already
		return amounts(aspect, kafka, ours)
	}
	return worded(aspect, kafka, ours, func(value string) string { return w.life(aspect, value) })
}

func (w oracleWords) cell(f cellFact, aspect, value string) string {
	if aspect == "identity" {
		id := f.Before.identityFact
		switch value {
		case id.String():
			return "kept"
		case identityFact{MemberID: id.MemberID, Generation: -1}.String():
			return "without generation"
		case identityFact{Generation: -1}.String():
			return "none"
		case identityFact{MemberID: "member-assigned", Generation: -1}.String():
			return "the member id of the answer"
		}
	}
	return kept(aspect, w.error(f.Code, value), f.State, f.Before.identityFact)
}

// error has no name for the exception of the code, nor for the code where it stands for that.
func (w oracleWords) error(code, text string) string {
	text = strings.Replace(text, "due to "+code, "due to "+ownError, 1)
	if own := w.own[code]; own != "" {
		return strings.ReplaceAll(text, own, ownError)
	}
	return text
}

// kept says what is as it was before, and that there is no generation.
func kept(aspect, value, state string, who identityFact) string {
	switch {
	case aspect == "state" && value == state, aspect == "member_id" && value == who.MemberID, aspect == "generation" && value == strconv.Itoa(who.Generation):
		return "kept"
	case aspect == "generation" && value == "-1":
		return "none"
	}
	return value
}

// amounts says only which of two numbers is the greater one.
func amounts(aspect, kafka, ours string) change {
	k, err := strconv.Atoi(kafka)
	o, err2 := strconv.Atoi(ours)
	switch {
	case err != nil || err2 != nil:
		return change{aspect, kafka, ours}
	case k > o:
		return change{aspect, "more", "less"}
	}
	return change{aspect, "less", "more"}
}

var (
	lifeRequestSeen = regexp.MustCompile(`(\w+) to \d+ by (\S*)/(-?\d+)[^;]*`)
	lifeJoinSeen    = regexp.MustCompile(`join_\w+`)
)

func (oracleWords) life(aspect, value string) string {
	switch aspect {
	case "generation":
		if value == "-1" {
			return "none"
		}
		return "a generation"
	case "member", "protocol", "coordinator":
		if value != "" {
			return "one"
		}
		return "none"
	case "commits":
		_, rest, failed := strings.Cut(value, " ")
		if failed {
			return rest
		}
		return "ok"
	case "joins":
		return strings.Join(lifeJoinSeen.FindAllString(value, -1), ", ")
	case "requests":
		return lifeRequestSeen.ReplaceAllStringFunc(value, func(request string) string {
			part := lifeRequestSeen.FindStringSubmatch(request)
			switch {
			case part[2] == "":
				return part[1] + " of nobody"
			case part[3] == "-1":
				return part[1] + " of a member without generation"
			}
			return part[1] + " of a member"
		})
	}
	return value
}
