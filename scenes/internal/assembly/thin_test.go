package assembly

import (
	"context"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/internal/meshtest"
)

// TestFewOfMany draws a few points and lines of each of many shapes that share all points of a file. Only the drawn
// points may be read, and the result must be the same as if all points were read.
func TestFewOfMany(t *testing.T) {
	const n, shapes = 4000, 300
	var read atomic.Int64
	points := &Points{N: n}
	points.Positions = func(lo, hi int, to [][3]float64) {
		read.Add(int64(hi - lo))
		for i := range to {
			to[i] = [3]float64{float64(lo + i), float64((lo + i) * 7 % 13), 0}
		}
	}
	points.Colors = func(lo, hi int, to []scenes.RGBA) {
		read.Add(int64(hi - lo))
		for i := range to {
			to[i] = scenes.Opaque(uint32(lo + i))
		}
	}
	at := Instance{Transform: scenes.Identity()}
	for i := range uint32(shapes) {
		at.Shapes = append(at.Shapes, &Shape{Points: points, Thin: &Thin{Points: []uint32{i, i + 1}, Lines: [][2]uint32{{i, i + 9}}}, Material: -1})
	}
	in := meshtest.Input(context.Background(), scenes.ReadOptions{})
	m, _, err := Build(in, &Scene{Instances: []Instance{at}, Up: scenes.PlusZ, Warn: in.Warnings()}, "test")
	if err != nil {
		t.Fatal(err)
	}
	if most := int64(n + 2*4*shapes); read.Load() > most { // all points once for the box, and the drawn points
		t.Errorf("%d entries are read, want %d", read.Load(), most)
	}
	for i := range shapes {
		for k, want := range map[int]int{0: i, 8: i + 1, 16: i, 17: i + 9} { // octahedra, and the ends of a rod
			if got := m.Colors[24*i+k]; got != uint32(want) {
				t.Fatalf("triangle %d of shape %d has the colour of point %d, want %d", k, i, got, want)
			}
			x := 0.0
			for _, c := range m.Triangle(24*i + k) {
				x += (float64(c[0]) + m.Origin[0]) / 3
			}
			if math.Abs(x-float64(want)) > 9 {
				t.Fatalf("triangle %d of shape %d lies at %g, want about %d", k, i, x, want)
			}
		}
	}
}

// TestWantedSize checks that points have the requested size, wherever they are and however large their shape is drawn.
// The function that chooses the size must get the transformed points.
func TestWantedSize(t *testing.T) {
	points := &Points{N: 2, Positions: func(lo, hi int, to [][3]float64) { copy(to, [][3]float64{{0, 0, 0}, {1, 0, 0}}[lo:hi]) }}
	shapes := []*Shape{{Points: points, Thin: &Thin{Points: []uint32{0, 1}}, Material: -1}}
	large := scenes.Affine{{8, 0, 0, 100}, {0, 8, 0, 0}, {0, 0, 8, 0}}
	far := 0.0
	options := scenes.ReadOptions{PointSize: func(some [][3]float64, up scenes.Axis) float64 {
		for _, p := range some {
			far = max(far, p[0])
		}
		return map[scenes.Axis]float64{scenes.PlusY: 0.5}[up]
	}}
	in := meshtest.Input(context.Background(), options)
	s := &Scene{Instances: []Instance{{Shapes: shapes, Transform: scenes.Identity()}, {Shapes: shapes, Transform: large}}, Up: scenes.PlusY, Warn: in.Warnings()}
	m, _, err := Build(in, s, "test")
	if err != nil || m.Len() != 4*8 {
		t.Fatal(err)
	}
	for point := range 4 {
		box := scenes.EmptyBox()
		for i := range 8 {
			for _, c := range m.Triangle(8*point + i) {
				p := [3]float64{float64(c[0]), float64(c[1]), float64(c[2])}
				box = box.Union(scenes.Box{Min: p, Max: p})
			}
		}
		if size := box.Size(); math.Abs(size[0]-0.5) > 1e-5 || math.Abs(size[2]-0.5) > 1e-5 {
			t.Errorf("point %d is %v large", point, size)
		}
	}
	if far != 108 {
		t.Errorf("the farthest point is told at %g", far)
	}
}

// TestGather reads a few entries of lists of several lengths, from short to long.
func TestGather(t *testing.T) {
	squares := func(lo, _ int, to []int) {
		for i := range to {
			to[i] = (lo + i) * (lo + i)
		}
	}
	of := []uint32{7, 0, 3, 7}
	for _, n := range []int{8, 4*sparseShare - 1, 4 * sparseShare, 4*sparseShare + sparseShare, 1000} {
		if got := gather(n, of, squares); !slices.Equal(got, []int{49, 0, 9, 49}) {
			t.Errorf("of %d: %v", n, got)
		}
	}
}
