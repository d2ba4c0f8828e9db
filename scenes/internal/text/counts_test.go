package text

import "testing"

func TestCounts(t *testing.T) {
	all := func(a, b, c int) string {
		return Counts(Count{a, "vertex", "vertices"}, Count{b, "line", "lines"}, Count{c, "dot", "dots"})
	}
	for want, got := range map[string]string{
		"1 vertex is": all(1, 0, 0), "2 vertices are": all(2, 0, 0), "1 line is": all(0, 1, 0), "1 vertex and 1 dot are": all(1, 0, 1),
		"3 vertices, 2 lines and 1 dot are": all(3, 2, 1),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestTextEnds checks that zeros, and the end-of-file character of DOS, may follow the last line of a text but not be
// inside it.
func TestTextEnds(t *testing.T) {
	for file, want := range map[string]bool{
		"a\n\x00\x00": true, "a\n\x1a": true, "a\r\x1a\x00": true, "a\x00": false, "a\x1a": false, "\x00\x00": false, "a\x00b\n": false, "\n\x00a\n": false, "": true,
	} {
		if got := IsText([]byte(file)); got != want {
			t.Errorf("%q: %v", file, got)
		}
	}
}
