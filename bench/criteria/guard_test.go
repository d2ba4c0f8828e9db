package criteria

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"lockstep/bench/report"
	"lockstep/lb/criterion"
)

// TestGuardFigure checks that the measured ratios of guards lie just below their bounds. It also checks that the
// experiment draws the figure in the documentation.
func TestGuardFigure(t *testing.T) {
	rows, err := measureGuards(context.Background(), 50)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		for _, c := range []struct {
			name        string
			worst, most float64
			mean        float64
		}{{"bad", row.bad.worst(), row.r, row.bad.mean()}, {"good", row.good.worst(), row.r / (row.r - 1), row.good.mean()}} {
			if c.worst > c.most || c.worst < 0.98*c.most || c.mean > c.worst || !(c.mean > 0.9) {
				t.Errorf("r = %v, %s advice: at most %v, mean %v; the bound is %v", row.r, c.name, c.worst, c.mean, c.most)
			}
		}
	}
	dir := t.TempDir()
	if err := drawGuard(report.Output{}.Folder(dir), rows); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "guard.svg"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join("..", "..", "docs", "criteria-guard.svg"))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("docs/criteria-guard.svg is not what lockstep-bench criteria --guard --plot draws (%v)", err)
	}
}

// TestTimetable checks that a fixed schedule balances before the given iterations, and before no other iteration.
func TestTimetable(t *testing.T) {
	a := &fixedSchedule{before: []int{1, 4}}
	for i := range 6 {
		if got, want := a.Decide().Balance, i == 1 || i == 4; i > 0 && got != want {
			t.Errorf("before iteration %d: %v", i, got)
		}
		a.Observe(criterion.Sample{})
	}
}

// TestGuardPrints checks that there is a line for every bound, and that flags for other applications are an error.
func TestGuardPrints(t *testing.T) {
	lines := runJSON(t, Experiment{Guard: true, Seeds: 1})
	if len(lines) != len(guardBounds) {
		t.Fatalf("%d lines", len(lines))
	}
	for i, m := range lines {
		if m["bound"].(float64) != guardBounds[i] || m["experiment"] != "criteria-guard" || !(m["worst_good"].(float64) <= m["bound_good"].(float64)) {
			t.Errorf("%v", m)
		}
	}
	for _, c := range []Experiment{{Guard: true}, {Guard: true, Seeds: 1, Curves: "a"}, {Guard: true, Seeds: 1, Loads: "a", Parts: 1}} {
		if c.Run(context.Background(), report.Output{}) == nil {
			t.Errorf("%+v: no error", c)
		}
	}
}
