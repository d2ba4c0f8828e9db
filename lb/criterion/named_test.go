package criterion_test

import (
	"reflect"
	"strings"
	"testing"

	"lockstep/lb/criterion"
)

func TestNamed(t *testing.T) {
	for spec, want := range map[string]criterion.Criterion{
		"boulmier":        &criterion.Boulmier{},
		"periodic:600":    &criterion.Periodic{Period: 600},
		"procassini:1.25": &criterion.Procassini{Rho: 1.25},
		"marquez:0.5":     &criterion.Marquez{Tolerance: 0.5},
		"pearce":          &criterion.Pearce{},
		"ours":            &criterion.Bounded{Iterations: 7},
		"never":           criterion.Never{},
	} {
		if make, err := criterion.Named(spec); err != nil || !reflect.DeepEqual(make(7), want) {
			t.Errorf("%s: %v", spec, err)
		}
	}
	for spec, want := range map[string]string{
		"what": "periodic:PERIOD", "periodic": "periodic:PERIOD", "menon:3": "expected menon", "periodic:-1": "more than 0", "marquez:x": "more than 0",
	} {
		if _, err := criterion.Named(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", spec, err, want)
		}
	}
}
