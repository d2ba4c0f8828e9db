package main

import (
	"context"
	"errors"
	"fmt"
	"lockstep/render/recipe"
	"strings"
	"unicode"

	"github.com/alecthomas/kong"

	"lockstep/bench/report"
	"lockstep/render/atomicfile"
)

// An exitCode is the status that the process ends with.
type exitCode int

// The exit codes. They are part of the command's contract.
const (
	exitDone        exitCode = 0
	exitInternal    exitCode = 1
	exitUsage       exitCode = 2
	exitInput       exitCode = 3
	exitBlank       exitCode = 4
	exitOutput      exitCode = 5
	exitPartial     exitCode = 6
	exitInterrupted exitCode = 130
)

// A codedError is a failure together with the exit code it stands for.
type codedError struct {
	code exitCode
	err  error
}

func (e *codedError) Error() string { return e.err.Error() }
func (e *codedError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &codedError{exitUsage, fmt.Errorf(format, args...)}
}

func inputf(format string, args ...any) error {
	return &codedError{exitInput, fmt.Errorf(format, args...)}
}

func blankf(format string, args ...any) error {
	return &codedError{exitBlank, fmt.Errorf(format, args...)}
}

func outputf(format string, args ...any) error {
	return &codedError{exitOutput, fmt.Errorf(format, args...)}
}

func partialf(format string, args ...any) error {
	return &codedError{exitPartial, fmt.Errorf(format, args...)}
}

// errInterrupted is the failure of a command that a signal ended.
var errInterrupted = errors.New("interrupted")

// errReported is a failure that lines on standard error have told already.
var errReported = errors.New("reported")

// codeOf returns the exit code that err stands for. An error of any other kind
// is an internal one.
func codeOf(err error) exitCode {
	var (
		coded *codedError
		parse *kong.ParseError
		usage *report.UsageError
		input *report.InputError
		blank *report.BlankError

		drawing *recipe.Error

		output *atomicfile.Error
	)
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, context.Canceled), errors.Is(err, errInterrupted), errors.Is(err, atomicfile.ErrClosed):
		return exitInterrupted
	case errors.As(err, &coded):
		return coded.code
	case errors.As(err, &drawing):
		return drawingErrors[drawing.Kind]
	case errors.As(err, &usage), errors.As(err, &parse):
		return exitUsage
	case errors.As(err, &input):
		return exitInput
	case errors.As(err, &blank):
		return exitBlank
	case errors.As(err, &output):
		return exitOutput
	}
	return exitInternal
}

// oneLine folds a message to a single printable line, in which joined errors
// become clauses.
func oneLine(s string) string {
	return printable(strings.ReplaceAll(strings.TrimSpace(s), "\n", "; "))
}

// printable replaces control characters, which file names and damaged files
// bring in, so that they cannot play with a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

// isBlank reports whether err says that there is nothing to see, for whatever reason.
func isBlank(err error) bool {
	var coded *codedError
	for errors.As(err, &coded) {
		if coded.code == exitBlank {
			return true
		}
		err = coded.err
	}
	return recipe.IsBlank(err)
}
