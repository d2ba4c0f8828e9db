package format

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lockstep/scenes"
)

// TestAlike checks that the first three warnings of a kind are listed. The number of the other warnings of this kind
// must follow.
func TestAlike(t *testing.T) {
	w := (&Input{Options: scenes.ReadOptions{Name: "a"}}).Warnings()
	add := func(place, format string, args ...any) {
		if err := w.Add(place, format, args...); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		add(fmt.Sprintf("line %d", i), "unexpected %q", fmt.Sprint("word", i))
	}
	if got := strings.Join(w.Lines(), "\n"); strings.Count(got, "\n") != 2 || strings.Contains(got, "more") {
		t.Errorf("%s", got)
	}
	add("header", "short")
	for i := range 57 {
		add(fmt.Sprintf("line %d", i), "unexpected %q", "x")
	}
	want := "a: line 0: unexpected \"word0\"\na: line 1: unexpected \"word1\"\na: line 2: unexpected \"word2\"\na: 57 more like this one\na: header: short"
	if got := strings.Join(w.Lines(), "\n"); got != want || strings.Join(w.Lines(), "\n") != want {
		t.Errorf("%s", got)
	}
	if w.First().Error() != "a: line 0: unexpected \"word0\"" {
		t.Error(w.First())
	}
}

// TestManyKinds checks that at most MaxWarnings warnings are listed, and that the warnings of other kinds are counted.
func TestManyKinds(t *testing.T) {
	w := (&Input{Options: scenes.ReadOptions{Name: "a"}}).Warnings()
	for i := range 100 {
		for range 2 {
			if err := w.Add("header", "fault %s", strings.Repeat("x", i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	lines := w.Lines()
	if len(lines) != MaxWarnings+1 || lines[MaxWarnings] != "a: 180 further warnings are not listed" || len(w.kinds) != MaxWarnings/2 {
		t.Errorf("%d lines, %d kinds, the last %q", len(lines), len(w.kinds), lines[len(lines)-1])
	}
	// A further warning of a listed kind is counted with its kind, although there is no space for another line.
	if err := w.Add("header", "fault "); err != nil {
		t.Fatal(err)
	}
	if lines := w.Lines(); len(lines) != MaxWarnings+2 || lines[2] != "a: 1 more like this one" {
		t.Errorf("%q", lines)
	}
}

// TestStrictWarning checks that a strict read returns the first warning as an error.
func TestStrictWarning(t *testing.T) {
	w := (&Input{Options: scenes.ReadOptions{Name: "a", Strict: true}}).Warnings()
	if err := w.Add("header", "short"); err == nil || err.Error() != "a: header: short" {
		t.Error(err)
	}
	if len(w.Lines()) != 0 {
		t.Errorf("%q", w.Lines())
	}
}

// TestPlainWarnings adds messages that differ only in numbers, and other messages between them. The lines and counts
// must be the same as if all messages were formatted.
func TestPlainWarnings(t *testing.T) {
	add := func(plain bool) []string {
		in := &Input{Options: scenes.ReadOptions{Name: "a"}}
		w := in.Warnings()
		say := func(place, format string, args ...any) {
			if !plain {
				format, args = "%s", []any{fmt.Sprintf(format, args...)}
			}
			if err := w.Add(place, format, args...); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 50 {
			line := fmt.Sprint("line ", i)
			say(line, "face of %d corners left out", i)
			say(line, "face of %s left out", []string{"no corners", "one corner"}[i%2])
			say(fmt.Sprint("byte ", i), "face of %d corners left out", i)
			say(fmt.Sprintf("object %q", fmt.Sprint(i)), "face of %d corners left out", i)
			say(fmt.Sprintf("mesh %d, primitive %d", i, i), "face of %d corners left out", i)
			say("header", "face of %d corners left out", i)
		}
		return w.Lines()
	}
	if got, want := add(true), add(false); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	in := &Input{Options: scenes.ReadOptions{Name: "a", Strict: true}}
	if err := in.Warnings().Add("line 1", "face of %d corners", 2); err == nil {
		t.Error("a strict reader goes on")
	}
}

// TestPlainWarningsAreNotWritten adds a warning for each of many lines of a file. Only the listed warnings may allocate
// memory.
func TestPlainWarningsAreNotWritten(t *testing.T) {
	w := (&Input{Options: scenes.ReadOptions{Name: "a"}}).Warnings()
	add := func() { w.Add("line 7", "face of %d corners left out", 0) }
	for range MaxAlike {
		add()
	}
	if n := testing.AllocsPerRun(100, add); n > 1 {
		t.Errorf("%v allocations", n)
	}
}
