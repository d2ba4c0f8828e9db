package criteria

import (
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/bench/criteria/families"
	"lockstep/bench/internal/racetest"
	"lockstep/lb/criterion"
	"lockstep/lb/loads"
	"lockstep/lb/scenario"
)

var filmFolder = flag.String("films", "testdata/films", "survey the recordings of this folder")

// A surveyRow adds up the costs of the criteria over many applications.
type surveyRow struct {
	names   []string
	tallies map[string]*costTally
	partial costTally // cost of handing over some blocks
	offered costTally // cost of our criterion if it decides about moves of some blocks
	better  costTally // cost of the better of Menon's and Boulmier's criteria on each application
	worse   int       // number of applications in which our criterion is more than 1 % above better
}

// add runs every criterion on an application.
func (s *surveyRow) add(t *testing.T, app scenario.Application, start float64) {
	t.Helper()
	best, err := scenario.Optimum(context.Background(), app)
	if err != nil {
		t.Fatal(err)
	}
	if s.tallies == nil {
		s.tallies = map[string]*costTally{}
	}
	cost := map[string]float64{}
	for _, c := range untunedCriteria() {
		if s.tallies[c.name] == nil {
			s.names, s.tallies[c.name] = append(s.names, c.name), &costTally{}
		}
		cost[c.name] = runCriterion(app, c.make(app.Iterations()), start, nil).Cost
		s.tallies[c.name].add(cost[c.name], best.Cost)
	}
	better := min(cost["menon"], cost["boulmier"])
	s.better.add(better, best.Cost)
	if cost["ours"] > 1.01*better {
		s.worse++
	}
}

func (s *surveyRow) mean(name string) float64 { return s.tallies[name].mean() }

func (t *costTally) mean() float64 { return t.relative / float64(t.n) }

func (s *surveyRow) log(t *testing.T, name string) {
	t.Helper()
	var b strings.Builder
	for _, n := range s.names {
		if n != "always" {
			fmt.Fprintf(&b, " %s %.3f (%.2f)", n, s.mean(n), s.tallies[n].worst)
		}
	}
	if s.partial.n > 0 {
		fmt.Fprintf(&b, " handover %.3f (%.2f) ours-offered %.3f (%.2f)",
			s.partial.mean(), s.partial.worst, s.offered.mean(), s.offered.worst)
	}
	t.Logf("%-22s%s; better of two %.3f; ours worse by 1 %% in %d of %d", name, b.String(), s.better.mean(), s.worse, s.better.n)
}

// TestSurvey runs random applications of every family, and logs the mean and the worst cost of every criterion relative
// to the optimum.
func TestSurvey(t *testing.T) {
	racetest.Alone(t)
	seeds := 1
	if *long {
		seeds = 140
	}
	for _, set := range families.Sets() {
		t.Run(set.Name, func(t *testing.T) {
			for _, f := range set.Families {
				var row surveyRow
				for seed := set.First; seed < set.First+seeds; seed++ {
					app, cost, err := f.Application(seed)
					if err != nil {
						t.Fatal(err)
					}
					row.add(t, app, cost)
				}
				row.log(t, f.Name)
			}
		})
	}
}

// films reads the recordings of a folder.
func films(t *testing.T, folder string) (names []string, all []*loads.Recording) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings in %s: %v", folder, err)
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		var r io.Reader = f
		if strings.HasSuffix(name, ".gz") {
			if r, err = gzip.NewReader(f); err != nil {
				t.Fatal(err)
			}
		}
		film, err := loads.Read(r)
		f.Close()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		names, all = append(names, filepath.Base(name)), append(all, film)
	}
	return names, all
}

// TestSurveyFilms replays recorded films on 8 and 32 processing elements under
// four prices of moving work.
func TestSurveyFilms(t *testing.T) {
	racetest.Alone(t)
	names, all := films(t, *filmFolder)
	var row surveyRow
	for i, film := range all {
		var one surveyRow
		for _, parts := range []int{8, 32} {
			for i, price := range []struct{ latency, bandwidth float64 }{{1e-3, 1e9}, {1e-4, 1e9}, {1e-3, 1e8}, {1e-5, 1e10}} {
				if i%2 == 1 && !*long {
					continue
				}
				m := newReplay(film, min(parts, len(film.Triangles)), price.latency, price.bandwidth)
				row.add(t, m, m.startCost())
				one.add(t, m, m.startCost())
				handed, err := runHandover(film, m, true)
				if err != nil {
					t.Fatal(err)
				}
				best, err := scenario.Optimum(context.Background(), m)
				if err != nil {
					t.Fatal(err)
				}
				row.partial.add(handed.Cost, best.Cost)
				one.partial.add(handed.Cost, best.Cost)
				taken, err := runCriterionHandover(film, m, &criterion.Bounded{Iterations: m.frames})
				if err != nil {
					t.Fatal(err)
				}
				row.offered.add(taken.Cost, best.Cost)
				one.offered.add(taken.Cost, best.Cost)
			}
		}
		if *long {
			one.log(t, names[i])
		}
	}
	row.log(t, "all films")
}
