package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"lockstep/bench/report"
	"lockstep/render/atomicfile"
)

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		err  error
		want exitCode
	}{
		{nil, exitDone},
		{errors.New("nobody's"), exitInternal},
		{usagef("u"), exitUsage},
		{fmt.Errorf("bench: %w", report.Usagef("u")), exitUsage},
		{inputf("i"), exitInput},
		{fmt.Errorf("bench: %w", &report.InputError{File: "f", Err: errors.New("i")}), exitInput},
		{fmt.Errorf("bench: %w", &atomicfile.Error{File: "f", Err: errors.New("o")}), exitOutput},
		{blankf("b"), exitBlank},
		{fmt.Errorf("png: %w", outputf("o")), exitOutput},
		{errors.Join(partialf("p"), nil), exitPartial},
		{context.Canceled, exitInterrupted},
		{inputf("read: %w", context.Canceled), exitInterrupted},
	} {
		if got := codeOf(c.err); got != c.want {
			t.Errorf("%v: code %d, want %d", c.err, got, c.want)
		}
	}
}

// A bug ends in one line and exit code 1.
func TestInternalError(t *testing.T) {
	var w bytes.Buffer
	a := &app{streams: streams{stderr: &w}, progress: &progress{w: &w}}
	err := a.guard(func() error { panic(errors.New("impossible\nsecond line")) })
	if code := a.report(err); code != exitInternal {
		t.Errorf("exit code %d", code)
	}
	if got := w.String(); got != "render: internal error: impossible; second line\n" {
		t.Errorf("message %q", got)
	}
}

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"plain":             "plain",
		"two\nlines\n":      "two; lines",
		"esc\x1b[0m\x7f\rx": "esc?[0m??x",
		"c1\u009bm\xff":     "c1?m?",
		"größe é 漢":         "größe é 漢",
	} {
		if got := oneLine(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if strings.Contains(oneLine("a\nb"), "\n") {
		t.Error("still two lines")
	}
}
