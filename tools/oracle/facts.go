package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// suffix is how the names of files of facts end.
const suffix = ".ndjson.gz"

// head is the first line of a file of facts: whose they are, and how many.
type head struct {
	Kafka string            `json:"kafka"`
	Jars  map[string]string `json:"jars"`  // name and SHA-256
	Facts *int              `json:"facts"` // the lines below
}

// readHead is the head of facts; an error says in what they are not well-formed.
func readHead(text []byte) (head, error) {
	line, rest, whole := bytes.Cut(text, []byte("\n"))
	var h head
	switch err := json.Unmarshal(line, &h); {
	case !whole || err != nil || h.Kafka == "" || len(h.Jars) == 0 || h.Facts == nil:
		return head{}, errors.New("the first line is not the head of facts")
	case len(rest) > 0 && rest[len(rest)-1] != '\n':
		return head{}, errors.New("the last line is cut off")
	case bytes.Count(rest, []byte("\n")) != *h.Facts:
		return head{}, fmt.Errorf("the head promises %d facts, and there are %d", *h.Facts, bytes.Count(rest, []byte("\n")))
	}
	return h, nil
}

// unpack reads a file of facts.
func unpack(path string) ([]byte, error) {
	packed, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return text, nil
}

// pack compresses. There is no name and no time in what comes out, so that the same facts are the same bytes.
func pack(text []byte) ([]byte, error) {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

// replace writes a file of facts, whole or not at all.
func replace(path string, text []byte) error {
	packed, err := pack(text)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".")
	if err != nil {
		return err
	}
	_, err = tmp.Write(packed)
	err = errors.Join(err, tmp.Chmod(0o644), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}

// strangers are the files of facts in dir that no program makes.
func strangers(dir string, all []program) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*"+suffix))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(paths, func(path string) bool {
		return slices.ContainsFunc(all, func(p program) bool { return p.file() == filepath.Base(path) })
	}), nil
}
