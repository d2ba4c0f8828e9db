package leaves

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/bench/report"
)

// small is an experiment of a second. Its larger mesh has enough triangles for groups to be deferred.
func small() Experiment {
	return Experiment{
		Scene: "scene:housing?closed=1&gears=27", Sizes: []int{50000, 600000}, Zooms: []float64{1, 4}, Frames: 2, Width: 160, Height: 90, JSON: true,
	}
}

// TestRows draws meshes of two sizes. Hidden groups of a large closed housing must be left out. No group of a small
// mesh may be deferred.
func TestRows(t *testing.T) {
	e := small()
	e.Plot = report.Path(t.TempDir())
	var out bytes.Buffer
	if err := e.Run(t.Context(), report.Output{Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	var rows []row
	for d := json.NewDecoder(&out); d.More(); {
		var r row
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	if len(rows) != 4 {
		t.Fatalf("%d rows, want 4", len(rows))
	}
	for i, r := range rows {
		if r.Experiment != "leaves" || r.Frames != 2 || r.Zoom != e.Zooms[i%2] || r.All <= 0 || r.Deferred <= 0 || r.Ratio != r.Deferred/r.All {
			t.Errorf("row %d: %+v", i, r)
		}
	}
	if r := rows[0]; r.Triangles > 60000 || r.Drawn != 1 {
		t.Errorf("small mesh: %+v", r)
	}
	if r := rows[2]; r.Triangles < 1<<19 || r.Drawn > 0.5 || r.Leaves <= 0 {
		t.Errorf("large mesh: %+v", r)
	}
	for _, name := range []string{"leaves.svg", "leaves.png"} {
		if info, err := os.Stat(filepath.Join(string(e.Plot), name)); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTable checks the table for people.
func TestTable(t *testing.T) {
	e := small()
	e.JSON, e.Sizes, e.Zooms, e.Default = false, e.Sizes[:1], e.Zooms[:1], true
	var out bytes.Buffer
	if err := e.Run(t.Context(), report.Output{Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(strings.TrimSpace(out.String()), "\n"); len(lines) != 2 || !strings.Contains(lines[1], " ms") {
		t.Errorf("%s", out.String())
	}
}

// TestFaultyFlags checks that flags without a meaning are refused.
func TestFaultyFlags(t *testing.T) {
	for name, change := range map[string]func(e *Experiment){
		"frames": func(e *Experiment) { e.Frames = 0 },
		"width":  func(e *Experiment) { e.Width = 0 },
		"height": func(e *Experiment) { e.Height = 20000 },
		"sizes":  func(e *Experiment) { e.Sizes = []int{10, 0} },
		"zooms":  func(e *Experiment) { e.Zooms = []float64{1, -1} },
		"scene":  func(e *Experiment) { e.Scene = "bunny.stl" },
		"name":   func(e *Experiment) { e.Scene = "scene:nothing" },
	} {
		e := small()
		change(&e)
		var usage *report.UsageError
		if err := e.Run(t.Context(), report.Output{Stdout: new(bytes.Buffer)}); !errors.As(err, &usage) {
			t.Errorf("%s: %v, want a usage error", name, err)
		}
	}
}
