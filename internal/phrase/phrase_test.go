package phrase

import "testing"

// TestPrintable checks that characters are replaced that would control a terminal, start a line, or reverse the rest
// of a line.
func TestPrintable(t *testing.T) {
	for s, want := range map[string]string{
		"part 1": "part 1", "\u05d0\u200d": "\u05d0\u200d", "a\x1b[2J": "a?[2J", "a\xffb": "a?b", "a\u0085b": "a?b",
		"a\u202efbo.exe": "a?fbo.exe", "a\u2066b": "a?b", "a\u2029b": "a?b",
	} {
		if got := Printable(s); got != want {
			t.Errorf("%q: %q, expected %q", s, got, want)
		}
	}
}
