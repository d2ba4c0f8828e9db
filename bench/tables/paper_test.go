package tables

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"lockstep/bench/internal/racetest"
	"lockstep/bench/report"
)

// paperSpeedups returns the values of paper_speedup in the lines of an experiment.
func paperSpeedups(t *testing.T, tables *Experiment) (found []any) {
	t.Helper()
	tables.JSON = true
	var out bytes.Buffer
	if err := tables.Run(t.Context(), report.Output{Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(&out); d.More(); {
		var line map[string]any
		if err := d.Decode(&line); err != nil {
			t.Fatal(err)
		}
		speedup, there := line["paper_speedup"]
		if !there {
			t.Fatalf("no paper_speedup in %v", line)
		}
		found = append(found, speedup)
	}
	return found
}

// TestPaperSpeedupIsNull checks that paper_speedup is null for machines and data sets that the paper does not have.
func TestPaperSpeedupIsNull(t *testing.T) {
	racetest.Alone(t)
	for name, c := range map[string]struct {
		change func(*Experiment)
		null   bool
	}{
		"its own":         {func(*Experiment) {}, false},
		"its own, in all": {func(t *Experiment) { t.Triangles, t.Seed = paperTriangles, paperSeed }, false},
		"processors":      {func(t *Experiment) { t.Processors = []int{7} }, true},
		"triangles":       {func(t *Experiment) { t.Triangles = 5000 }, true},
		"seed":            {func(t *Experiment) { t.Seed = 2 }, true},
	} {
		tables := syntheticTables(t)
		tables.Processors = []int{32}
		c.change(tables)
		for _, speedup := range paperSpeedups(t, tables) {
			if number, ok := speedup.(float64); ok == c.null || ok && number <= 0 {
				t.Errorf("%s: paper_speedup is %v", name, speedup)
			}
		}
		if name != "its own" && name != "seed" {
			continue // the printed tables follow the same rule, so two cases are enough
		}
		var out bytes.Buffer
		tables.JSON = false
		if err := tables.Run(t.Context(), report.Output{Stdout: &out}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), inBrackets) == c.null || strings.Contains(out.String(), "(231)") == c.null {
			t.Errorf("%s: prints\n%s", name, &out)
		}
	}
}

// TestPaperScene checks that the parameters by which the paper's scene is recognised are the defaults of the scene.
func TestPaperScene(t *testing.T) {
	racetest.Alone(t)
	var all []LoopWorkloads
	for _, tables := range []*Experiment{{}, {Triangles: paperTriangles, Seed: paperSeed}} {
		w, err := drawnOnce(t.Context(), tables.sceneName("unbalanced", 0), views[0])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, w)
	}
	if !slices.Equal(all[0].Rows, all[1].Rows) || !slices.Equal(all[0].Pixels, all[1].Pixels) {
		t.Errorf("%d triangles of seed %d are another scene", paperTriangles, paperSeed)
	}
}

// TestTablesOfTooFewTriangles checks that a scene that cannot be made is an error about the flags, without additions.
func TestTablesOfTooFewTriangles(t *testing.T) {
	err := (&Experiment{Triangles: 1, Costs: fixedStepCosts()}).Run(t.Context(), report.Output{Stdout: new(bytes.Buffer)})
	var usage *report.UsageError
	if !errors.As(err, &usage) || !strings.HasPrefix(err.Error(), "scene:perforator?") || strings.Count(err.Error(), "perforator") != 1 {
		t.Errorf("error %v", err)
	}
}
