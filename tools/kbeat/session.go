package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// session is what a command is called with, apart from its arguments.
type session struct {
	ctx            context.Context // ends when a signal asks for an end
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
}

// say tells a person something that is not the command's output.
func (s session) say(text string) { fmt.Fprintln(s.stderr, "kbeat:", text) }

// interruptedError is the cause of a context that a signal has ended.
type interruptedError struct{ signal os.Signal }

func (e *interruptedError) Error() string { return e.signal.String() }

// oneWish is how soon a second signal is still the first one's echo: some parents send it to the process and then to the
// group that the process is in.
const oneWish = 250 * time.Millisecond

// interruptible runs a command. The first SIGINT, SIGTERM or SIGHUP ends the command's context; after the second nothing is waited
// for.
func interruptible(command func(session) int, stdin io.Reader, stdout, stderr io.Writer) int {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // by nohup
		signal.Notify(signals, syscall.SIGHUP)
	}
	defer signal.Stop(signals)
	signal.Ignore(syscall.SIGPIPE) // who reads the output has gone: writing to it fails, and the members leave
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)

	s := session{ctx: ctx, stdin: stdin, stdout: stdout, stderr: stderr, getenv: os.Getenv}
	done := make(chan int, 1)
	go func() { done <- command(s) }()
	var asked time.Time
	for {
		select {
		case code := <-done:
			return code
		case sig := <-signals:
			switch {
			case asked.IsZero():
				asked = time.Now()
				cancel(&interruptedError{sig})
			case time.Since(asked) > oneWish:
				s.say(fmt.Sprintf("%s again: ends at once, and leaves the group to its timeouts", sig))
				return exitInterrupted
			}
		}
	}
}
