package nbody

import (
	"flag"
	"math"
	"slices"
	"testing"

	"lockstep/lb/partition"
)

var long = flag.Bool("long", false, "run tests that take minutes")

// A region is the state of one method that divides the particles of the reference model.
type region struct {
	method     partition.Method
	weighted   bool
	now        *partition.Partition
	most, mean float64
}

// sample balances if balance is set, and adds up the mean work and the work of the busiest element.
func (r *region) sample(t *testing.T, y *System, pes int, balance bool) {
	if balance {
		points := partition.Points{At: y.coordinates(), Velocity: y.Velocity[:2]}
		if r.weighted {
			for _, n := range y.Neighbours {
				points.Weight = append(points.Weight, float64(1+n))
			}
		}
		var err error
		if r.now, err = r.method(points, pes, partition.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	owner := make([]int32, y.Len())
	r.now.LocateAll(owner, y.coordinates(), 0, partition.Options{})
	load := make([]float64, pes)
	for i, own := range owner {
		load[own] += float64(1 + y.Neighbours[i])
	}
	for _, l := range load {
		r.mean += l / float64(pes)
	}
	r.most += slices.Max(load)
}

// The function model runs the deterministic model of the reference figures. Its particles have no forces between them,
// are balanced every 600 iterations and sampled every 20 or 50 iterations. The results are the numbers of interactions
// in the first and in the last sample.
func model(t *testing.T, s Setup, every int, regions []*region) (first, last int) {
	s.Force.Epsilon = 0
	y := s.New(2021)
	for it := range s.Iterations {
		if it%every == 0 {
			y.Sort()
			y.Interact(runInOrder)
			for _, r := range regions {
				r.sample(t, y, s.PEs, it%600 == 0)
			}
			last = 0
			for _, n := range y.Neighbours {
				last += int(n)
			}
			if it == 0 {
				first = last
			}
		}
		y.Drift()
		y.Prepare(runInOrder, false)
		y.Kick()
	}
	return first, last
}

func setupOf(t testing.TB, name string) Setup {
	for _, s := range Setups() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no set-up %s", name)
	return Setup{}
}

// TestReferenceModel compares the ratio of the largest work to the mean work with figures that a program by other
// authors computed for the same particles.
func TestReferenceModel(t *testing.T) {
	if !*long {
		t.Skip("takes a minute; run with -long")
	}
	cases := []struct {
		setup       string
		every       int
		first, last int
		want        [8]float64 // ratios of the four methods by number of particles, then by interactions
	}{
		{"toy", 20, 39476, 824098, [8]float64{8.3564, 7.9123, 8.1071, 3.8941, 1.8214, 1.8404, 1.8082, 1.59}},
		{"contraction", 50, 633930, 13699286, [8]float64{9.5639, 9.4436, 9.4966, 4.2142, 1.6571, 1.6695, 1.6886, 1.4296}},
	}
	for _, c := range cases {
		t.Run(c.setup, func(t *testing.T) {
			var regions []*region
			for k := range c.want {
				regions = append(regions, &region{method: partition.Methods[k%4].Method, weighted: k >= 4})
			}
			first, last := model(t, setupOf(t, c.setup), c.every, regions)
			if first != c.first || last != c.last {
				t.Errorf("%d to %d interactions, want %d to %d", first, last, c.first, c.last)
			}
			for k, r := range regions {
				got := r.most / r.mean
				if math.Abs(got/c.want[k]-1) > 0.02 {
					t.Errorf("%s, weighted %v: %.4f, want %.4f", partition.Methods[k%4].Name, r.weighted, got, c.want[k])
				}
				t.Logf("%s, weighted %v: %.4f, want %.4f", partition.Methods[k%4].Name, r.weighted, got, c.want[k])
			}
		})
	}
}
