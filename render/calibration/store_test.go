package calibration

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"lockstep/lb"
	"lockstep/render/internal/kernel/scanline"
	"lockstep/vp/isa"
)

// testCosts returns costs with an estimate of 6 iterations.
func testCosts(t *testing.T) *Costs {
	t.Helper()
	m := lb.NewCostModel(1)
	if err := m.Calibrate([]lb.Timing{{Gather: 2, Redistribution: 3, Solution: 1}}); err != nil {
		t.Fatal(err)
	}
	return &Costs{Model: m, Full: 1.5, Ticks: 30, Samples: []Sample{
		{Tall: 1, Rows: 5, Saved: 4, Cost: 5, Shortest: 3, Iterations: 1},
	}}
}

// countingStore returns a store in a folder that does not exist yet. Its calibrations return testCosts and are counted.
func countingStore(t *testing.T) (s *Store, calibrations *int) {
	calibrations = new(int)
	return &Store{
		Dir: filepath.Join(t.TempDir(), "new"), Machine: "a machine", Kernel: "v1",
		Measure: func(context.Context, string) (*Costs, error) {
			*calibrations++
			return testCosts(t), nil
		},
	}, calibrations
}

func TestStoredCosts(t *testing.T) {
	s, _ := countingStore(t)
	if _, err := s.Load(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	costs := map[string][]*Costs{"avx2": {testCosts(t), testCosts(t)}}
	for range 2 { // the second costs replace the first
		if err := s.Save(costs); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.Load(); err != nil || !reflect.DeepEqual(got, costs) {
		t.Errorf("got %v, error %v", got, err)
	}
	for _, other := range []Store{{Dir: s.Dir, Machine: "a machine", Kernel: "v2"}, {Dir: s.Dir, Machine: "another", Kernel: "v1"}} {
		if _, err := other.Load(); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s, %s: error %v", other.Machine, other.Kernel, err)
		}
	}
}

// damagedCosts are the contents of files that hold no valid costs.
var damagedCosts = []string{"", "{", `[]`, strings.Repeat(" ", maxCostsFile+1),
	`{"machine":"a machine","kernel":"v1","costs":{"generic":[{"full":1}]}}`,
	`{"machine":"a machine","kernel":"v1","costs":{"generic":[{"full":1,"model":{"cost":-1}}]}}`,
	`{"machine":"a machine","kernel":"v1","costs":{"generic":null}}`,
	`{"machine":"a machine","kernel":"v1","costs":{"generic":[null]}}`,
	goodCosts(`"full":1e308`), goodCosts(`"full":0`), goodCosts(`"model":{"cost":1e308,"constant":1,"runs":1}`),
	goodCosts(`"samples":[{"tall":1,"rows":-5}]`), goodCosts(`"samples":[{"tall":1,"rows":5,"saved":1e308}]`),
	goodCosts(`"samples":[{"tall":17,"rows":5}]`),
}

// goodCosts returns valid costs, except for the text last at their end, which may repeat a key.
func goodCosts(last string) string {
	return `{"machine":"a machine","kernel":"v1","costs":{"generic":[{"model":{"cost":4,"constant":1,"runs":1},"full":1,` + last + `}]}}`
}

func TestDamagedCosts(t *testing.T) {
	s, calibrations := countingStore(t)
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for i, text := range damagedCosts {
		if err := os.WriteFile(s.File(), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Load(); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), s.File()) {
			t.Errorf("%.40q: error %v", text, err)
		}
		if err := s.Observe(isa.Generic, 100); err == nil {
			t.Errorf("%.40q: an observation found its costs", text)
		}
		costs, fresh, err := s.Costs(t.Context(), isa.Generic)
		if err != nil || !fresh || costs.Model.Estimate() != 6 || *calibrations != i+1 {
			t.Errorf("%.40q: %v, fresh %t, %d calibrations, %v", text, costs, fresh, *calibrations, err)
		}
		if got, err := s.Load(); err != nil || len(got) != 1 {
			t.Errorf("%.40q: then %v, %v", text, got, err)
		}
	}
}

// TestCalibratedThrice checks that every instruction set is calibrated in three runs, and again for other kernels and
// on demand.
func TestCalibratedThrice(t *testing.T) {
	s, calibrations := countingStore(t)
	for i, c := range []struct {
		kernel     string
		level      isa.Level
		all, renew bool
		want       int
	}{
		{"v1", isa.Generic, false, false, 1}, {"v1", isa.Generic, false, false, 2}, {"v1", isa.AVX2, false, false, 3},
		{"v1", isa.Generic, false, false, 4}, {"v1", isa.Generic, false, false, 4}, {"v1", isa.Generic, true, false, 4},
		{"v1", isa.AVX2, true, false, 6}, {"v2", isa.Generic, false, false, 7}, {"v2", isa.Generic, true, true, 10},
		{"v2", isa.Generic, false, false, 10}, {"v1", isa.AVX2, false, false, 10},
	} {
		s.Kernel = c.kernel
		before := *calibrations
		get := s.Costs
		if c.all {
			get = func(ctx context.Context, level isa.Level) (*Costs, bool, error) {
				return s.AllCosts(ctx, level, c.renew)
			}
		}
		_, fresh, err := get(t.Context(), c.level)
		if err != nil || *calibrations != c.want || fresh != (before < c.want) {
			t.Errorf("%d: %d calibrations, want %d; fresh %t, error %v", i, *calibrations, c.want, fresh, err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(s.Dir, ".*")); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestStored checks that Stored returns costs once an instruction set is calibrated, and never calibrates itself.
func TestStored(t *testing.T) {
	s, calibrations := countingStore(t)
	for i := range 3 {
		if got := s.Stored(isa.Generic); got != nil {
			t.Fatalf("after %d calibrations: %+v", i, got)
		}
		if _, _, err := s.Costs(t.Context(), isa.Generic); err != nil {
			t.Fatal(err)
		}
	}
	want, _, err := s.Costs(t.Context(), isa.Generic)
	if got := s.Stored(isa.Generic); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v, error %v", got, want, err)
	}
	if got := s.Stored(isa.AVX2); got != nil || *calibrations != 3 {
		t.Errorf("another instruction set: %+v after %d calibrations", got, *calibrations)
	}
}

// TestLargest checks that the calibration with the largest estimate is used, with the largest cost of a first
// redistribution.
func TestLargest(t *testing.T) {
	s, _ := countingStore(t)
	estimates, firsts := []float64{5, 20, 9}, []float64{1, 2, 7, 7}
	s.Measure = func(context.Context, string) (*Costs, error) {
		c := testCosts(t)
		c.Model, c.First = lb.NewCostModel(0), []float64{1, 2, 7}[3-len(estimates)]
		err := c.Model.Calibrate([]lb.Timing{{Redistribution: estimates[0], Solution: 1}})
		estimates = estimates[1:]
		return c, err
	}
	for i, want := range []float64{5, 20, 20, 20} {
		if c, _, err := s.Costs(t.Context(), isa.Generic); err != nil || c.Model.Estimate() != want || c.First != firsts[i] {
			t.Errorf("run %d: %+v, %v, want an estimate of %v", i, c, err, want)
		}
	}
}

// TestNoCalibrationWithoutFile checks that nothing is measured if nothing can be stored, because every run would
// measure again.
func TestNoCalibrationWithoutFile(t *testing.T) {
	s, calibrations := countingStore(t)
	if err := os.MkdirAll(s.File(), 0o755); err != nil {
		t.Fatal(err)
	}
	if costs, fresh, err := s.Costs(t.Context(), isa.Generic); err == nil || costs != nil || fresh || *calibrations != 0 {
		t.Errorf("%v, fresh %t, %d calibrations, error %v", costs, fresh, *calibrations, err)
	}
}

// TestNoCalibrationWithoutFolder checks that nothing is measured if the folder of the file cannot be made.
func TestNoCalibrationWithoutFolder(t *testing.T) {
	s, calibrations := countingStore(t)
	if err := os.WriteFile(s.Dir, nil, 0o644); err != nil { // a file in place of the folder also stops root
		t.Fatal(err)
	}
	if costs, fresh, err := s.Costs(t.Context(), isa.Generic); err == nil || costs != nil || fresh || *calibrations != 0 {
		t.Errorf("%v, fresh %t, %d calibrations, error %v", costs, fresh, *calibrations, err)
	}
}

func TestObserve(t *testing.T) {
	s, _ := countingStore(t)
	if err := s.Observe(isa.Generic, 10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing stored: %v", err)
	}
	if _, _, err := s.AllCosts(t.Context(), isa.Generic, false); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		measured, estimate float64
		times              int
	}{{5.9, 6, 0}, {9, 10, 1}, {9.5, 10, 1}, {12, 13, 2}} {
		if err := s.Observe(isa.Generic, c.measured); err != nil {
			t.Fatal(err)
		}
		if err := s.Observe(isa.AVX512, c.measured); err != nil { // AVX-512 is not calibrated
			t.Fatal(err)
		}
		costs, fresh, err := s.Costs(t.Context(), isa.Generic)
		if err != nil || fresh || costs.Model.Estimate() != c.estimate || costs.Model.Underestimated() != c.times {
			t.Errorf("after %g: %+v, error %v", c.measured, costs.Model, err)
		}
	}
	stored, err := s.Load()
	if err != nil {
		t.Fatal(err)
	}
	for n, c := range stored[isa.Generic.String()] { // all calibrations, not only the largest
		if c.Model.Estimate() != 13 {
			t.Errorf("calibration %d estimates %g", n, c.Model.Estimate())
		}
	}
}

func TestUserCosts(t *testing.T) {
	t.Setenv(CacheEnv, "off")
	if _, err := UserStore(); !errors.Is(err, ErrNoCache) {
		t.Errorf("off: %v", err)
	}
	t.Setenv(CacheEnv, "/some/where")
	if s, err := UserStore(); err != nil || s.Dir != "/some/where" || s.Machine != isa.Processor() || !strings.HasPrefix(s.Kernel, scanline.Version) {
		t.Errorf("%+v, %v", s, err)
	}
	t.Setenv(CacheEnv, "")
	if cache, err := os.UserCacheDir(); err == nil {
		if s, err := UserStore(); err != nil || s.Dir != filepath.Join(cache, "lockstep") {
			t.Errorf("%+v, %v", s, err)
		}
	}
}
