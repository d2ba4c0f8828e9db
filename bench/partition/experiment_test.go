package partition

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/bench/report"
	"lockstep/lb/loads"
)

// film writes a film and returns the name of its file. The film has 32 blocks in four columns of eight, and the
// expensive half of the blocks moves from left to right.
func film(t *testing.T, places bool) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "film.jsonl")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h := loads.Header{BlockSize: 10}
	for range 32 {
		h.Triangles = append(h.Triangles, 10)
	}
	w, err := loads.NewWriter(f, h)
	if err != nil {
		t.Fatal(err)
	}
	for frame := range 20 {
		var seconds, x, y []float64
		for b := range 32 {
			x = append(x, float64(b%4)-0.1*float64(frame))
			y = append(y, float64(b/4))
			s := 1.0
			if b%4 < frame/5 {
				s = 9
			}
			seconds = append(seconds, s)
		}
		if !places {
			x, y = nil, nil
		}
		if err := w.WriteFrameAt(seconds, x, y); err != nil {
			t.Fatal(err)
		}
	}
	return name
}

func flags(t *testing.T) Experiment {
	return Experiment{
		JSON: true, Loads: report.Path(film(t, true)), PEs: 4,
		Partitioners: []string{"rcb", "rib", "hsfc", "norcb", "flow", "spokes"}, Criteria: []string{"never", "always", "ours"},
		MoveLatency: 0.5, MoveBandwidth: 1000,
	}
}

// TestExperiment checks that the times of a line add up. The blocks move sideways, so NoRCB cuts them into rows, and
// every row has the same loads in all frames.
func TestExperiment(t *testing.T) {
	var out bytes.Buffer
	e := flags(t)
	if err := e.Run(context.Background(), report.Output{Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for text := range strings.Lines(out.String()) {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		seen++
		if sum := l.IdealSeconds + l.CostSeconds + l.ResidualSeconds + l.GrowthSeconds; math.Abs(sum/l.ParallelSeconds-1) > 1e-12 {
			t.Errorf("%+v: times make %v", l, sum)
		}
		want := map[string]int{"never": 0, "always": 19}
		if n, ok := want[l.Criterion]; ok && l.Balances != n {
			t.Errorf("%s balances %d times", l.Criterion, l.Balances)
		}
		if l.Partitioner == "norcb" && l.Criterion == "always" && l.GrowthSeconds+l.ResidualSeconds > 0.2*l.IdealSeconds {
			t.Errorf("%+v: rows do not last", l)
		}
	}
	if seen != 18 {
		t.Errorf("%d lines", seen)
	}
	out.Reset()
	e.JSON = false
	if err := e.Run(context.Background(), report.Output{Stdout: &out}); err != nil || strings.Count(out.String(), "\n") != 20 {
		t.Errorf("the table is\n%s\n%v", out.String(), err)
	}
}

func TestErrors(t *testing.T) {
	for want, change := range map[string]func(*Experiment){
		"--pes 0":       func(e *Experiment) { e.PEs = 0 },
		"only 32":       func(e *Experiment) { e.PEs = 33 },
		"record":        func(e *Experiment) { e.Loads = report.Path(film(t, false)) },
		"no such file":  func(e *Experiment) { e.Loads = "missing" },
		"--partitioner": func(e *Experiment) { e.Partitioners = []string{"auto"} },
		"--criterion":   func(e *Experiment) { e.Criteria = []string{"x"} },
		"one each":      func(e *Experiment) { e.Criteria = nil },
	} {
		e := flags(t)
		change(&e)
		err := e.Run(context.Background(), report.Output{Stdout: new(bytes.Buffer)})
		var usage *report.UsageError
		var input *report.InputError
		if err == nil || !strings.Contains(err.Error(), want) || (!errors.As(err, &usage) && !errors.As(err, &input)) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
