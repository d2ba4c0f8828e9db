package text

import (
	"strings"
	"testing"
)

// TestName checks that both ends of long names are kept, and that names that are not plain words are quoted.
func TestName(t *testing.T) {
	whole := strings.Repeat("a", wholeName)
	for name, want := range map[string]string{
		"KHR_draco_mesh_compression": "KHR_draco_mesh_compression", "1.0": "1.0", "a-b": "a-b", "": `""`, "a b": `"a b"`, "http://x/y": `"http://x/y"`, "a\nb": `"a\nb"`, "\u00e4": `"ä"`,
		whole: whole, "begin" + whole + "end": "begin" + strings.Repeat("a", nameStart-5) + "..." + strings.Repeat("a", nameEnd-3) + "end",
	} {
		if got := Name(name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}

// TestOneLine checks that names are quoted if they would start a new line, disturb a terminal or reverse the order of
// the text after them.
func TestOneLine(t *testing.T) {
	for s, want := range map[string]string{
		"part 1": "part 1", "\u05d0\u200d": "\u05d0\u200d", "a\x1b[2J": `"a\x1b[2J"`, "a\nb": `"a\nb"`, "a\u0085b": `"a\u0085b"`,
		"a\u202efbo.exe": `"a\u202efbo.exe"`, "a\u2066b": `"a\u2066b"`, "a\u2028b": `"a\u2028b"`,
	} {
		if got := OneLine(s); got != want {
			t.Errorf("%q: %s, expected %s", s, got, want)
		}
	}
}
