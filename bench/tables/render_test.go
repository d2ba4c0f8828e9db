package tables

import (
	"errors"
	"math"
	"slices"
	"testing"

	"lockstep/bench/internal/racetest"
	"lockstep/bench/report"
)

// TestRenderWorkloads compares the renderer's scan-line workloads of the scene perforator with the paper's Table 1. All
// eight cells must be within 20 %.
func TestRenderWorkloads(t *testing.T) {
	racetest.Alone(t)
	for _, dataset := range []string{"balanced", "unbalanced"} {
		for v, view := range views {
			w, err := drawnOnce(t.Context(), (&Experiment{}).sceneName(dataset, 0), view)
			if err != nil {
				t.Fatal(err)
			}
			sum := 0
			for _, rows := range w.Rows {
				sum += int(rows)
			}
			longest, mean := float64(slices.Max(w.Rows)), float64(sum)/float64(len(w.Rows))
			paper := paperWorkloads[dataset][v]
			if math.Abs(longest/float64(paper.max)-1) > 0.2 || math.Abs(mean/float64(paper.avg)-1) > 0.2 {
				t.Errorf("%s %s: maximum %g, average %.2f; the paper has %v", dataset, view.Name, longest, mean, paper)
			}
			if slices.Min(w.Pixels) < 1 {
				t.Errorf("%s %s: a span without pixels", dataset, view.Name)
			}
		}
	}
	var usage *report.UsageError
	if _, err := RenderWorkloads(t.Context(), "nothing", views[0]); !errors.As(err, &usage) {
		t.Errorf("unknown scene: %v", err)
	}
}

// TestPerforatorBeatsThePaper checks our data set. Every speed-up of Table 2 must be reached, and at most 5 per cent
// may be lost in every cell of Table 3. The costs were measured with the specification on one core of an EPYC.
func TestPerforatorBeatsThePaper(t *testing.T) {
	racetest.Alone(t)
	phase := func(shortest, typical, longest float64) PhaseCost { return PhaseCost{shortest, typical, longest} }
	loop := func(solution PhaseCost) LoopCosts {
		return LoopCosts{Solution: solution, Max: phase(0.79, 0.79, 1.22), Gather: phase(0.87, 0.87, 1.36),
			Forecast: phase(2.62, 2.73, 3.19), Search: phase(2.93, 2.96, 4.91), Trial: phase(1.41, 2.70, 4.96),
			Redistribution: phase(1.99, 3.25, 5.57)}
	}
	tables := &Experiment{Workloads: drawnOnce, Costs: &StepCosts{Scan: loop(phase(53.87, 56.02, 79.16)), ZBuffer: loop(phase(6.83, 7, 36.44)), Hop: phase(0.87, 0.87, 0.87)}}
	for _, c := range jsonCells(t, tables) {
		if c.Dataset == "unbalanced" && c.Speedup < float64(c.PaperSpeedup) {
			t.Errorf("unbalanced %s on %d: %.1f times, the paper's %.1f", c.View, c.Processors, c.Speedup, c.PaperSpeedup)
		}
		if c.Dataset == "balanced" && c.Speedup < 1/1.05 {
			t.Errorf("balanced %s on %d: %.1f %% lost", c.View, c.Processors, 100*(1/c.Speedup-1))
		}
	}
}
