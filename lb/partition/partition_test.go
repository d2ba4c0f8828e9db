package partition_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"lockstep/lb/partition"
)

// parallel is a For that makes all calls at once.
func parallel(n int, body func(int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { body(i) })
	}
	all.Wait()
}

// cloud returns n random points with weights and velocities.
func cloud(seed uint64, dim, n int) partition.Points {
	r := rand.New(rand.NewPCG(seed, 1))
	p := partition.Points{Weight: make([]float64, n)}
	for range dim {
		p.At, p.Velocity = append(p.At, make([]float64, n)), append(p.Velocity, make([]float64, n))
	}
	for i := range n {
		for d := range dim {
			p.At[d][i] = r.NormFloat64() * float64(d+1)
			p.Velocity[d][i] = r.NormFloat64() + 0.3*float64(d)
		}
		p.Weight[i] = 1 + float64(r.IntN(9))
	}
	return p
}

// The expected keys were computed by Zoltan's own functions.
func TestHilbertKeys(t *testing.T) {
	text, err := os.ReadFile("testdata/hilbert-keys.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases struct{ K2d, K3d [][]float64 }
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases.K2d) < 100 || len(cases.K3d) < 100 {
		t.Fatalf("only %d and %d cases", len(cases.K2d), len(cases.K3d))
	}
	for _, c := range append(cases.K2d, cases.K3d...) {
		at, want := c[:len(c)-1], c[len(c)-1]
		if got := partition.HilbertKey(at...); got != want {
			t.Errorf("key of %v is %v, want %v", at, got, want)
		}
	}
}

// Eight points lie on a line at unequal distances. The first cut is at the median, and the others are at the medians
// of the halves.
func TestRCBKnownAnswer(t *testing.T) {
	p := partition.Points{At: [][]float64{{7, 0, 1, 30, 2, 20, 10, 3}, {0, 0, 0, 0, 0, 0, 0, 0}}}
	r, err := partition.RCB(p, 4, partition.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []int32{2, 0, 0, 3, 1, 3, 2, 1}; !slices.Equal(r.Owner, want) {
		t.Errorf("owners %v, want %v", r.Owner, want)
	}
	// With three parts, a third of the weight lies on the left of the first cut.
	p.Weight = []float64{1, 4, 1, 1, 1, 1, 2, 1}
	if r, err = partition.RCB(p, 3, partition.Options{}); err != nil {
		t.Fatal(err)
	}
	if want := []int32{1, 0, 1, 2, 1, 2, 2, 1}; !slices.Equal(r.Owner, want) {
		t.Errorf("owners %v, want %v", r.Owner, want)
	}
}

// TestDirections checks that RIB cuts across the diagonal along which the points lie, and NoRCB cuts along the
// motion.
func TestDirections(t *testing.T) {
	var p partition.Points
	p.At, p.Velocity = make([][]float64, 2), make([][]float64, 2)
	for i := range 40 {
		along, across := float64(i/4)-4.5, float64(i%4)/4-0.375
		p.At[0] = append(p.At[0], along+across)
		p.At[1] = append(p.At[1], along-across)
		p.Velocity[0], p.Velocity[1] = append(p.Velocity[0], 1), append(p.Velocity[1], 1)
	}
	rib, err := partition.RIB(p, 2, partition.Options{})
	if err != nil {
		t.Fatal(err)
	}
	norcb, err := partition.NoRCB(p, 2, partition.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		if same := rib.Owner[i] == rib.Owner[0]; same != (i < 20) {
			t.Errorf("RIB gives point %d to part %d", i, rib.Owner[i])
		}
		if same := norcb.Owner[i] == norcb.Owner[0]; same != (i%4 < 2) {
			t.Errorf("NoRCB gives point %d to part %d", i, norcb.Owner[i])
		}
	}
}

// TestNoRCBTurn checks that in space the cut of NoRCB contains the direction of motion and is turned away from the
// transverse motion. That motion is along z here, although the points spread more along z than along y.
func TestNoRCBTurn(t *testing.T) {
	p := cloud(3, 3, 4000)
	for i := range p.At[0] {
		p.Velocity[0][i] = 10
		p.Velocity[1][i] *= 0.1
		p.Velocity[2][i] = 5 * math.Copysign(1, p.Velocity[2][i])
	}
	r, err := partition.NoRCB(p, 2, partition.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := r.Locate(-5, -1, 0, 0), r.Locate(5, -1, 0, 0); a != b {
		t.Error("the cut crosses the motion")
	}
	if a, b := r.Locate(0, -1, -3, 0), r.Locate(0, -1, 3, 0); a != b {
		t.Error("the cut crosses the transverse motion")
	}
	if a, b := r.Locate(0, -1, 0, 0), r.Locate(0, 1, 0, 0); a == b {
		t.Error("the cut is not across y")
	}
}

// drawPoints returns few random points with many ties. Some points have equal positions.
func drawPoints(t *rapid.T) partition.Points {
	dim := rapid.IntRange(2, 3).Draw(t, "dim")
	n := rapid.IntRange(0, 300).Draw(t, "n")
	coordinate := rapid.OneOf(rapid.Float64Range(-10, 10), rapid.SampledFrom([]float64{-1, 0, 0.5, 1, 1e100, -1e100, 5e-324}))
	var p partition.Points
	for range dim {
		p.At = append(p.At, rapid.SliceOfN(coordinate, n, n).Draw(t, "at"))
		p.Velocity = append(p.Velocity, rapid.SliceOfN(rapid.Float64Range(-1, 1), n, n).Draw(t, "velocity"))
	}
	if rapid.Bool().Draw(t, "weighted") {
		p.Weight = rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(0, 5), rapid.SampledFrom([]float64{0, 1, 100})), n, n).Draw(t, "weight")
	}
	return p
}

// checkBalance visits all cuts: the left share of every cut must be within half of the largest weight.
func checkBalance(t interface{ Fatalf(string, ...any) }, load []float64, largest, total float64, parts int) {
	if parts == 1 {
		return
	}
	left := 0.0
	for _, l := range load[:parts/2] {
		left += l
	}
	share := total * float64(parts/2) / float64(parts)
	if math.Abs(left-share) > largest/2+1e-9*total {
		t.Fatalf("%d parts of weight %v: %v on the left, which should have %v within half of %v", parts, total, left, share, largest)
	}
	checkBalance(t, load[:parts/2], largest, left, parts/2)
	checkBalance(t, load[parts/2:], largest, total-left, parts-parts/2)
}

// TestProperties checks that every point has an owner and every cut is balanced. Locate agrees with the owners if all
// keys differ.
func TestProperties(t *testing.T) {
	for _, m := range partition.Methods {
		t.Run(m.Name, rapid.MakeCheck(func(t *rapid.T) {
			p := drawPoints(t)
			parts := rapid.IntRange(1, 40).Draw(t, "parts")
			r, err := m.Method(p, parts, partition.Options{})
			if err != nil {
				t.Fatal(err)
			}
			load := make([]float64, parts)
			largest, total := 1.0, 0.0
			if p.Weight != nil {
				largest = slices.Max(append(slices.Clone(p.Weight), 0))
			}
			for i, own := range r.Owner {
				w := 1.0
				if p.Weight != nil {
					w = p.Weight[i]
				}
				load[own] += w
				total += w
			}
			checkBalance(t, load, largest, total, parts)
		}))
	}
}

func TestLocate(t *testing.T) {
	for _, m := range partition.Methods {
		for dim := 2; dim <= 3; dim++ {
			for _, parts := range []int{1, 2, 7, 64, 1000} {
				p := cloud(uint64(parts), dim, 3000)
				r, err := m.Method(p, parts, partition.Options{Horizon: 0.1})
				if err != nil {
					t.Fatal(err)
				}
				got := make([]int32, p.Len())
				r.LocateAll(got, p.At, 0, partition.Options{})
				if !slices.Equal(got, r.Owner) {
					t.Errorf("%s, %d dimensions, %d parts: places and owners differ", m.Name, dim, parts)
				}
			}
		}
	}
}

// TestOverlap checks that Overlap returns the parts of all positions in a box.
func TestOverlap(t *testing.T) {
	for _, m := range partition.Methods {
		t.Run(m.Name, rapid.MakeCheck(func(t *rapid.T) {
			dim := rapid.IntRange(2, 3).Draw(t, "dim")
			p := cloud(rapid.Uint64Range(0, 9).Draw(t, "seed"), dim, 200)
			age := rapid.SampledFrom([]float64{0, 0.05, 1}).Draw(t, "age")
			r, err := m.Method(p, rapid.IntRange(1, 50).Draw(t, "parts"), partition.Options{Horizon: 0.1})
			if err != nil {
				t.Fatal(err)
			}
			var lo, hi [3]float64
			for d := range dim {
				a, b := rapid.Float64Range(-4, 4).Draw(t, "corner"), rapid.Float64Range(-4, 4).Draw(t, "corner")
				lo[d], hi[d] = min(a, b), max(a, b)
			}
			found := r.Overlap([]int32{-7}, lo, hi, age)[1:]
			if sorted := slices.Clone(found); len(slices.Compact(slices.Sorted(slices.Values(sorted)))) != len(found) {
				t.Fatalf("%v names a part twice", found)
			}
			for range 30 {
				var x [3]float64
				for d := range dim {
					x[d] = lo[d] + (hi[d]-lo[d])*rapid.Float64Range(0, 1).Draw(t, "at")
				}
				if own := r.Locate(x[0], x[1], x[2], age); !slices.Contains(found, int32(own)) {
					t.Fatalf("%v in the box %v to %v belongs to %d, not in %v", x, lo, hi, own, found)
				}
			}
		}))
	}
}

// TestParallelSame checks that large sets are cut in parallel and small sets at the same time, but the results are
// the same as without parallelism.
func TestParallelSame(t *testing.T) {
	p := cloud(5, 3, 150_000)
	for _, m := range partition.Methods {
		a, err := m.Method(p, 13, partition.Options{Horizon: 0.1})
		if err != nil {
			t.Fatal(err)
		}
		b, err := m.Method(p, 13, partition.Options{Horizon: 0.1, For: parallel})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(a.Owner, b.Owner) {
			t.Errorf("%s: owners differ", m.Name)
		}
		r := rand.New(rand.NewPCG(1, 2))
		for range 1000 {
			x, y, z := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
			if a.Locate(x, y, z, 0.1) != b.Locate(x, y, z, 0.1) {
				t.Fatalf("%s: places differ", m.Name)
			}
		}
	}
}

// TestErrors checks that errors name the malformed points.
func TestErrors(t *testing.T) {
	bad := map[string]struct {
		p     partition.Points
		parts int
	}{
		"0 parts":                        {cloud(1, 2, 3), 0},
		"1 columns of coordinates":       {partition.Points{At: [][]float64{{1}}}, 1},
		"coordinate 1 of point 0":        {partition.Points{At: [][]float64{{1}, {math.NaN()}}}, 1},
		"column 1 has 2 elements for 1":  {partition.Points{At: [][]float64{{1}, {1, 2}}}, 1},
		"weight 0 of point 1 is -1":      {partition.Points{At: [][]float64{{1, 2}, {1, 2}}, Weight: []float64{0, -1}}, 1},
		"1 columns of velocities for 2":  {partition.Points{At: [][]float64{{1}, {1}}, Velocity: [][]float64{{1}}}, 1},
		"velocity 0 of point 0 is +Inf:": {partition.Points{At: [][]float64{{1}, {1}}, Velocity: [][]float64{{math.Inf(1)}, {1}}}, 1},
	}
	for want, c := range bad {
		for _, m := range partition.Methods {
			if _, err := m.Method(c.p, c.parts, partition.Options{}); err == nil || !containsText(err, want) {
				t.Errorf("%s: %v, want %q", m.Name, err, want)
			}
		}
	}
}

func containsText(err error, want string) bool {
	s := err.Error()
	for i := range s {
		if len(s[i:]) >= len(want) && s[i:i+len(want)] == want {
			return true
		}
	}
	return false
}

// TestStay checks that Stay gives a part the number under which most of its data is stored. Moved must count the points
// that move.
func TestStay(t *testing.T) {
	from := []int32{0, 0, 0, 1, 1, 2, 2, 2}
	to := []int32{1, 1, 2, 2, 2, 0, 0, 1}
	number := partition.Stay(from, to, nil, 3)
	if want := []int32{2, 0, 1}; !slices.Equal(number, want) {
		t.Fatalf("numbers %v, want %v", number, want)
	}
	if m := partition.Moved(from, to, nil, 3); m != (partition.Movement{Points: 8, Weight: 8, Most: 3}) {
		t.Errorf("%+v", m)
	}
	for i := range to {
		to[i] = number[to[i]]
	}
	weight := []float64{1, 1, 5, 1, 1, 1, 1, 3}
	if m := partition.Moved(from, to, weight, 3); m != (partition.Movement{Points: 2, Weight: 8, Most: 5}) {
		t.Errorf("%+v", m)
	}
}

// TestRenumber checks that Renumber changes the numbers of the parts, but not the division.
func TestRenumber(t *testing.T) {
	p := cloud(8, 2, 500)
	for _, m := range partition.Methods {
		r, _ := m.Method(p, 5, partition.Options{})
		old := slices.Clone(r.Owner)
		to := []int32{3, 0, 4, 1, 2}
		r.Renumber(to)
		for i, own := range r.Owner {
			if own != to[old[i]] || r.Locate(p.At[0][i], p.At[1][i], 0, 0) != int(own) {
				t.Fatalf("%s: point %d of part %d is now in %d", m.Name, i, old[i], own)
			}
		}
	}
}

// TestLoads checks that the loads at age 0 are the weights of the owners' points. Loads also accepts other points.
func TestLoads(t *testing.T) {
	for dim := 2; dim <= 3; dim++ {
		p := cloud(4, dim, 40_000)
		r, err := partition.HSFC(p, 9, partition.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float64, 9)
		for i, own := range r.Owner {
			want[own] += p.Weight[i]
		}
		for part, got := range r.Loads(p.At, p.Weight, 0, partition.Options{For: parallel}) {
			if math.Abs(got/want[part]-1) > 1e-12 {
				t.Errorf("%d dimensions: part %d holds %v, want %v", dim, part, got, want[part])
			}
		}
		one := [][]float64{{0.1}, {0.2}, {0.3}}[:dim]
		for part, got := range r.Loads(one, nil, 0, partition.Options{}) {
			if want := part == r.Locate(0.1, 0.2, 0.3, 0); (got == 1) != want {
				t.Errorf("%d dimensions: part %d holds %v of one point", dim, part, got)
			}
		}
	}
}

// TestDrift checks a flow that carries all points along. Moving cuts keep every point in its part, and the fixed cuts
// of RCB do not. For points at rest both kinds of cuts are the same.
func TestDrift(t *testing.T) {
	p := cloud(6, 2, 5000)
	for i := range p.At[0] {
		p.Velocity[0][i], p.Velocity[1][i] = 3, -1
	}
	r, err := partition.Drift(p, 16, partition.Options{Horizon: 0.5})
	if err != nil || !r.Moves() {
		t.Fatal("no cut moves", err)
	}
	later := [][]float64{slices.Clone(p.At[0]), slices.Clone(p.At[1])}
	for i := range later[0] {
		later[0][i] += 3 * 0.25
		later[1][i] -= 0.25
	}
	got := make([]int32, p.Len())
	r.LocateAll(got, later, 0.25, partition.Options{})
	moved := partition.Moved(r.Owner, got, nil, 16)
	if moved.Points > p.Len()/500 { // a few points next to a cut may cross: its offset is not exact
		t.Errorf("%d points leave cuts that go with them", moved.Points)
	}
	still, err := partition.RCB(p, 16, partition.Options{})
	if err != nil {
		t.Fatal(err)
	}
	still.LocateAll(got, later, 0.25, partition.Options{})
	if fixed := partition.Moved(still.Owner, got, nil, 16); fixed.Points < p.Len()/10 {
		t.Errorf("only %d points leave cuts that stand still", fixed.Points)
	}
	rest, err := partition.Drift(p, 16, partition.Options{})
	if err != nil || rest.Moves() || !slices.Equal(rest.Owner, still.Owner) {
		t.Error("without a horizon the cuts are not RCB's", err)
	}
}

// A grid of 4 by 4 points is cut into quarters. 12 of the 16 points are next to another part, and the four points at
// the centre are next to three other parts.
func TestQuality(t *testing.T) {
	at := make([][]float64, 2)
	for i := range 16 {
		at[0], at[1] = append(at[0], float64(i%4)), append(at[1], float64(i/4))
	}
	r, err := partition.RCB(partition.Points{At: at}, 4, partition.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := partition.Quality{Imbalance: 1, Border: 12, Ghosts: 8 + 4*3, Neighbours: 3, MostNeighbours: 3}
	if q := r.Quality(at, nil, 1, 0); q != want {
		t.Errorf("%+v, want %+v", q, want)
	}
}

// BenchmarkPartition uses one goroutine, so its figures are processor time.
func BenchmarkPartition(b *testing.B) {
	for _, c := range []struct{ dim, n, parts int }{{2, 40_000, 128}, {3, 40_000, 128}, {2, 1_000_000, 1024}, {3, 1_000_000, 1024}} {
		p := cloud(1, c.dim, c.n)
		for _, m := range partition.Methods {
			b.Run(fmt.Sprintf("dim=%d/n=%d/parts=%d/method=%s", c.dim, c.n, c.parts, m.Name), func(b *testing.B) {
				for b.Loop() {
					if _, err := m.Method(p, c.parts, partition.Options{Horizon: 0.1}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkLoads(b *testing.B) {
	p := cloud(1, 2, 40_000)
	r, err := partition.RCB(p, 128, partition.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		r.Loads(p.At, p.Weight, 0, partition.Options{})
	}
}

// BenchmarkPartitionTogether uses two goroutines.
func BenchmarkPartitionTogether(b *testing.B) {
	for dim := 2; dim <= 3; dim++ {
		p := cloud(1, dim, 1_000_000)
		for _, m := range partition.Methods {
			b.Run(fmt.Sprintf("dim=%d/method=%s", dim, m.Name), func(b *testing.B) {
				for b.Loop() {
					if _, err := m.Method(p, 1024, partition.Options{For: parallel, Horizon: 0.1}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
