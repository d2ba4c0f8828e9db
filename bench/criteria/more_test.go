package criteria

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockstep/bench/internal/racetest"
	"lockstep/bench/report"
	"lockstep/lb/criterion"
	"lockstep/lb/scenario"
)

// TestCurvesByAgeTimeAndBoth checks a file of curves. Imbalance may grow by age, by time or by both, and a curve may
// have a floor. The lines of a family must be printed as one table.
func TestCurvesByAgeTimeAndBoth(t *testing.T) {
	file := writeTemp(t, `{"name":"age","C":2,"mu":[1,1,1,1],"iota":[1,1,1]}
{"name":"time#1","C":2,"mu":[1,1,1,1],"iota_time":[0,3,0]}
{"name":"time#2","C":9,"mu":[1,1,1,1],"iota_time":[0,3,0]}
{"name":"both","C":2,"mu":[1,1,1,1],"iota":[1,1,1],"iota_time":[0,3,0],"floor":[0.5,0.5,0.5,0.5]}
`)
	optimum := map[string]float64{}
	for _, m := range runJSON(t, Experiment{Curves: report.Path(file)}) {
		if m["criterion"] == "optimum" {
			optimum[m["name"].(string)] = m["cost"].(float64)
		}
	}
	// The optimum by age is 1+2+2+1+2, with one balancing in the middle. The optimum by time is 4, plus the cost 2 of a
	// balancing before iteration 2. Without a balancing it is 4+6.
	if want := map[string]float64{"age": 8, "time#1": 6, "time#2": 10, "both": 10}; fmt.Sprint(optimum) != fmt.Sprint(want) {
		// The jump comes after iteration 1, so a balancing before iteration 2 removes it.
		t.Errorf("optima %v, want %v", optimum, want)
	}
	seen := map[string]bool{}
	for _, m := range runJSON(t, Experiment{Curves: report.Path(file), Family: true}) {
		seen[fmt.Sprint(m["experiment"], m["name"], m["criterion"], m["seeds"])] = true
	}
	for _, want := range []string{"criteria-familytimebetter2", "criteria-familytimemenon2", "criteria-familyageours1"} {
		if !seen[want] {
			t.Errorf("no line %s in %v", want, seen)
		}
	}
	bad := writeTemp(t, `{"name":"a","C":1,"mu":[1,1,1],"iota_time":[0]}`)
	err := (&Experiment{Curves: report.Path(bad)}).Run(context.Background(), report.Output{Stdout: brokenWriter{}})
	if err == nil || !strings.Contains(err.Error(), "growth of the imbalance by time has 1 elements") {
		t.Errorf("%v", err)
	}
}

// TestBestSchedules checks that the best schedules are printed in ascending order of cost.
func TestBestSchedules(t *testing.T) {
	file := writeTemp(t, `{"name":"age","C":2,"mu":[1,1,1,1],"iota":[1,1,1]}`)
	var names []string
	last := 0.0
	for _, m := range runJSON(t, Experiment{Curves: report.Path(file), Best: 4}) {
		name, cost := m["criterion"].(string), m["cost"].(float64)
		if name == "optimum" || strings.HasSuffix(name, "nd") || strings.HasSuffix(name, "rd") || strings.HasSuffix(name, "th") {
			if names = append(names, name); cost < last {
				t.Errorf("%s costs %v, less than the one before", name, cost)
			}
			last = cost
		}
	}
	if !slices.Equal(names, []string{"optimum", "2nd", "3rd", "4th"}) {
		t.Errorf("%v", names)
	}
	for n, want := range map[int]string{1: "1st", 2: "2nd", 11: "11th", 12: "12th", 23: "23rd", 112: "112th"} {
		if ordinal(n) != want {
			t.Errorf("%d is %s", n, ordinal(n))
		}
	}
}

// TestToy checks Figure 1: Menon's rule balances at iteration 96, and Boulmier's never.
func TestToy(t *testing.T) {
	app, err := toyApplication()
	if err != nil {
		t.Fatal(err)
	}
	if got := runCriterion(app, &criterion.Menon{}, app.Cost(), nil).Balances; !slices.Equal(got, []int{96}) {
		t.Errorf("Menon's balances at %v", got)
	}
	if got := runCriterion(app, &criterion.Boulmier{}, app.Cost(), nil).Balances; len(got) > 0 {
		t.Errorf("Boulmier's balances at %v", got)
	}
	dir := t.TempDir()
	if err := drawToy(report.Output{}.Folder(dir), app); err != nil {
		t.Fatal(err)
	}
	svg, err := os.ReadFile(filepath.Join(dir, "figure1.svg"))
	if err != nil || !strings.Contains(string(svg), "Boulmier") || !strings.Contains(string(svg), "iteration") {
		t.Errorf("figure 1: %v", err)
	}
}

// TestHandoverOnFilms replays recorded films in which some blocks are handed over. The reference is the lowest possible
// cost if every balancing divides all blocks anew. The cost must exceed it by at most 2 % in the mean and 15 % in the
// worst case.
func TestHandoverOnFilms(t *testing.T) {
	racetest.Alone(t)
	_, all := films(t, *filmFolder)
	sum, count, worst := 0.0, 0.0, 0.0
	for i := 0; i < len(all); i += 5 {
		for _, latency := range []float64{1e-3, 1e-5} {
			m := newReplay(all[i], 8, latency, 1e9)
			best, err := scenario.Optimum(context.Background(), m)
			if err != nil {
				t.Fatal(err)
			}
			s, err := runHandover(all[i], m, true)
			if err != nil {
				t.Fatal(err)
			}
			sum += s.Cost / best.Cost
			worst = max(worst, s.Cost/best.Cost)
			count++
		}
	}
	if mean := sum / count; !(mean < 1.02) || worst > 1.15 || math.IsNaN(worst) {
		t.Errorf("mean %.3f, worst %.3f over the optimum of whole balancings", mean, worst)
	}
}
