package scanline

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// instructions counts the instructions of assembly after one comment up to another. It
// fails if a label lies between, since a jump could then repeat them.
func instructions(t *testing.T, name, text, from, to string) (n int) {
	_, text, found := strings.Cut(text, from)
	text, _, ends := strings.Cut(text, to)
	if !found || !ends {
		t.Fatalf("%s has no %q before %q", name, from, to)
	}
	for line := range strings.Lines(text) {
		switch line = strings.TrimSpace(line); {
		case line == "" || strings.HasPrefix(line, "//"):
		case strings.HasSuffix(line, ":"):
			t.Errorf("%s: label %s between %q and %q", name, line, from, to)
		default:
			n++
		}
	}
	return n
}

// TestLookIsShort counts the instructions of a look, since no test can replace the clock of
// assembly: no more than an iteration has, which Converter.load takes a look for. A look is
// part of its redistribution's time, so the clock is read before the gather, and not again
// before the rows.
func TestLookIsShort(t *testing.T) {
	text, err := os.ReadFile("scan_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	twins := regexp.MustCompile(`(?m)^TEXT ·`).Split(string(text), -1)[1:]
	if len(twins) != 2 {
		t.Fatalf("%d twins", len(twins))
	}
	for _, twin := range twins {
		name, _, _ := strings.Cut(twin, "(")
		clock := instructions(t, name, twin, "// A look.", "// Gather the rows left")
		gather := instructions(t, name, twin, "// Gather the rows left", "// Decide:")
		decide := instructions(t, name, twin, "// Decide:", "// Redistribute.")
		_, iteration, _ := strings.Cut(twin, "// One iteration")
		iteration, _, _ = strings.Cut(iteration, "ended:")
		perIteration := strings.Count(iteration, "\n\t") - strings.Count(iteration, "\n\t//")
		if look := clock + gather + decide; gather == 0 || decide == 0 || look > perIteration {
			t.Errorf("%s: %d+%d+%d instructions a look, %d an iteration", name, clock, gather, decide, perIteration)
		}
		_, look, _ := strings.Cut(twin, "// A look.")
		look, _, _ = strings.Cut(look, "polygon:")
		if first, _, _ := strings.Cut(look, "// Gather the rows left"); strings.Count(first, "RDTSC") != 1 || strings.Count(look, "RDTSC") != 1 {
			t.Errorf("%s reads the clock %d times before it gathers, and %d times in a look and the beginning of its redistribution",
				name, strings.Count(first, "RDTSC"), strings.Count(look, "RDTSC"))
		}
	}
}
