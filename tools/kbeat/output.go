package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/kbeat/kbeat/tools/commandline"
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
	files   []*traceFile
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
		return nil, commandline.Fail(commandline.ExitIO, err)
	}
	t.files = append(t.files, &traceFile{file: f, Writer: commandline.Writer{To: f}})
	return t.files[len(t.files)-1], nil
}

// traceFile remembers that it could not be written: the member, for which that must not matter, tells only its logger. It
// is the member's goroutine's, until the member is closed.
type traceFile struct {
	file *os.File
	commandline.Writer
}

func (f *traceFile) close() error {
	if err := f.file.Close(); f.Err == nil {
		return err
	}
	return f.Err
}

func (t *traces) close() error {
	var errs []error
	for _, f := range t.files {
		errs = append(errs, f.close())
	}
	return errors.Join(errs...)
}
