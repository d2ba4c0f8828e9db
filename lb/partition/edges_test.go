package partition_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/lb/partition"
)

// TestRCBTies checks that if several sides of a box are equally long, the first of them is cut. The cut lies half way
// between the two points next to it.
func TestRCBTies(t *testing.T) {
	square := partition.Points{At: [][]float64{{0, 0, 1, 1}, {0, 1, 0, 1}}}
	r, err := partition.RCB(square, 2, partition.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []int32{0, 0, 1, 1}; !slices.Equal(r.Owner, want) {
		t.Errorf("a square is cut to %v, want across the first axis", r.Owner)
	}
	if a, b := r.Locate(0.49, 0, 0, 0), r.Locate(0.51, 0, 0, 0); a != 0 || b != 1 {
		t.Errorf("the places beside the middle belong to %d and %d", a, b)
	}
}

// TestShares checks the shares of a cut. If two prefixes are equally near to the share, the shorter prefix is taken. If
// no point has a weight above 0, all points count the same.
func TestShares(t *testing.T) {
	line := partition.Points{At: [][]float64{{0, 1, 2, 3}, {0, 0, 0, 0}}}
	for _, c := range []struct {
		weight []float64
		want   []int32
	}{
		{[]float64{1, 1, 1, 0}, []int32{0, 1, 1, 1}},
		{[]float64{0, 0, 0, 0}, []int32{0, 0, 1, 1}},
		{[]float64{5, 1, 1, 1}, []int32{0, 1, 1, 1}},
		{nil, []int32{0, 0, 1, 1}},
	} {
		line.Weight = c.weight
		for name, method := range map[string]partition.Method{"RCB": partition.RCB, "RIB": partition.RIB} {
			r, err := method(line, 2, partition.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if r.Owner[0] == 1 { // RIB may choose either direction of its axis
				for i := range r.Owner {
					r.Owner[i] = 1 - r.Owner[i]
				}
			}
			if name == "RCB" && !slices.Equal(r.Owner, c.want) {
				t.Errorf("%s with weights %v: %v, want %v", name, c.weight, r.Owner, c.want)
			}
		}
	}
}

// TestNoRCBWeakDirection checks that a weak mean direction still counts as a direction: four fifths of the points fly
// in two opposite directions in equal numbers, and one fifth flies along x.
func TestNoRCBWeakDirection(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var p partition.Points
	p.At, p.Velocity = make([][]float64, 2), make([][]float64, 2)
	for i := range 2000 {
		p.At[0], p.At[1] = append(p.At[0], 3*r.Float64()), append(p.At[1], r.Float64())
		v := float64(1 - i%2*2)
		if i%10 == 1 {
			v = 1
		}
		p.Velocity[0], p.Velocity[1] = append(p.Velocity[0], v), append(p.Velocity[1], 0)
	}
	got, err := partition.NoRCB(p, 2, partition.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := got.Locate(0.1, 0.1, 0, 0), got.Locate(2.9, 0.1, 0, 0); a != b {
		t.Error("the cut crosses the motion")
	}
}

// TestNoRCBQuotient checks that among the directions across the motion the quotient of spread and speed decides: four
// times the variance of positions outweighs twice the variance of velocities.
func TestNoRCBQuotient(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	p := partition.Points{At: make([][]float64, 3), Velocity: make([][]float64, 3)}
	for range 8000 {
		x := [3]float64{r.NormFloat64(), 2 * r.NormFloat64(), r.NormFloat64()}
		v := [3]float64{10, 1.41 * r.NormFloat64(), r.NormFloat64()}
		for d := range 3 {
			p.At[d], p.Velocity[d] = append(p.At[d], x[d]), append(p.Velocity[d], v[d])
		}
	}
	got, err := partition.NoRCB(p, 2, partition.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := got.Locate(0, -1, 0, 0), got.Locate(0, 1, 0, 0); a == b {
		t.Error("the cut is not across y")
	}
	if a, b := got.Locate(0, 1, -1, 0), got.Locate(0, 1, 1, 0); a != b {
		t.Error("the cut is across z")
	}
}

// TestStayEdges checks that Moved finds the part with the most traffic even if that part only receives or only sends
// points. It also checks that Stay gives no number to two parts.
func TestStayEdges(t *testing.T) {
	if m := partition.Moved([]int32{0, 1, 2}, []int32{3, 3, 3}, []float64{1, 2, 4}, 4); m.Most != 7 {
		t.Errorf("most is %v, want what part 3 receives", m.Most)
	}
	if m := partition.Moved([]int32{3, 3, 3}, []int32{0, 1, 2}, []float64{1, 2, 4}, 4); m.Most != 7 {
		t.Errorf("most is %v, want what part 3 sends", m.Most)
	}
	number := partition.Stay([]int32{0, 0, 0, 0, 0}, []int32{2, 2, 2, 1, 1}, nil, 3)
	if number[2] != 0 || number[1] == 0 || number[0] == number[1] || number[0] == 0 {
		t.Errorf("numbers %v, want part 2 to keep 0 and the others to have 1 and 2", number)
	}
}

// TestStayTies checks ties: if several shares have the same weight, the old part and the new part with the smaller
// number win. A part that has a number keeps it.
func TestStayTies(t *testing.T) {
	for _, c := range []struct{ from, to []int32 }{{[]int32{1, 0}, []int32{0, 0}}, {[]int32{0, 0}, []int32{1, 0}}, {[]int32{0, 0, 1}, []int32{0, 0, 0}}} {
		if got := partition.Stay(c.from, c.to, nil, 2); !slices.Equal(got, []int32{0, 1}) {
			t.Errorf("%v to %v: %v, want the numbers they have", c.from, c.to, got)
		}
	}
}

// TestNoRCBOfLines checks that points on a line that all move in one direction across the line are cut in the middle
// of the line. So are points at rest, if the line is the longest side of their box.
func TestNoRCBOfLines(t *testing.T) {
	const n = 100
	for dim := 2; dim <= 3; dim++ {
		for line := range dim {
			for heading := range dim {
				for _, speed := range []float64{-1, 0, 1} {
					if heading == line {
						continue
					}
					p := partition.Points{At: make([][]float64, dim), Velocity: make([][]float64, dim)}
					for d := range dim {
						p.At[d], p.Velocity[d] = make([]float64, n), make([]float64, n)
					}
					for i := range n {
						p.At[line][i], p.Velocity[heading][i] = float64(i*37%n), speed
					}
					r, err := partition.NoRCB(p, 2, partition.Options{})
					if err != nil {
						t.Fatal(err)
					}
					for i, at := range p.At[line] {
						if lower := at < n/2; (r.Owner[i] == r.Owner[0]) != lower {
							t.Fatalf("line %d, speed %v along %d of %d: the point at %v is on side %d", line, speed, heading, dim, at, r.Owner[i])
						}
					}
				}
			}
		}
	}
}
