package heartbeat

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// decodeObject reads all fields of a struct as traceEncoder writes them, and refuses others: what is not understood may
// have been what matters.
func decodeObject(fields map[string]json.RawMessage, v reflect.Value) error {
	if err := decodeFields(fields, v); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		return fmt.Errorf("unknown field %q", name)
	}
	return nil
}

// decodeFields reads a struct, and takes from fields what it has read.
func decodeFields(fields map[string]json.RawMessage, v reflect.Value) error {
	for i := range v.NumField() {
		name := snakeCase(v.Type().Field(i).Name)
		raw, ok := fields[name]
		if !ok {
			continue
		}
		delete(fields, name)
		if err := decodeValue(raw, v.Field(i)); err != nil {
			return fmt.Errorf("field %q: %w", name, err)
		}
	}
	return nil
}

func decodeValue(raw json.RawMessage, v reflect.Value) error {
	switch to := v.Addr().Interface().(type) {
	case *time.Duration:
		return decodeMillis(raw, to)
	case *[]byte:
		text, err := decodeText(raw)
		*to = []byte(text)
		return err
	case *error:
		text, err := decodeText(raw)
		*to = errors.New(text)
		return err
	case encoding.TextUnmarshaler:
		if raw[0] == '"' {
			text, err := decodeText(raw)
			if err != nil {
				return err
			}
			return to.UnmarshalText([]byte(text))
		}
	}
	switch v.Kind() {
	case reflect.String:
		text, err := decodeText(raw)
		v.SetString(text)
		return err
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return decodeValue(raw, v.Elem())
	case reflect.Struct:
		var fields map[string]json.RawMessage
		if err := decodeJSON(raw, &fields, "an object"); err != nil {
			return err
		}
		return decodeObject(fields, v)
	case reflect.Slice:
		var items []json.RawMessage
		if err := decodeJSON(raw, &items, "a list"); err != nil {
			return err
		}
		v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
		for i, item := range items {
			if err := decodeValue(item, v.Index(i)); err != nil {
				return fmt.Errorf("item %d: %w", i, err)
			}
		}
		return nil
	case reflect.Bool:
		return decodeJSON(raw, v.Addr().Interface(), "true or false")
	default:
		return decodeNumber(raw, v)
	}
}

// decodeNumber reads a whole number that fits into v, which may be one of those that have names.
func decodeNumber(raw json.RawMessage, v reflect.Value) error {
	digits := string(raw)
	if len(digits) > 17 { // a large one; see appendNumber
		digits = strings.Trim(digits, `"`)
	}
	i, err := strconv.ParseInt(digits, 10, 64)
	u, err2 := strconv.ParseUint(digits, 10, 64)
	switch {
	case v.CanInt() && err == nil && !v.OverflowInt(i):
		v.SetInt(i)
	case v.CanUint() && err2 == nil && !v.OverflowUint(u):
		v.SetUint(u)
	default:
		return fmt.Errorf("%s is not a whole number for %s", raw, v.Type())
	}
	return nil
}

func decodeJSON(raw json.RawMessage, to any, wanted string) error {
	if string(raw) == "null" || json.Unmarshal(raw, to) != nil {
		return fmt.Errorf("%s is not %s", raw, wanted)
	}
	return nil
}

// decodeText reads a string, with the mark or without.
func decodeText(raw json.RawMessage) (string, error) {
	var s string
	if err := decodeJSON(raw, &s, "a text"); err != nil {
		return "", err
	}
	coded, ok := strings.CutPrefix(s, base64Mark)
	if !ok {
		return s, nil
	}
	text, err := base64.StdEncoding.DecodeString(coded)
	if err != nil {
		return "", fmt.Errorf("%q: %w", s, err)
	}
	return string(text), nil
}

// decodeMillis reads milliseconds with up to six places, exactly.
func decodeMillis(raw json.RawMessage, to *time.Duration) error {
	whole, fraction, _ := strings.Cut(string(raw), ".")
	ms, err := strconv.ParseInt(whole, 10, 64)
	ns, err2 := strconv.ParseUint((fraction + "000000")[:6], 10, 32)
	const most = math.MaxInt64 / int64(time.Millisecond)
	if err != nil || err2 != nil || len(fraction) > 6 || ms < -most || ms > most {
		return fmt.Errorf("%s is not a time in milliseconds with at most six places, such as 3009.25", raw)
	}
	rest := time.Duration(ns)
	if strings.HasPrefix(whole, "-") {
		rest = -rest
	}
	*to = time.Duration(ms)*time.Millisecond + rest
	return nil
}
