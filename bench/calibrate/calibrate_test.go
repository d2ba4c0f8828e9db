package calibrate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/bench/report"
	"lockstep/lb"
	"lockstep/render/calibration"
	"lockstep/vp/isa"
)

// calibrateOutput runs the experiment and returns its objects.
func calibrateOutput(t *testing.T, c Experiment) (objects []calibrated) {
	t.Helper()
	var out bytes.Buffer
	c.JSON = true
	if err := c.Run(t.Context(), report.Output{Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		var o calibrated
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		objects = append(objects, o)
	}
	return objects
}

func TestCalibrateExperiment(t *testing.T) {
	// The estimate of the stored costs is 6 iterations.
	s := &calibration.Store{Dir: filepath.Join(t.TempDir(), "new"), Machine: "a machine", Kernel: "v1"}
	s.Measure = func(context.Context, string) (*calibration.Costs, error) {
		m := lb.NewCostModel(1)
		err := m.Calibrate([]lb.Timing{{Gather: 2, Redistribution: 3, Solution: 1}})
		return &calibration.Costs{Model: m, Full: 1.5, Ticks: 30, Samples: []calibration.Sample{
			{Tall: 1, Rows: 5, Saved: 4, Cost: 5, Shortest: 3, Iterations: 1},
		}}, err
	}
	for i, c := range []Experiment{{ISA: "generic"}, {ISA: "generic"}, {ISA: "generic", Renew: true}} {
		c.Store = s
		got := calibrateOutput(t, c)
		if len(got) != 1 || got[0].Fresh != (i != 1) || got[0].Experiment != "calibrate" || got[0].ISA != "generic" || got[0].File != s.File() ||
			got[0].Estimate != 6 || got[0].Full != 1.5 || got[0].Ticks != 30 || len(got[0].Samples) != 1 {
			t.Errorf("%d: %+v", i, got)
		}
	}
	if got := calibrateOutput(t, Experiment{ISA: "all", Store: s}); len(got) != len(isa.Available()) {
		t.Errorf("all: %+v", got)
	}
	if err := s.Observe(isa.Generic, 9); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := (&Experiment{ISA: "generic", Store: s}).Run(t.Context(), report.Output{Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a machine", "v1", s.File(), "10.00 iterations", "1 times", "1.50 times", "pays"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("lacks %q:\n%s", want, out.String())
		}
	}
	var usage *report.UsageError
	if err := (&Experiment{ISA: "mmx", Store: s}).Run(t.Context(), report.Output{Stdout: &out}); !errors.As(err, &usage) {
		t.Errorf("mmx: %v", err)
	}
	// If costs cannot be stored, they must still be measured and printed.
	s.Dir = s.File()
	if got := calibrateOutput(t, Experiment{ISA: "generic", Store: s}); got[0].File != "" || got[0].Problem == "" || !got[0].Fresh || len(got[0].Samples) < 4 {
		t.Errorf("without a folder: %+v", got)
	}
}
