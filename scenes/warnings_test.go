package scenes

import (
	"fmt"
	"strings"
	"testing"
)

// TestAlike lists three warnings of a kind and counts the others where the last of them stands.
func TestAlike(t *testing.T) {
	w := (&Input{Options: ReadOptions{Name: "a"}}).Warnings()
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

// TestManyKinds lists no more than MaxWarnings, and counts those of kinds that are not listed.
func TestManyKinds(t *testing.T) {
	w := (&Input{Options: ReadOptions{Name: "a"}}).Warnings()
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
	// More of a kind that is listed go with their own, although there is no room for another line.
	if err := w.Add("header", "fault "); err != nil {
		t.Fatal(err)
	}
	if lines := w.Lines(); len(lines) != MaxWarnings+2 || lines[2] != "a: 1 more like this one" {
		t.Errorf("%q", lines)
	}
}

// TestStrictWarning returns the first warning.
func TestStrictWarning(t *testing.T) {
	w := (&Input{Options: ReadOptions{Name: "a", Strict: true}}).Warnings()
	if err := w.Add("header", "short"); err == nil || err.Error() != "a: header: short" {
		t.Error(err)
	}
	if len(w.Lines()) != 0 {
		t.Errorf("%q", w.Lines())
	}
}
