package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"lockstep/internal/phrase"
	"lockstep/render/atomicfile"
)

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		err  error
		want Code
	}{
		{nil, Done},
		{errors.New("nobody's"), Internal},
		{Usagef("u"), Usage},
		{Inputf("i"), Input},
		{fmt.Errorf("bench: %w", &atomicfile.Error{File: "f", Err: errors.New("o")}), Output},
		{fmt.Errorf("png: %w", Outputf("o")), Output},
		{errors.Join(Partialf("p"), nil), Partial},
		{context.Canceled, Interrupted},
		{Inputf("read: %w", context.Canceled), Interrupted},
	} {
		if got := CodeOf(c.err); got != c.want {
			t.Errorf("%v: code %d, want %d", c.err, got, c.want)
		}
	}
}

// TestInternalError checks that a panic ends the program with one line and exit code 1.
func TestInternalError(t *testing.T) {
	var w bytes.Buffer
	a := New("render", Streams{Stderr: &w})
	err := Guard(func() error { panic(errors.New("impossible\nsecond line")) })
	if code := a.printError(err); code != Internal {
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
		if got := phrase.OneLine(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if strings.Contains(phrase.OneLine("a\nb"), "\n") {
		t.Error("still two lines")
	}
}
