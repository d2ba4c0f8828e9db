package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// fieldsPLY has fields of vertices and of its one triangle. Some of the numbers are NaN or infinite.
const fieldsPLY = `ply
format ascii 1.0
element vertex 3
property float x
property float y
property float z
property float heat
property double void
property float peak
property float ends
element face 1
property list uchar int vertex_indices
property float load
end_header
0 0 0 1.5 nan -2 inf
1 0 0 nan nan inf -inf
0 0 1 -4 nan 3 nan
3 0 1 2 7
`

// TestInfoFields checks the list of values that --field can have.
func TestInfoFields(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, filepath.Join(dir, "f.ply"), fieldsPLY)
	r := run(t, dir, "", "info", "--json", "f.ply")
	r.Want(t, cli.Done)
	var info struct {
		Fields []fieldInfo `json:"fields"`
	}
	if err := json.Unmarshal([]byte(r.Stdout), &info); err != nil {
		t.Fatal(err)
	}
	number := func(x float64) *float64 { return &x }
	want := []fieldInfo{
		{"heat", "vertices", 1, 3, number(-4), number(1.5), 1, 0},
		{"void", "vertices", 1, 3, nil, nil, 3, 0},
		{"peak", "vertices", 1, 3, number(-2), number(3), 0, 1},
		{"ends", "vertices", 1, 3, nil, nil, 1, 2},
		{"load", "triangles", 1, 1, number(7), number(7), 0, 0},
	}
	if !reflect.DeepEqual(info.Fields, want) {
		t.Errorf("fields %s", r.Stdout)
	}
	r = run(t, dir, "", "info", "f.ply")
	for _, line := range []string{
		"fields     5\n", `"heat" of the vertices: -4 to 1.5, 1 of 3 are no number`, `"void" of the vertices: no finite number, 3 of 3 are no number`,
		`"peak" of the vertices: -2 to 3, 1 are infinite`, `"load" of the triangles: 7 to 7`,
	} {
		if !strings.Contains(r.Stdout, line) {
			t.Errorf("lacks %q:\n%s", line, r.Stdout)
		}
	}
	// Each name works with --field.
	for _, f := range want {
		run(t, dir, "", "f.ply", "-s", "16", "--field", f.Name, "-o", "a.png").Want(t, cli.Done)
	}
	run(t, dir, "", "f.ply", "-s", "16", "--field", "x", "-o", "a.png").Want(t, cli.Usage, "heat, void, peak, ends, load")
}

// TestInfoOfManyFields checks that at most twenty fields are listed, and that a mesh without fields has no list.
func TestInfoOfManyFields(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	if r := run(t, dir, "", "info", mesh); !strings.Contains(r.Stdout, "fields     0\n") {
		t.Error(r.Stdout)
	}
	if r := run(t, dir, "", "info", "--json", mesh); !strings.Contains(r.Stdout, `"fields":[]`) {
		t.Error(r.Stdout)
	}
	var names, values strings.Builder
	for i := range 22 {
		fmt.Fprintf(&names, "property float f%02d\n", i)
		values.WriteString(" 1")
	}
	text := strings.ReplaceAll(fieldsPLY, "property float heat\nproperty double void\nproperty float peak\nproperty float ends\n", names.String())
	for _, old := range []string{" 1.5 nan -2 inf", " nan nan inf -inf", " -4 nan 3 nan"} {
		text = strings.ReplaceAll(text, old, values.String())
	}
	clitest.Write(t, filepath.Join(dir, "f.ply"), text)
	r := run(t, dir, "", "info", "f.ply")
	if !strings.Contains(r.Stdout, `"f19"`) || strings.Contains(r.Stdout, `"f20"`) || !strings.Contains(r.Stdout, "and 3 more (see --json)") {
		t.Error(r.Stdout)
	}
}
