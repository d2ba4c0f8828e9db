package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
	"lockstep/render/calibration"
)

// balanced is a small scene for which every instruction set balances.
const balanced = "scene:slivers?triangles=3000"

// runIn is like run, but with the folder `cache` for the stored costs. If cache is "off", costs are not stored.
func runIn(t *testing.T, cache, dir string, args ...string) clitest.Result {
	t.Helper()
	cmd := command(t, dir, args...)
	cmd.Env = append(os.Environ(), calibration.CacheEnv+"="+cache)
	return finish(t, cmd)
}

// storedFile returns the one file in the folder of costs.
func storedFile(t *testing.T, cache string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(cache, "costs-*.json"))
	if err != nil || len(names) != 1 || len(clitest.Files(t, cache)) != 1 {
		t.Fatalf("folder of costs: %v, %v", clitest.Files(t, cache), err)
	}
	return names[0]
}

// scanLoop runs the command and returns the statistics of its scan conversion.
func scanLoop(t *testing.T, cache string, args ...string) loopStatistics {
	t.Helper()
	r := runIn(t, cache, t.TempDir(), append(args, "-s", "256", "-o", "o.png", "--isa", "generic", "--stats", "json")...)
	r.Want(t, cli.Done)
	return parseStats(t, r.Stderr).Balance.Loops[0]
}

// TestCostsAreKept checks that costs are calibrated without a message, and stored. Later runs must use the stored
// costs. Damaged costs must be measured again.
func TestCostsAreKept(t *testing.T) {
	cache, dir := filepath.Join(t.TempDir(), "a", "b"), t.TempDir()
	r := runIn(t, cache, dir, balanced, "-s", "64", "-o", "-", "--balance", "never")
	if r.Want(t, cli.Done); len(r.Stderr) > 0 {
		t.Errorf("said %q", r.Stderr)
	}
	if _, err := os.Stat(cache); err == nil {
		t.Error("calibrated for a policy that does not ask")
	}
	r = runIn(t, cache, dir, balanced, "-s", "64", "-o", "-")
	if r.Want(t, cli.Done); len(r.Stderr) > 0 {
		t.Errorf("said %q", r.Stderr)
	}
	for range 2 {
		runIn(t, cache, dir, balanced, "-s", "64", "-o", "-").Want(t, cli.Done)
	}
	name := storedFile(t, cache)
	before := clitest.Read(t, name)
	// This picture redistributes nothing, so that no cost can turn out to be too low and be raised in the file.
	runIn(t, cache, dir, "scene:bumpy?triangles=2000", "-s", "64", "-o", "-").Want(t, cli.Done)
	if after := clitest.Read(t, storedFile(t, cache)); string(after) != string(before) {
		t.Errorf("stored again: %s, then %s", before, after)
	}
	clitest.Write(t, name, "{")
	r = runIn(t, cache, dir, balanced, "-s", "64", "-o", "-")
	if r.Want(t, cli.Done); len(r.Stderr) > 0 {
		t.Errorf("said %q", r.Stderr)
	}
	if after := clitest.Read(t, storedFile(t, cache)); !json.Valid(after) || len(after) < 100 {
		t.Errorf("left damaged: %s", after)
	}
}

// TestStoredCostsDecide checks that the stored costs determine whether work is redistributed. The picture must not
// depend on them.
func TestStoredCostsDecide(t *testing.T) {
	cache := t.TempDir()
	scanLoop(t, cache, balanced)
	name := storedFile(t, cache)
	var stored map[string]any
	if err := json.Unmarshal(clitest.Read(t, name), &stored); err != nil {
		t.Fatal(err)
	}
	pictures := map[string]string{}
	for _, cost := range []float64{4, 1e5} {
		one := map[string]any{"full": 1, "model": map[string]any{"cost": cost, "constant": 1, "runs": 1}}
		stored["costs"] = map[string]any{"generic": []any{one, one, one}}
		text, err := json.Marshal(stored)
		if err != nil {
			t.Fatal(err)
		}
		clitest.Write(t, name, string(text))
		l := scanLoop(t, cache, balanced)
		if moved := l.Polygons > 0; l.Cost != min(cost+1, 1<<15) || moved != (cost == 4) {
			t.Errorf("cost %g: %+v", cost, l)
		}
		if l.Polygons > 0 && (l.SavingsPredicted <= 0 || l.CostPredicted < 5*float64(l.Polygons) || l.Seconds <= 0) {
			t.Errorf("cost %g: %+v", cost, l)
		}
		r := runIn(t, cache, t.TempDir(), balanced, "-s", "64", "-o", "-", "--isa", "generic")
		pictures[r.Stdout] = ""
	}
	if len(pictures) != 1 {
		t.Error("the picture depends on the costs")
	}
}

// TestNoFolderForCosts checks that without a folder of costs the built-in costs are used, without a message.
func TestNoFolderForCosts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	clitest.Write(t, file, "")
	for _, cache := range []string{"off", file, filepath.Join(file, "below")} {
		dir := t.TempDir()
		r := runIn(t, cache, dir, balanced, "-s", "64", "-o", "o.png")
		if r.Want(t, cli.Done); r.Stderr != "" {
			t.Errorf("%s: said %q", cache, r.Stderr)
		}
		clitest.WantFiles(t, dir, "o.png")
		if l := scanLoop(t, cache, balanced); l.Cost != 24 || l.Underestimated != 0 {
			t.Errorf("%s: %+v", cache, l)
		}
	}
}

// TestUnderestimatesAreStored checks that a cost which was too low in frames is counted and raises the stored cost.
func TestUnderestimatesAreStored(t *testing.T) {
	cache := t.TempDir()
	t.Setenv(calibration.CacheEnv, cache)
	w, _ := testWork(t, balanced)
	// These costs replace measured costs. The policy of testWork does not need costs.
	store := w.app.costStore()
	if _, _, err := store.AllCosts(t.Context(), w.Renderer.ISA(), false); err != nil {
		t.Fatal(err)
	}
	w.raiseCosts() // no cost is raised
	w.sum.Balance.TooLow = 500
	w.raiseCosts()
	costs, err := store.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range costs[w.Renderer.ISA().String()] {
		if m := c.Model; m.Underestimated() != 1 || m.Estimate() != 501 {
			t.Errorf("%d underestimates, estimate %g", m.Underestimated(), m.Estimate())
		}
	}
	w.sum.Balance.TooLow = 0
}

func TestExplain(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args string
		want string
	}{
		{balanced, "scan: balancing "},
		{balanced + " --quiet", "iterations instead of"},
		{balanced + " --balance always", "were moved to idle lanes"},
		{balanced + " --balance never", "scan: not balanced: --balance never"},
		{"scene:bumpy?triangles=5000", "scan: balancing made no difference: no move of work would have saved more than its estimated cost, 24 iterations a polygon"},
		{"animate --turntable --frames 2 " + balanced, "scan: balancing "},
	} {
		output := "o_#.png"
		if !strings.HasPrefix(c.args, "animate") {
			output = "o.png"
		}
		args := append(strings.Fields(c.args), "-s", "512", "--samples", "4", "--isa", "generic", "--explain", "-o", output)
		r := runIn(t, "off", dir, args...)
		r.Want(t, cli.Done, c.want)
		lines := strings.Split(strings.TrimSuffix(r.Stderr, "\n"), "\n")
		if len(lines) != 3 || !strings.HasPrefix(lines[0], "scan: ") || !strings.HasPrefix(lines[1], "zbuffer: ") || !strings.HasPrefix(lines[2], "normals: ") {
			t.Errorf("%s: want a line for each loop: %q", c.args, r.Stderr)
		}
	}
}

// TestExplanation checks the words of an explanation for given numbers.
func TestExplanation(t *testing.T) {
	l := loopStatistics{
		Polygons: 10, Shared: 1, Cost: 8, SavingsPredicted: 1000, CostPredicted: 80, Seconds: 0.0005,
		Judged: 40, Underestimated: 2, iteration: 2e-6,
	}
	l.Iterations, l.IterationsUnbalanced, l.Redistributions, l.LaneUse, l.LaneUseUnbalanced = 500, 1400, 5, 0.9, 0.3
	moved := "; rows of 10 polygons were moved to idle lanes, to save 1000 iterations (2.000 ms) at an estimated cost of at most 80 (0.160 ms), which took 0.500 ms" +
		"; 1 of the largest polygons were divided among several workers; 500 iterations instead of 1400" +
		"; 90.0 % of the lanes were used, 30.0 % without balancing; 2 of 40 moves (5.0 %) cost more than estimated"
	// 900 iterations of 2 microseconds were saved. Redistribution took half a millisecond of it.
	if got, want := l.explanation("cost", 0.0127), "balancing saved about 1.300 ms of 14.000 ms"+moved; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, c := range []struct {
		change func(l *loopStatistics)
		scan   float64
		want   string
	}{
		{func(*loopStatistics) {}, 0.2, "balancing made no difference (1.300 ms of 201.300 ms); "},
		{func(l *loopStatistics) { l.Seconds = 0.003 }, 0.01, "balancing cost about 1.200 ms more than it saved, of 10.000 ms; "},
		{func(l *loopStatistics) { l.Seconds = 0.0018001 }, 0.01, "balancing made no difference (0.000 ms of 10.000 ms); "},
		{func(l *loopStatistics) { l.iteration = 0 }, 0.01, "balancing saved 900 of 1400 iterations; how much time that is was not measured; "},
		{func(l *loopStatistics) { l.Seconds = 0 }, 0.01, "balancing saved 900 of 1400 iterations; how much time that is was not measured; "},
		{func(l *loopStatistics) { l.iteration, l.IterationsUnbalanced = 0, 504 }, 0.01, "balancing made no difference (4 of 504 iterations); "},
		{func(l *loopStatistics) { l.iteration, l.Polygons = 0, 0 }, 0.01, "balancing gave polygons to several workers; how much time that saved was not measured; 1 of"},
	} {
		other := l
		c.change(&other)
		if got := other.explanation("cost", c.scan); !strings.HasPrefix(got, c.want) {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	l.Redistributions, l.LaneUse = 0, 0.5
	for policy, want := range map[string]string{
		"never":  "not balanced: --balance never; 50.0 % of the lanes were used",
		"always": "balancing made no difference: no move would have saved an iteration; 50.0 % of the lanes were used",
		"cost":   "balancing made no difference: no move of work would have saved more than its estimated cost, 8 iterations a polygon; 50.0 % of the lanes were used",
	} {
		if got := l.explanation(policy, 1); got != want {
			t.Errorf("%s: %s, want %s", policy, got, want)
		}
	}
}
