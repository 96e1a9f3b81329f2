package heartbeat

import (
	"bytes"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/kbeat/kbeat/fsm/classic"
)

// base64Mark is what bytes and strings begin with that are not written as they are.
const base64Mark = "base64:"

// traceEncoder writes values as JSON that decodeTrace makes the same values of, so that nothing which an input carries can be
// left out. Fields keep their order, and their names in small letters. What is nothing (false, "", nil, and 0 unless
// numbers) has no field.
type traceEncoder struct {
	numbers bool // also those that are 0
}

// encodeTrace writes a struct as an object.
func encodeTrace(b []byte, v any) []byte {
	return traceEncoder{}.object(b, reflect.ValueOf(v))
}

func (e traceEncoder) object(b []byte, v reflect.Value) []byte {
	b = append(b, '{')
	start := len(b)
	b = append(e.fields(b, v), '}')
	if b[start] == ',' {
		b = append(b[:start], b[start+1:]...)
	}
	return b
}

// fields writes each field after a comma. The fields of a struct that a pointer leads to are written among the others.
func (e traceEncoder) fields(b []byte, v reflect.Value) []byte {
	for i := range v.NumField() {
		f := v.Field(i)
		switch f := f.Interface().(type) {
		case *classic.Rule:
			if f != nil {
				b = appendText(append(b, `,"rule":`...), f.Name)
				b = appendText(append(b, `,"at":`...), f.At())
			}
			continue
		case *answer:
			if f != nil {
				b = e.fields(b, reflect.ValueOf(*f))
			}
			continue
		}
		if e.isNothing(f) {
			continue
		}
		b = appendText(append(b, ','), snakeCase(v.Type().Field(i).Name))
		b = e.value(append(b, ':'), f)
	}
	return b
}

// isNothing reports whether a field is left out.
func (e traceEncoder) isNothing(v reflect.Value) bool {
	switch v.Interface().(type) {
	case encoding.TextMarshaler:
		return false
	case time.Duration:
		return v.IsZero()
	}
	switch v.Kind() {
	case reflect.Bool, reflect.String, reflect.Slice, reflect.Pointer, reflect.Interface:
		return v.IsZero()
	case reflect.Struct:
		return false
	default:
		return v.IsZero() && !e.numbers
	}
}

func (e traceEncoder) value(b []byte, v reflect.Value) []byte {
	if v.Kind() == reflect.Interface { // an error, whatever else it is
		return appendText(b, fmt.Sprint(v.Interface())) // which also an Error method that panics does not end
	}
	switch x := v.Interface().(type) {
	case time.Duration:
		return appendMillis(b, x)
	case []byte:
		return appendQuoted(b, portable(string(x), isPrintable(x)))
	case encoding.TextMarshaler:
		if name, err := x.MarshalText(); err == nil {
			return appendText(b, string(name))
		}
	case fmt.Stringer:
		return appendText(b, x.String())
	}
	switch v.Kind() {
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool())
	case reflect.String:
		return appendText(b, v.String())
	case reflect.Int, reflect.Int16, reflect.Int32, reflect.Int64:
		return appendNumber(b, strconv.FormatInt(v.Int(), 10), v.Int() > mostExact || v.Int() < -mostExact)
	case reflect.Uint8, reflect.Uint64:
		return appendNumber(b, strconv.FormatUint(v.Uint(), 10), v.Uint() > mostExact)
	case reflect.Pointer:
		return e.value(b, v.Elem())
	case reflect.Struct:
		return e.object(b, v)
	case reflect.Slice:
		b = append(b, '[')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			b = e.value(b, v.Index(i))
		}
		return append(b, ']')
	}
	return append(b, "null"...)
}

// mostExact is the last whole number that every program reads as it was written: many take all numbers for floating ones.
const mostExact = 1 << 53

// appendNumber writes a whole number; one that is large as a string.
func appendNumber(b []byte, digits string, large bool) []byte {
	if large {
		return append(append(append(b, '"'), digits...), '"')
	}
	return append(b, digits...)
}

// appendMillis writes a duration in milliseconds, exactly.
func appendMillis(b []byte, d time.Duration) []byte {
	u := uint64(d)
	if d < 0 {
		b, u = append(b, '-'), -u
	}
	b = strconv.AppendUint(b, u/1e6, 10)
	if rest := u % 1e6; rest != 0 {
		b = append(b, strings.TrimRight(fmt.Sprintf(".%06d", rest), "0")...)
	}
	return b
}

func isPrintable(raw []byte) bool {
	return bytes.IndexFunc(raw, func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }) < 0
}

// appendText writes a string.
func appendText(b []byte, s string) []byte { return appendQuoted(b, portable(s, utf8.ValidString(s))) }

// portable is s as it is where that can be read, else with the mark; so is what looks as if it had the mark.
func portable(s string, readable bool) string {
	if readable && !strings.HasPrefix(s, base64Mark) {
		return s
	}
	return base64Mark + base64.StdEncoding.EncodeToString([]byte(s))
}

func appendQuoted(b []byte, s string) []byte {
	quoted := bytes.NewBuffer(b)
	e := json.NewEncoder(quoted)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // neither a string nor memory fails
	return bytes.TrimSuffix(quoted.Bytes(), []byte{'\n'})
}

// snakeCase makes session_timeout of SessionTimeout, and instance_id of InstanceID.
func snakeCase(name string) string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		if unicode.IsUpper(r) && lower {
			b.WriteByte('_')
		}
		lower = unicode.IsLower(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
