package text

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestKind(t *testing.T) {
	for message, want := range map[string]string{
		"line 7: unexpected \"foo\"":                     `line #: unexpected "`,
		"line 8: unexpected \"a \\\" 9 b\" here":         `line #: unexpected " here`,
		"/3D/a.model, byte 4: vertex 1 left out: -1.5e9": "#, byte #: vertex # left out: #",
		"mesh 0, primitive 12: left out":                 "mesh #, primitive #: left out",
		"node 0: NORMAL: accessor 5 of 2":                "node #: NORMAL: accessor # of #",
		"its triangles: there are none":                  "its triangles: there are none",
		`open "quotes`:                                   `open "`,
		`ends with a backslash "\`:                       `ends with a backslash "`,
		"the end. And more":                              "the end. And more",
		"":                                               "",
		"node 3: it names node 4 twice, and 12 more of this kind": "node #: it names node # twice, and # more of this kind",
	} {
		if got := Kind(message); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
	if got := Kind(strings.Repeat("a ", 1000)); len(got) > mostKind+2 {
		t.Errorf("%d bytes", len(got))
	}
	rapid.Check(t, func(t *rapid.T) {
		message := func() string {
			return fmt.Sprintf("line %d: %s is %g", rapid.Int().Draw(t, "line"), Short(rapid.String().Draw(t, "name")), rapid.Float64().Draw(t, "value"))
		}
		if a, b := Kind(message()), Kind(message()); a != b && !strings.Contains(a+b, "Inf") && !strings.Contains(a+b, "NaN") {
			t.Fatalf("%q and %q", a, b)
		}
	})
}
