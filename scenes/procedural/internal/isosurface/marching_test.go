package isosurface

import (
	"fmt"
	"lockstep/scenes/internal/vector"
	"lockstep/scenes/procedural/internal/numeric"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestCubeCases checks that each case has triangles on exactly the crossed edges. On each face, the lines must depend
// on the corners of the face alone, and have opposite directions for the two cubes that share the face.
func TestCubeCases(t *testing.T) {
	type line struct{ from, to int }
	// faceLines returns the lines of a case on a face. Edge k of the face runs from its corner k to the next corner.
	faceLines := func(set, face int) map[line]int {
		corners := faceCorners(face)
		onFace := make(map[int]int)
		for k := range corners {
			onFace[edgeBetween(corners[k], corners[(k+1)%4])] = k
		}
		lines := make(map[line]int)
		c := &cubeCases()[set]
		for at := 0; at < c.n; at += 3 {
			for k := range 3 {
				a, okA := onFace[int(c.edges[at+k])]
				b, okB := onFace[int(c.edges[at+(k+1)%3])]
				if okA && okB {
					lines[line{a, b}]++
				}
			}
		}
		return lines
	}
	for set := range cubeCases() {
		var used [12]bool
		for _, e := range cubeCases()[set].edges[:cubeCases()[set].n] {
			used[e] = true
		}
		for e, c := range cubeEdges {
			if crossed := set>>c.lo&1 != set>>c.hi&1; crossed != used[e] {
				t.Errorf("case %08b: edge %d crossed %v, used %v", set, e, crossed, used[e])
			}
		}
		for axis := range 3 {
			// This face is the low face of the next cube. Corner c of this cube is corner c &^ (1<<axis) of the next
			// cube.
			high := faceCorners(2*axis + 1)
			for beyond := range cubeCases() {
				same := true
				for _, c := range high {
					same = same && set>>c&1 == beyond>>(c&^(1<<axis))&1
				}
				if !same {
					continue
				}
				mine, theirs := faceLines(set, 2*axis+1), faceLines(beyond, 2*axis)
				if len(mine) != len(theirs) {
					t.Fatalf("cases %08b and %08b: %v and %v", set, beyond, mine, theirs)
				}
				for l, n := range mine {
					// Seen from the next cube, the face has the opposite orientation: edge k of its low face is edge
					// 3-k of the high face.
					if back := (line{3 - l.to, 3 - l.from}); n != 1 || theirs[back] != 1 {
						t.Fatalf("cases %08b and %08b: %v and %v", set, beyond, mine, theirs)
					}
				}
			}
		}
	}
	if cubeCases()[0].n != 0 || cubeCases()[255].n != 0 || cubeCases()[1].n != 3 || cubeCases()[15].n != 6 || cubeCases()[0b01101001].n != 12 {
		t.Error("a case with a known number of triangles has another one")
	}
}

// TestMarchNoise polygonises fields whose signs at the corners are random, so that every case and every ambiguous face
// occurs. The surface must be closed, and every edge must have two triangles.
func TestMarchNoise(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		seed := rapid.Uint64().Draw(r, "seed")
		// Up to 10 cells along each axis make at most two bricks. In one of 20 cases there is one brick more.
		n := rapid.IntRange(2, 10).Draw(r, "cells")
		if rapid.IntRange(0, 19).Draw(r, "more") == 19 {
			n += brickCells
		}
		inside := rapid.Float64Range(0.05, 0.95).Draw(r, "inside")
		l := NewLattice(1, 0.75, 0.8, Region{0, float64(n), float64(n) / 2, float64(n) / 3})
		// The values are small everywhere, so that no brick is skipped.
		f := func(p [3]float64) float64 {
			j := 0
			for j < l.n[1] && math.Abs(l.y[j+1]-p[1]) < math.Abs(l.y[j]-p[1]) {
				j++
			}
			i := int(math.Round(p[0]/l.size[j]/l.Cell)) + l.n[0]/2
			k := int(math.Round(p[2]/l.size[j]/l.rise)) + l.n[2]/2
			if i <= 0 || j <= 0 || k <= 0 || i >= l.n[0] || j >= l.n[1] || k >= l.n[2] || numeric.Unit(numeric.Hash(seed, i, j, k)) > inside {
				return 1e-3
			}
			return -1e-3
		}
		s := March(l, f)
		if fault := s.openEdge(); fault != "" {
			r.Fatal(fault)
		}
		s.Collapse(l.Steps, func(_, _ int32, off, length, _ float64) (float64, bool) { return length, off < 0.2 })
		if fault := s.openEdge(); fault != "" {
			r.Fatal("collapsed: " + fault)
		}
	})
}

// openEdge describes an edge that does not have one triangle on each side, or returns "" if there is none.
func (s *Surface) openEdge() string {
	edges := make(map[[2]int32]int)
	for _, tri := range s.Triangles {
		for k := range tri {
			edges[[2]int32{tri[k], tri[(k+1)%3]}]++
		}
	}
	for e, n := range edges {
		if back := edges[[2]int32{e[1], e[0]}]; n != 1 || back != 1 {
			return fmt.Sprintf("edge %v: %d times, back %d times", e, n, back)
		}
	}
	return ""
}

// measure returns the area, the volume and the Euler characteristic of the surface.
func (s *Surface) measure() (area, volume float64, euler int) {
	used := make(map[int32]bool)
	for _, tri := range s.Triangles {
		n := s.normal(tri)
		area += math.Sqrt(vector.Dot(n, n)) / 2
		volume += vector.Dot(s.Points[tri[0]], n) / 6
		for _, p := range tri {
			used[p] = true
		}
	}
	return area, volume, len(used) - len(s.Triangles)/2
}

func sphereField(p [3]float64) float64 { return math.Sqrt(vector.Dot(p, p)) - 1 }

func torusField(p [3]float64) float64 {
	around := math.Sqrt(float64(p[0]*p[0])+float64(p[1]*p[1])) - 1
	return math.Sqrt(float64(around*around)+float64(p[2]*p[2])) - 0.4
}

func boxField(p [3]float64) float64 {
	return math.Max(outside(p[0], -1, 1), math.Max(outside(p[1], -0.7, 0.7), outside(p[2], -0.6, 0.6)))
}

// pipeField is the field of a pipe around the y axis.
func pipeField(p [3]float64) float64 {
	r := math.Sqrt(float64(p[0]*p[0]) + float64(p[2]*p[2]))
	return math.Max(outside(r, 0.6, 0.9), outside(p[1], -1, 1))
}

// TestMarchKnown compares surfaces with known values. Points lie on the surface, so the meshes of smooth surfaces are
// slightly too small. Then the test collapses edges: the topology must stay the same and the volume nearly the same,
// with fewer triangles.
func TestMarchKnown(t *testing.T) {
	for _, c := range []struct {
		name         string
		f            Field
		area, volume float64
		euler        int
		collapsed    float64 // greatest share of triangles that may remain
	}{
		{"sphere", sphereField, 4 * math.Pi, 4 * math.Pi / 3, 2, 0.5},
		{"torus", torusField, 1.6 * math.Pi * math.Pi, 0.32 * math.Pi * math.Pi, 0, 0.5},
		{"box", boxField, 2 * (2*1.4 + 2*1.2 + 1.4*1.2), 2 * 1.4 * 1.2, 2, 0.3},
		{"pipe", pipeField, 2*math.Pi*(0.9+0.6)*2 + 2*math.Pi*(0.81-0.36), 2 * math.Pi * (0.81 - 0.36), 0, 0.3},
	} {
		l := NewLattice(0.1, 0.075, 0.55, Region{-1.6, 1.6, 2.8, 2.8})
		s := March(l, c.f)
		check := func(what string, within float64) {
			t.Helper()
			if fault := s.openEdge(); fault != "" {
				t.Fatalf("%s %s: %s", what, c.name, fault)
			}
			area, volume, euler := s.measure()
			if math.Abs(area/c.area-1) > within || math.Abs(volume/c.volume-1) > within || euler != c.euler {
				t.Errorf("%s %s: area %v, volume %v, Euler characteristic %d, want %v, %v, %d", what, c.name, area, volume, euler, c.area, c.volume, c.euler)
			}
			for _, p := range s.Points {
				if v := c.f(p); math.Abs(v) > 3e-3 {
					t.Fatalf("%s %s: a point %v from the surface", what, c.name, v)
				}
			}
		}
		check("marched", 0.03)
		before := len(s.Triangles)
		const tolerance = 0.004
		s.Collapse(l.Steps, func(_, _ int32, off, length, _ float64) (float64, bool) {
			return off + 1e-5*length, off <= tolerance
		})
		check("collapsed", 0.05)
		if left := float64(len(s.Triangles)) / float64(before); left > c.collapsed {
			t.Errorf("%s: %d of %d triangles left", c.name, len(s.Triangles), before)
		}
	}
}

// TestMarchSkips checks that the surface does not depend on whether bricks are skipped.
func TestMarchSkips(t *testing.T) {
	l := NewLattice(0.1, 0.1, 0.55, Region{-1.6, 1.6, 2.8, 2.8})
	// No brick is skipped if the values are small everywhere. The scaled field has the same zeros.
	dense := March(l, func(p [3]float64) float64 { return 1e-3 * torusField(p) })
	sparse := March(l, torusField)
	if len(dense.Triangles) != len(sparse.Triangles) || len(dense.Points) != len(sparse.Points) {
		t.Fatalf("%d and %d triangles", len(dense.Triangles), len(sparse.Triangles))
	}
	for i, tri := range dense.Triangles {
		if tri != sparse.Triangles[i] {
			t.Fatalf("triangle %d differs", i)
		}
	}
}

// TestZip connects two loops of different lengths, and checks that each of their edges occurs once, in the right
// direction.
func TestZip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var s Surface
		loop := func(n int, radius, y float64) (l []int32) {
			for k := range n {
				c, sn := numeric.Turn(k, n)
				l = append(l, int32(len(s.Points)))
				s.Points = append(s.Points, [3]float64{radius * c, y, radius * sn})
			}
			return l
		}
		a := loop(rapid.IntRange(3, 30).Draw(r, "n"), 1, 0)
		b := loop(rapid.IntRange(3, 30).Draw(r, "m"), 0.8, 0.3)
		s.Zip(a, b)
		edges := make(map[[2]int32]int)
		for _, tri := range s.Triangles {
			for k := range tri {
				edges[[2]int32{tri[k], tri[(k+1)%3]}]++
			}
		}
		for k := range a {
			edges[[2]int32{a[(k+1)%len(a)], a[k]}]++
		}
		for k := range b {
			edges[[2]int32{b[k], b[(k+1)%len(b)]}]++
		}
		for e, n := range edges {
			if n != 1 || edges[[2]int32{e[1], e[0]}] != 1 {
				r.Fatalf("edge %v: %d times", e, n)
			}
		}
		if len(s.Triangles) != len(a)+len(b) {
			r.Fatalf("%d triangles for %d and %d edges", len(s.Triangles), len(a), len(b))
		}
	})
}

// The function outside returns how far v is outside the range [lo, hi]. The result is negative inside.
func outside(v, lo, hi float64) float64 { return math.Max(lo-v, v-hi) }
