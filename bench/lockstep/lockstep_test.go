package lockstep

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/bench/internal/racetest"
	"lockstep/bench/report"
	"lockstep/bench/tables"
)

// runRows runs the experiment.
func runRows(t *testing.T, l Experiment) []row {
	t.Helper()
	l.JSON = true
	var out bytes.Buffer
	if err := l.Run(t.Context(), report.Output{Stdout: &out}); err != nil {
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
	return rows
}

// TestLockstepTakesWhatTheTablesCount checks that the experiment counts as many iterations as package tables, for the
// same workloads, cost and planner. The arrays of package tables also hold the triangles outside the picture, so the
// machine here gets as many processors as those arrays.
func TestLockstepTakesWhatTheTablesCount(t *testing.T) {
	racetest.Alone(t)
	const mesh = "perforator?version=unbalanced"
	w, err := tables.RenderWorkloads(t.Context(), mesh, tables.View{})
	if err != nil {
		t.Fatal(err)
	}
	for _, policy := range policies {
		l := Experiment{Mesh: report.Path("scene:" + mesh), Width: 512, Policy: policy.String(), Cost: 12.5, Processors: len(w.Rows)}
		models, err := l.newCostModels(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := runRows(t, l)
		if len(got) != 2 || got[0].Loop != "scan" || got[0].Policy != policy.String() {
			t.Fatalf("%+v", got)
		}
		iterations, redistributions, err := tables.CountLoop(w.Rows, newCycle(policy, &l, models[0]))
		if err != nil {
			t.Fatal(err)
		}
		if got[0].Iterations != iterations || got[0].Redistributions != redistributions {
			t.Errorf("%v: drawn in %d iterations with %d redistributions, counted %d and %d", policy,
				got[0].Iterations, got[0].Redistributions, iterations, redistributions)
		}
	}
}

// TestLockstepPolicies checks that all policies carry out the same tasks, and that redistributing saves iterations on
// slivers as tall as the picture.
func TestLockstepPolicies(t *testing.T) {
	rows := runRows(t, Experiment{Mesh: "scene:slivers?triangles=3000", Width: 200, Processors: 16, Task: 16, Cost: 20, Planner: "proportional"})
	if len(rows) != 6 {
		t.Fatalf("%d rows, want two loops under three policies", len(rows))
	}
	for i, r := range rows {
		if r.Tasks != rows[i%2].Tasks || r.Processors != 16 || r.Use > 1 || r.Iterations > r.IterationsNever {
			t.Errorf("%+v", r)
		}
	}
	if never, cost := rows[0], rows[2]; cost.Iterations*3 > never.Iterations || never.Redistributions != 0 || cost.Redistributions == 0 {
		t.Errorf("never %+v, cost %+v", never, cost)
	}
}

func TestLockstepRefuses(t *testing.T) {
	for _, l := range []Experiment{
		{Mesh: "scene:cube"}, {Mesh: "scene:cube", Width: 10, Processors: -1}, {Mesh: "scene:cube", Width: 10, Task: -1},
		{Mesh: "scene:cube", Width: 10, Cost: -1}, {Mesh: "scene:nothing", Width: 10}, {Mesh: "scene:cube", Width: 10, Elevation: 91},
	} {
		var usage *report.UsageError
		if err := l.Run(t.Context(), report.Output{Stdout: new(bytes.Buffer)}); !errors.As(err, &usage) {
			t.Errorf("%+v: %v", l, err)
		}
	}
	var input *report.InputError
	if err := (&Experiment{Mesh: "missing.stl", Width: 10}).Run(t.Context(), report.Output{Stdout: new(bytes.Buffer)}); !errors.As(err, &input) {
		t.Errorf("missing file: %v", err)
	}
}

// TestLockstepOfFiles runs the experiment without a command that opens its mesh: damage is refused, and a blank picture
// is an error that leaves no trace file.
func TestLockstepOfFiles(t *testing.T) {
	dir := t.TempDir()
	nan := float32(math.NaN())
	name := func(s string) report.Path { return report.Path(filepath.Join(dir, s)) }
	triangle := []float32{0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}
	writeText(t, string(name("one.stl")), binarySTL(1, triangle))
	writeText(t, string(name("short.stl")), binarySTL(2, triangle))
	writeText(t, string(name("nan.stl")), binarySTL(1, []float32{0, 0, 0, nan, 0, 0, 1, nan, 0, 0, 0, nan}))
	var table bytes.Buffer
	draw := func(l Experiment) error {
		l.Width, l.Cost = 20, 5
		table.Reset()
		return l.Run(t.Context(), report.Output{Stdout: &table})
	}
	if err := draw(Experiment{Mesh: name("one.stl"), Trace: name("one.jsonl")}); err != nil || table.Len() == 0 {
		t.Error(err)
	}
	text, err := os.ReadFile(string(name("one.jsonl")))
	if err != nil {
		t.Fatal(err)
	}
	trace := string(text)
	if err := draw(Experiment{Mesh: name("one.stl"), Trace: "-"}); err != nil || table.String() != trace || !strings.HasPrefix(trace, `{"trace":1`) {
		t.Errorf("%v, wrote %q and %q", err, table.String(), trace)
	}
	var usage *report.UsageError
	if err := draw(Experiment{Mesh: name("one.stl"), Trace: name("one.stl")}); !errors.As(err, &usage) {
		t.Errorf("a trace over the mesh: %v", err)
	}
	var input *report.InputError
	if err := draw(Experiment{Mesh: name("short.stl"), Trace: name("t")}); !errors.As(err, &input) || strings.Count(err.Error(), "short.stl") != 1 {
		t.Errorf("a damaged file: %v", err)
	}
	var blank *report.BlankError
	for _, l := range []Experiment{{Mesh: name("one.stl"), Azimuth: 90}, {Mesh: name("point.stl")}} {
		writeText(t, string(name("point.stl")), binarySTL(2, make([]float32, 12), append(make([]float32, 3), 1, 1, 1, 1, 1, 1, 1, 1, 1)))
		l.Trace = name("t")
		if err := draw(l); !errors.As(err, &blank) || table.Len() > 0 {
			t.Errorf("%s: %v, prints %q", l.Mesh, err, &table)
		}
	}
	if err := draw(Experiment{Mesh: name("nan.stl"), Trace: name("t")}); !errors.As(err, &input) && !errors.As(err, &blank) {
		t.Errorf("no finite triangle: %v", err)
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "*")); len(found) != 5 {
		t.Errorf("left are %v", found)
	}
	if hidden, _ := filepath.Glob(filepath.Join(dir, ".*")); len(hidden) != 0 {
		t.Errorf("left are %v", hidden)
	}
}

// binarySTL returns a binary STL file whose header promises n triangles. Each triangle has a normal and three vertices.
func binarySTL(n uint32, triangles ...[]float32) string {
	b := binary.LittleEndian.AppendUint32(make([]byte, 80), n)
	for _, t := range triangles {
		for _, v := range t {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
		b = append(b, 0, 0)
	}
	return string(b)
}

func writeText(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
