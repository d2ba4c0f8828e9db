package families

import (
	"math"
	"testing"
)

// TestFamilies checks that every family has a name of its own, and generates applications within the limits of the
// model. The same seed must give the same application.
func TestFamilies(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Sets() {
		for _, f := range s.Families {
			if seen[f.Name] {
				t.Errorf("two families %q", f.Name)
			}
			seen[f.Name] = true
			if f.Kind != "age" && f.Kind != "time" && f.Kind != "both" {
				t.Errorf("%s is of the kind %q", f.Name, f.Kind)
			}
			for seed := s.First; seed < s.First+3; seed++ {
				a, cost, err := f.Application(seed)
				if err != nil {
					t.Fatal(err)
				}
				b, _, _ := f.Application(seed)
				x, y := a.Balanced(0), b.Balanced(0)
				for i := range a.Iterations() {
					p, q := x.Step(), y.Step()
					if p.Max != q.Max || p.Mean != q.Mean || !(p.Max >= p.Mean) || math.IsInf(p.Max, 1) {
						t.Fatalf("%s, seed %d, iteration %d: %+v and %+v", f.Name, seed, i, p, q)
					}
				}
				if !(cost > 0) {
					t.Errorf("%s: a balancing costs %v", f.Name, cost)
				}
			}
		}
	}
	if len(seen) != 78 {
		t.Errorf("%d families", len(seen))
	}
	if _, first, ok := Named("mixing"); !ok || first != unseenSeeds {
		t.Errorf("mixing: %d, %v", first, ok)
	}
	if _, _, ok := Named("none"); ok {
		t.Error("a family of no name")
	}
}
