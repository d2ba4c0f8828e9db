package xyz

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
)

var cases = []meshtest.Case{
	{Name: "three numbers", File: "0 0 0\n1 0 0\n0 1 0\n", Triangles: 24},
	{Name: "no line end, CRLF, tabs, comments", File: "# x y z\r\n\r\n0\t0  0\r\n// more\r\n 1 0 0", Triangles: 16},
	{Name: "a number of points", File: "2\n0 0 0\n1 0 0\n", Triangles: 16},
	{Name: "a wrong number of points", File: "4000000000\n0 0 0\n1 0 0\n", Triangles: 16},
	{Name: "four numbers", File: "0 0 0 7\n1 0 0 8\n", Triangles: 16},
	{Name: "twelve numbers", File: "0 0 0 1 2 3 4 5 6 7 8 9\n", Triangles: 8},
	{Name: "not finite", File: "0 0 0\nnan 0 0\ninf 0 0\n1 1 1\n", Triangles: 16},
	{Name: "a damaged line", File: strings.Repeat("0 0 0\n1 1 1\n", 40) + "2 2\n", Triangles: 640, Warning: "line 81: left out: expected 3 numbers"},
	{Name: "a word", File: strings.Repeat("0 0 0\n1 1 1\n", 40) + "2 x 2\n", Triangles: 640, Warning: "line 81: left out: expected 3 numbers"},
}

func TestCases(t *testing.T) { meshtest.Check(t, Format, cases) }

// TestDetect checks that only texts with points are recognised.
func TestDetect(t *testing.T) {
	for file, want := range map[string]format.Likelihood{
		"1 2 3\n": format.Plausible, "3\n1 2 3\n4 5 6\n7 8 9": format.Plausible, "# a\n1e3 -2 .5\n": format.Plausible,
		"": format.No, "1 2\n": format.No, "1\n": format.No, "1 2 3\n1 2 3 4\n": format.No, "v 1 2 3\n": format.No,
		"1,2,3\n": format.No, "x y z\n1 2 3\n": format.No, strings.Repeat("1 ", 40) + "\n": format.No, "# only this\n": format.No,
	} {
		if got := Format.Detect([]byte(file), int64(len(file))); got != want {
			t.Errorf("%q: %d, want %d", file, got, want)
		}
	}
	if Format.Detect([]byte("1 2 3\n4 5"), 100) != format.Plausible {
		t.Error("a line that is cut decides")
	}
}

// TestColumns checks which columns become colours, intensities and other fields.
func TestColumns(t *testing.T) {
	for file, want := range map[string]string{
		"0 0 0 255 128 0\n9 9 9 1 2 3\n":                  "[ff8000 010203] []",
		"0 0 0 .6 .8 0\n9 9 9 0 0 1\n":                    "[] []",
		"0 0 0 0.5 10 20 30\n9 9 9 0.7 1 2 3\n":           "[0a141e 010203] [{intensity 0.5 0.7}]",
		"0 0 0 10 20 30 0 0 1\n9 9 9 1 2 3 0 1 0\n":       "[0a141e 010203] []",
		"0 0 0 5 6\n9 9 9 7 8\n":                          "[] [{column4 5 7} {column5 6 8}]",
		"0 0 0 0 0 1 10 20 30\n9 9 9 0.5 0.5 0.7 1 2 3\n": "[0a141e 010203] []",
	} {
		m, _, err := format.Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{Strict: true}, Format)
		if err != nil {
			t.Fatal(err)
		}
		var colors, fields []string
		if m.Colors != nil {
			colors = []string{fmt.Sprintf("%06x", m.Colors[0]), fmt.Sprintf("%06x", m.Colors[8])}
		}
		for _, f := range m.Attributes.Fields {
			fields = append(fields, fmt.Sprintf("{%s %g %g}", f.Name, f.Values[m.Attributes.Index[0][0]], f.Values[m.Attributes.Index[0][8]]))
		}
		if got := fmt.Sprint(colors, " ", fields); got != want {
			t.Errorf("%q: %s, want %s", file, got, want)
		}
	}
}

// TestMutants reads clouds with mutated lines.
func TestMutants(t *testing.T) {
	text := strings.Repeat("0 0 0 7 255 0 10\n1 0 0.5 8 1 2 3\n", 20)
	meshtest.MutantsOf(t, Format, text, "40\n"+text, strings.ReplaceAll(text, " ", "\t"))
}

func FuzzRead(f *testing.F) {
	for _, c := range cases {
		f.Add([]byte(c.File), 7)
	}
	f.Fuzz(func(t *testing.T, file []byte, piece int) { meshtest.FuzzInstances(t, Format, file, piece) })
}
