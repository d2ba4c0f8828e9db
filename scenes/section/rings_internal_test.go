package section

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestCanceled checks that withoutOpposites removes pairs of opposite segments and keeps the other segments in their
// order.
func TestCanceled(t *testing.T) {
	a, b, c := [3]float32{}, [3]float32{1}, [3]float32{2}
	ab, ba, bc, cb := segment{a, b}, segment{b, a}, segment{b, c}, segment{c, b}
	for _, test := range []struct{ segments, want []segment }{
		{nil, nil},
		{[]segment{ab, bc}, []segment{ab, bc}},
		{[]segment{ab, ba}, nil},
		{[]segment{ab, bc, ba}, []segment{bc}},
		{[]segment{ab, ab, ba}, []segment{ab}},
		{[]segment{ba, ab, ab, ab}, []segment{ab, ab}},
		{[]segment{bc, ab, cb, cb, ba, ba}, []segment{cb, ba}},
		{[]segment{ab, ab}, []segment{ab, ab}},
	} {
		if got := withoutOpposites(test.segments); !reflect.DeepEqual(got, test.want) {
			t.Errorf("of %v %v are left, want %v", test.segments, got, test.want)
		}
	}
}

// TestOpens compares isInsideAngle with a test of a point that is a small distance from a corner in the direction of p.
// Rings are stars around a centre, with corners of all angles.
func TestOpens(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 2))
	opened := 0
	for range 300 {
		var r ring
		n := 3 + random.IntN(9)
		for k := range n {
			sin, cos := math.Sincos(2 * math.Pi * (float64(k) + 0.8*random.Float64()) / float64(n))
			far := 0.2 + random.Float64()
			r.flat = append(r.flat, [2]float64{far * cos, far * sin})
		}
		at := func(k int) [2]float64 { return r.flat[(k+n)%n] }
		for k := range n {
			p := [2]float64{3*random.Float64() - 1.5, 3*random.Float64() - 1.5}
			near := [2]float64{at(k)[0] + 1e-7*(p[0]-at(k)[0]), at(k)[1] + 1e-7*(p[1]-at(k)[1])}
			want := r.containsPoint(near)
			if want {
				opened++
			}
			if got := r.isInsideAngle(k, p, at); got != want {
				t.Fatalf("corner %d of %v opens towards %v: %t, want %t", k, r.flat, p, got, want)
			}
		}
	}
	if opened < 300 {
		t.Errorf("%d corners opened: too few for a test", opened)
	}
}

// TestOpensBeside tests points on the extended sides of a square. These points lie in the angle of a convex corner, but
// not in that of a reflex corner.
func TestOpensBeside(t *testing.T) {
	square := [][2]float64{{0, 0}, {1, 0}, {1, 1}, {0, 1}}
	for _, test := range []struct {
		flat [][2]float64
		p    [2]float64
		want bool
	}{
		{square, [2]float64{2, 0}, true},
		{square, [2]float64{0, 2}, true},
		{square, [2]float64{-1, 0}, false},
		{square, [2]float64{0, -1}, false},
		// The corner is reflex, so the interior angle is the rest of the plane.
		{[][2]float64{{0, 0}, {0, 1}, {-3, -3}, {1, 0}}, [2]float64{0, 2}, false},
		{[][2]float64{{0, 0}, {0, 1}, {-3, -3}, {1, 0}}, [2]float64{2, 0}, false},
		{[][2]float64{{0, 0}, {0, 1}, {-3, -3}, {1, 0}}, [2]float64{1, 1}, false},
		{[][2]float64{{0, 0}, {0, 1}, {-3, -3}, {1, 0}}, [2]float64{-1, -1}, true},
		{[][2]float64{{0, 0}, {0, 1}, {-3, -3}, {1, 0}}, [2]float64{-1, 0.5}, true},
		{[][2]float64{{0, 0}, {0, 1}, {-3, -3}, {1, 0}}, [2]float64{0.5, -1}, true},
	} {
		r := ring{flat: test.flat}
		at := func(k int) [2]float64 { return r.flat[(k+len(r.flat))%len(r.flat)] }
		if got := r.isInsideAngle(0, test.p, at); got != test.want {
			t.Errorf("corner 0 of %v opens towards %v: %t, want %t", test.flat, test.p, got, test.want)
		}
	}
}

// TestMemoryHasRoom checks that memory is reused only if every column has enough capacity.
func TestMemoryHasRoom(t *testing.T) {
	const n = 50
	full := func() *Memory {
		m := &Memory{}
		m.store(&builder{colors: make([]uint32, n), owners: make([]uint32, n)})
		for i := range m.coords {
			m.coords[i] = make([]float32, 0, n)
		}
		return m
	}
	if m := full(); m.capacity(true) != n || m.capacity(false) != n {
		t.Errorf("room for %d triangles, want %d", m.capacity(true), n)
	}
	for short := range 11 {
		m := full()
		switch short {
		case 9:
			m.colors = m.colors[: 0 : n-1]
		case 10:
			m.owners = m.owners[: 0 : n-1]
		default:
			m.coords[short] = m.coords[short][: 0 : n-1]
		}
		coords, colors, owners := m.reuse(n, n, true)
		for _, column := range coords {
			if cap(column) < n || cap(colors) < n || cap(owners) < n {
				t.Errorf("column %d is short: room for %d, %d and %d", short, cap(column), cap(colors), cap(owners))
			}
		}
	}
}
