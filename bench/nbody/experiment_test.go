package nbody

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockstep/bench/report"
	"lockstep/lb/criterion"
	"lockstep/lb/partition"
	"lockstep/lb/scenario"
)

// defaults returns the defaults of the flags, with a small set-up.
func defaults() Experiment {
	return Experiment{
		JSON: true, Setups: []string{"toy"}, Partitioners: []string{"rcb", "rib", "hsfc", "norcb", "flow", "spokes", "drift", "auto", "trial"},
		Weights: "both", Particles: 1000, PEs: 8, Iterations: 60, Every: 2, CostFactor: []float64{1}, Seed: 1,
	}
}

// lines runs an experiment and returns the lines that it prints.
func lines(t *testing.T, e Experiment) (all []line) {
	t.Helper()
	var out bytes.Buffer
	if err := e.Run(context.Background(), report.Output{Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	for text := range strings.Lines(out.String()) {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		all = append(all, l)
	}
	return all
}

// TestExperiment checks that every combination has a line, and that the times of a line add up.
func TestExperiment(t *testing.T) {
	e := defaults()
	e.Setups = []string{"toy", "rotation3d"}
	e.Criteria = []string{"boulmier", "periodic:10"}
	got := lines(t, e)
	if want := 2 * 9 * 2 * 2; len(got) != want {
		t.Fatalf("%d lines, want %d", len(got), want)
	}
	for _, l := range got {
		sum := l.IdealSeconds + l.CostSeconds + l.ResidualSeconds + l.GrowthSeconds
		if math.Abs(sum/l.ParallelSeconds-1) > 1e-12 || l.Balances != len(l.BalancedAt) || len(l.Effort) != l.Balances+1 {
			t.Errorf("%+v: times make %v", l, sum)
		}
		if l.Criterion == "periodic:10" && !slices.Equal(l.BalancedAt, []int{10, 20, 30, 40, 50}) {
			t.Errorf("balanced at %v", l.BalancedAt)
		}
	}
	again := lines(t, e)
	if again[3].ParallelSeconds != got[3].ParallelSeconds || again[11].Migrated != got[11].Migrated {
		t.Error("a second run differs")
	}
}

// TestOptimum checks that the optimum takes at most as long as any criterion, and that some criterion balances.
func TestOptimum(t *testing.T) {
	e := defaults()
	e.Setups, e.Optimum, e.Partitioners = []string{"contraction"}, true, []string{"hsfc", "norcb"}
	e.Criteria = []string{"menon", "boulmier", "ours", "never", "always"}
	e.Iterations, e.Every, e.Particles, e.CostFactor, e.Weights = 1000, 20, 1000, []float64{0.01}, "interactions"
	balanced := 0
	for _, l := range lines(t, e) {
		if l.OptimumSeconds == nil || *l.OptimumSeconds > l.ParallelSeconds*(1+1e-12) || *l.OptimumSeconds < l.IdealSeconds {
			t.Errorf("%s, %s: %v seconds, the optimum %v", l.Partitioner, l.Criterion, l.ParallelSeconds, *l.OptimumSeconds)
		}
		if l.Criterion != "always" {
			balanced += l.Balances
		}
	}
	if balanced == 0 {
		t.Error("no criterion balances, which tests little")
	}
}

func TestReplay(t *testing.T) {
	s := small(t, "gravity", 500, 120)
	s.PEs = 8
	partitioners, _ := partitionersOf("hsfc", true)
	p := &Player{Partitioners: partitioners, Criterion: &criterion.Periodic{Period: 7}, PEs: s.PEs, Costs: s.Costs}
	record := &recording{setup: &s, every: 2}
	c := Contest{Setup: &s, Seed: 4, Every: 2, Before: record.recordStart, After: func(_ int, y *System) error { record.recordEnd(y); return nil }}
	if _, err := c.Run(context.Background(), []*Player{p}); err != nil {
		t.Fatal(err)
	}
	var balances []int
	for _, t := range p.Balances {
		balances = append(balances, t/2) // numbers of iterations in the recording
	}
	cost, err := scenario.Evaluate(&replay{recording: record, partitioner: partitioners[0], costs: s.Costs, made: make([]*partition.Partition, len(record.starts))}, balances)
	if err != nil || math.Abs(cost/p.Seconds-1) > 1e-12 {
		t.Errorf("the replay takes %v seconds, the run took %v; %v", cost, p.Seconds, err)
	}
}

// TestTimed checks that measuring times does not change the trajectory.
func TestTimed(t *testing.T) {
	s := small(t, "contraction", 800, 6)
	partitioners, _ := partitionersOf("norcb", true)
	p := &Player{Partitioners: partitioners, Criterion: &criterion.Periodic{Period: 2}, PEs: 5, Costs: s.Costs, Timed: true}
	a, err := (&Contest{Setup: &s, Seed: 3, PlayersInTurn: true}).Run(context.Background(), []*Player{p})
	if err != nil {
		t.Fatal(err)
	}
	b, err := (&Contest{Setup: &s, Seed: 3}).Run(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !sameTrajectory(a, b) || p.Seconds <= 0 {
		t.Error("measuring changes the trajectory, or measures nothing")
	}
}

// TestFilmAndPlot checks that a film has the right number of frames, and that the plots are written.
func TestFilmAndPlot(t *testing.T) {
	dir := t.TempDir()
	e := defaults()
	e.Film, e.Plot = report.Path(filepath.Join(dir, "film.png")), report.Path(dir)
	e.Criteria = []string{"boulmier"}
	e.Particles, e.Iterations, e.Partitioners = 3000, 20, []string{"rcb", "auto"} // the film exceeds a block of triangles
	lines(t, e)
	f, err := os.Open(string(e.Film))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if picture, err := png.Decode(f); err != nil || picture.Bounds().Dx() != filmSide {
		t.Errorf("the film is no picture: %v", err)
	}
	for _, name := range []string{"toy.svg", "toy.png"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUsage(t *testing.T) {
	for want, change := range map[string]func(*Experiment){
		"--setup what":       func(e *Experiment) { e.Setups = []string{"what"} },
		"--partitioner what": func(e *Experiment) { e.Partitioners = []string{"what"} },
		"periodic:PERIOD":    func(e *Experiment) { e.Criteria = []string{"periodic"} },
		"--cost-factor":      func(e *Experiment) { e.CostFactor = []float64{1, 0} },
		"at least one":       func(e *Experiment) { e.Setups = nil },
		"one each":           func(e *Experiment) { e.Partitioners = nil },
		"exclude":            func(e *Experiment) { e.Timed, e.Optimum = true, true },
	} {
		e := defaults()
		change(&e)
		err := e.Run(context.Background(), report.Output{Stdout: new(bytes.Buffer)})
		var usage *report.UsageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
