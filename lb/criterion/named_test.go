package criterion_test

import (
	"reflect"
	"strings"
	"testing"

	"lockstep/lb/criterion"
)

func TestNamed(t *testing.T) {
	guard, err := criterion.Guard(&criterion.Bounded{Iterations: 7}, 2.5)
	if err != nil {
		t.Fatal(err)
	}
	for spec, want := range map[string]criterion.Criterion{
		"guard:2.5:ours":  guard,
		"boulmier":        &criterion.Boulmier{},
		"periodic:600":    &criterion.Periodic{Period: 600},
		"procassini:1.25": &criterion.Procassini{Rho: 1.25},
		"marquez:0.5":     &criterion.Marquez{Tolerance: 0.5},
		"pearce":          &criterion.Pearce{},
		"ours":            &criterion.Bounded{Iterations: 7},
		"metalb":          &criterion.MetaLB{},
		"amrex:20":        &criterion.AMReX{Every: 20},
		"never":           criterion.Never{},
	} {
		if make, err := criterion.Named(spec); err != nil || !reflect.DeepEqual(make(7), want) {
			t.Errorf("%s: %v", spec, err)
		}
	}
	for spec, want := range map[string]string{
		"what": "periodic:PERIOD", "periodic": "periodic:PERIOD", "menon:3": "expected menon", "periodic:-1": "more than 0", "marquez:x": "more than 0",
		"guard": "guard:R:CRITERION", "guard:3": "guard:R:CRITERION", "guard:x:menon": "number of at least 2", "guard:1.9:menon": "at least 2",
		"guard:NaN:menon": "at least 2", "guard:3:what": "periodic:PERIOD", "guard:3:periodic": "periodic:PERIOD", "nothing": "guard:R:CRITERION",
	} {
		if _, err := criterion.Named(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", spec, err, want)
		}
	}
}
