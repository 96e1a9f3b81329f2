package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/kbeat/kbeat/tools/kbeat/event"
	"github.com/kbeat/kbeat/tools/kbeat/screen"
)

// reader is who gets the events: a person, or a program that reads lines of JSON.
func (s session) reader(asJSON bool) func(event.Event) error {
	if asJSON {
		return event.JSON(s.stdout)
	}
	f, ok := s.stdout.(*os.File)
	return screen.New(s.stdout, ok && screen.Coloured(f, s.getenv)).Show
}

// traces are the files of members' traces.
type traces struct {
	path    string
	members int // 1: the file is named as said; more: each has the member's name in it
	files   []*os.File
}

// create makes the file of one member.
func (t *traces) create(member string) (io.Writer, error) {
	path := t.path
	if t.members > 1 {
		ext := filepath.Ext(path)
		path = strings.TrimSuffix(path, ext) + "." + member + ext
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, &failure{exitIO, err}
	}
	t.files = append(t.files, f)
	return f, nil
}

func (t *traces) close() error {
	var errs []error
	for _, f := range t.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}
