package heartbeat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kbeat/kbeat/spec"
)

// kafkaExceptions are the classes that Kafka's client raises.
type kafkaExceptions struct {
	own    map[string]string   // of each code
	codeOf map[string][]string // the codes of each class
}

// newKafkaExceptions reads the class of each code off LeaveGroup, which raises every code as its own.
func newKafkaExceptions(cells []cellFact) kafkaExceptions {
	e := kafkaExceptions{
		own: map[string]string{
			"DISCONNECT":       "DisconnectException",
			"ABANDONED":        "DisconnectException", // Kafka's client cuts the connection to a coordinator that it loses
			"SEND_TIMEOUT":     "TimeoutException",
			"VERSION_MISMATCH": "UnsupportedVersionException", "AUTHENTICATION_EXCEPTION": "SaslAuthenticationException",
		},
		codeOf: map[string][]string{},
	}
	for _, f := range cells {
		if f.API == "LeaveGroup" && f.Variant == "top_level" && f.Errno != nil {
			if class, failed := f.exception(); failed {
				e.own[f.Code] = class
			}
		}
	}
	for code, class := range e.own {
		e.codeOf[class] = append(e.codeOf[class], code)
	}
	return e
}

// exception is the class that the one who waits was given, if it was given one.
func (f cellFact) exception() (class string, failed bool) {
	kind, rest, _ := strings.Cut(f.Future, ":")
	class, _, _ = strings.Cut(rest, ":")
	return class, kind == "failure"
}

// namedErrors are the classes for errors that have no code. An assignor may raise whatever it likes.
var namedErrors = map[string][]string{
	"UNEXPECTED":     {"KafkaException"},
	"UNJOINED_GROUP": {"UnjoinedGroupException"},
	"COMMIT_FAILED":  {"CommitFailedException"},
	"ASSIGNMENT":     {"IllegalStateException", "SchemaException"},
}

// classes are those that a result with this error may show as.
func (e kafkaExceptions) classes(code, err string) []string {
	if err == "own" {
		return []string{e.own[code]}
	}
	if named, ok := namedErrors[err]; ok {
		return named
	}
	return []string{e.own[err]}
}

// outcome adds to want what the one who waits is told with result.
func (e kafkaExceptions) outcome(want factView, r *oracleReading, f cellFact, result *spec.Result) {
	switch {
	case result.Error == "" && result.Class == spec.Pending:
		want["outcome"] = "pending"
	case result.Error == "":
		want["outcome"], want["class"] = "success", string(result.Class)
	default:
		class, _ := f.exception()
		classes := e.classes(f.Code, result.Error)
		if !slices.Contains(classes, class) {
			class = strings.Join(classes, " or ")
		}
		want["outcome"] = "failure of " + class
		want["retriable"] = fmt.Sprint(r.retriable(f.Code, result.Error))
		if e.class(f, class) != "" {
			want["class"] = string(result.Class)
		}
	}
}

// class is what the caller of the request does with an exception, where the facts are about such a caller: the join
// goes again at once for some codes, and each backs off from what is retriable.
func (e kafkaExceptions) class(f cellFact, class string) string {
	again := []string{"UNKNOWN_MEMBER_ID", "ILLEGAL_GENERATION", "REBALANCE_IN_PROGRESS", "MEMBER_ID_REQUIRED"}
	joins := f.API == "JoinGroup" || f.API == "SyncGroup"
	switch {
	case !joins && f.API != "OffsetCommit" && f.API != "FindCoordinator":
		return ""
	case joins && slices.ContainsFunc(e.codeOf[class], func(code string) bool { return slices.Contains(again, code) }):
		return string(spec.Retry)
	case f.Retriable:
		return string(spec.Backoff)
	default:
		return string(spec.Fatal)
	}
}

// retriable is what the catalogue, or the declaration of the error, says of it.
func (r *oracleReading) retriable(code, err string) bool {
	if err == "own" {
		err = code
	}
	if c := r.code(err); c != nil {
		return c.Retriable
	}
	i := slices.IndexFunc(r.machine.Errors, func(e *spec.Error) bool { return e.Name == err })
	return i >= 0 && r.machine.Errors[i].Retriable
}
