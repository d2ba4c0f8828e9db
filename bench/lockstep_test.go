package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
)

// lockstepRows runs the experiment.
func lockstepRows(t *testing.T, l Lockstep) []lockstepRow {
	t.Helper()
	l.JSON = true
	var out bytes.Buffer
	if err := l.Run(t.Context(), Output{Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	var rows []lockstepRow
	for d := json.NewDecoder(&out); d.More(); {
		var r lockstepRow
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

// The machine that draws takes the iterations that the tables count for the same
// workloads, cost and planner. The tables' arrays also hold the triangles that are
// not in the picture, so that the machine gets as many processors.
func TestLockstepTakesWhatTheTablesCount(t *testing.T) {
	const mesh = "perforator?version=unbalanced"
	w, err := RenderWorkloads(t.Context(), mesh, tableViews[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, policy := range []string{"never", "cost", "always"} {
		l := Lockstep{Mesh: Path("scene:" + mesh), Width: tableSize, Policy: policy, Cost: 12.5, Processors: len(w.Rows)}
		models, err := l.models(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := lockstepRows(t, l)
		if len(got) != 2 || got[0].Loop != "scan" || got[0].Policy != policy {
			t.Fatalf("%+v", got)
		}
		want, err := runLoop(w.Rows, newLockstepCycle(policy, &l, models[0]))
		if err != nil {
			t.Fatal(err)
		}
		if got[0].Iterations != want.iterations || got[0].Redistributions != want.Redistributions {
			t.Errorf("%s: drawn in %d iterations with %d redistributions, counted %d and %d", policy,
				got[0].Iterations, got[0].Redistributions, want.iterations, want.Redistributions)
		}
	}
}

// All policies do the same tasks, and balancing on lanes saves iterations of
// picture-high slivers.
func TestLockstepPolicies(t *testing.T) {
	rows := lockstepRows(t, Lockstep{Mesh: "scene:slivers?triangles=3000", Width: 200, Processors: 16, Task: 16, Cost: 20, Planner: "proportional"})
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
	for _, l := range []Lockstep{
		{Mesh: "scene:cube"}, {Mesh: "scene:cube", Width: 10, Processors: -1}, {Mesh: "scene:cube", Width: 10, Task: -1},
		{Mesh: "scene:cube", Width: 10, Cost: -1}, {Mesh: "scene:nothing", Width: 10}, {Mesh: "scene:cube", Width: 10, Elevation: 91},
	} {
		var usage *UsageError
		if err := l.Run(t.Context(), Output{Stdout: new(bytes.Buffer)}); !errors.As(err, &usage) {
			t.Errorf("%+v: %v", l, err)
		}
	}
	var input *InputError
	if err := (&Lockstep{Mesh: "missing.stl", Width: 10}).Run(t.Context(), Output{Stdout: new(bytes.Buffer)}); !errors.As(err, &input) {
		t.Errorf("missing file: %v", err)
	}
}
