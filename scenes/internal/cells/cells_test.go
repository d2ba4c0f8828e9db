package cells

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
	"lockstep/scenes/internal/vector"
)

// A probe is a format that reads a grid.
type probe struct{ grid func() *Grid }

func (probe) Names() []string                        { return []string{"grid"} }
func (probe) Detect([]byte, int64) format.Likelihood { return format.Marked }
func (p probe) Read(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
	s := &Scene{In: in, Warn: in.Warnings(), Grids: []*Grid{p.grid()}, Numbered: true}
	return s.Mesh(scenes.PlusZ, "cells")
}

func draw(t *testing.T, grid func() *Grid) (*scenes.Mesh, *scenes.Report) {
	t.Helper()
	m, rep, err := format.Read(context.Background(), strings.NewReader("x"), scenes.ReadOptions{}, probe{grid})
	if err != nil {
		t.Fatal(err)
	}
	meshtest.Attributes(t, m)
	return m, rep
}

// The function at returns the points of a box with d points along the axes.
func at(d [3]int) func(i int) [3]float64 {
	return func(i int) [3]float64 {
		return [3]float64{float64(i % d[0]), float64(i / d[0] % d[1]), float64(i / d[0] / d[1])}
	}
}

// box returns a grid of boxes. Each box is split into cells of type `kind`, with the given lists of corners.
func box(d [3]int, kind uint8, split [][]int) *Grid {
	g := &Grid{N: d[0] * d[1] * d[2], At: at(d)}
	for z := range d[2] - 1 {
		for y := range d[1] - 1 {
			for x := range d[0] - 1 {
				p := x + d[0]*(y+d[1]*z)
				var c [8]uint32
				for k := range c {
					c[k] = uint32(p + k&1 + d[0]*(k>>1&1) + d[0]*d[1]*(k>>2))
				}
				for _, s := range split {
					for _, k := range s {
						g.Corners = append(g.Corners, c[k])
					}
					g.Types, g.Ends = append(g.Types, kind), append(g.Ends, uint32(len(g.Corners)))
				}
			}
		}
	}
	return g
}

// TestVolumes draws the surface of a block that is cut into cells of all kinds. The surface must be closed, with its
// fronts outside, whatever the order of the corners.
func TestVolumes(t *testing.T) {
	d := [3]int{4, 3, 5}
	boxes := 2 * (3*2 + 2*4 + 3*4) * 2
	for name, c := range map[string]struct {
		kind  uint8
		split [][]int
	}{
		"voxels":   {Voxel, [][]int{{0, 1, 2, 3, 4, 5, 6, 7}}},
		"hexas":    {Hexahedron, [][]int{{0, 1, 3, 2, 4, 5, 7, 6}}},
		"turned":   {Hexahedron, [][]int{{4, 5, 7, 6, 0, 1, 3, 2}}},
		"wedges":   {Wedge, [][]int{{0, 1, 3, 4, 5, 7}, {0, 3, 2, 4, 7, 6}}},
		"tetras":   {Tetra, [][]int{{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}}},
		"pyramids": {Pyramid, [][]int{{0, 1, 3, 2, 7}, {0, 1, 5, 4, 7}, {0, 2, 6, 4, 7}}},
	} {
		m, rep := draw(t, func() *Grid { return box(d, c.kind, c.split) })
		if name == "pyramids" { // neighbours share no diagonals; pyramids have no inner faces
			if m.Len() == 0 {
				t.Error(name)
			}
			continue
		}
		if m.Len() != boxes || len(rep.Warnings) > 0 {
			t.Errorf("%s: %d triangles, want %d, %v", name, m.Len(), boxes, rep.Warnings)
		}
		meshtest.Watertight(t, m)
		if v := m.Attributes.Vertices; v != 4*3*5-2*1*3 {
			t.Errorf("%s: %d vertices: those within are not drawn", name, v)
		}
	}
}

// TestBoxes checks that a structured grid is drawn like the same hexahedra, with the same cell numbers.
func TestBoxes(t *testing.T) {
	for _, d := range [][3]int{{4, 3, 5}, {2, 2, 2}, {3, 2, 6}} {
		solid, _ := draw(t, func() *Grid { return hexas(d) })
		grid, _ := draw(t, func() *Grid { return &Grid{N: d[0] * d[1] * d[2], At: at(d), Dims: d} })
		meshtest.Watertight(t, grid)
		count := func(m *scenes.Mesh) map[float32]int {
			n := make(map[float32]int)
			for _, c := range m.Field(CellField).Values {
				n[c]++
			}
			return n
		}
		got, want := count(grid), count(solid)
		for c, n := range want {
			if got[c] != n {
				t.Errorf("%v: cell %v has %d triangles, want %d", d, c, got[c], n)
			}
		}
	}
}

// hexas returns a grid of boxes as hexahedra.
func hexas(d [3]int) *Grid { return box(d, Hexahedron, [][]int{{0, 1, 3, 2, 4, 5, 7, 6}}) }

// volume returns the volume inside the surface of a mesh.
func volume(m *scenes.Mesh) (v float64) {
	for i := range m.Len() {
		c := m.Triangle(i)
		of := func(k int) [3]float64 { return [3]float64{float64(c[k][0]), float64(c[k][1]), float64(c[k][2])} }
		v += vector.Dot(of(0), vector.Cross(of(1), of(2))) / 6
	}
	return v
}

// TestHidden checks that walls are drawn around a hidden cell, but not towards a cell that another piece draws.
func TestHidden(t *testing.T) {
	d := [3]int{4, 4, 4}
	for _, c := range []struct {
		ghost     uint8
		cell      int
		triangles int
		volume    float64
	}{
		{Hidden, 13, 6*9*2 + 12, 26}, // the cell in the middle is hidden
		{Hidden, 0, 6 * 9 * 2, 26},   // a corner cell is hidden: three walls fewer, and three new ones
		{Elsewhere, 13, 6 * 9 * 2, 27},
		{Elsewhere, 0, 6*9*2 - 6, 27 - 1},
	} {
		ghosts := make([]uint8, 27)
		ghosts[c.cell] = c.ghost
		for kind, grid := range map[string]*Grid{"boxes": {N: 64, At: at(d), Dims: d}, "hexahedra": hexas(d)} {
			grid.Ghost = ghosts
			m, _ := draw(t, func() *Grid { return grid })
			if m.Len() != c.triangles {
				t.Errorf("%s, cell %d is %d: %d triangles, want %d", kind, c.cell, c.ghost, m.Len(), c.triangles)
			}
			if v := volume(m); math.Abs(v-c.volume) > 1e-9 && (c.ghost == Hidden || c.cell == 13) {
				t.Errorf("%s, cell %d is %d: volume %v, want %v", kind, c.cell, c.ghost, v, c.volume)
			}
		}
	}
}

// TestGhostsOfBoxes checks that a structured grid with any ghost cells is drawn like the same hexahedra: the faces of
// each cell must face the same ways.
func TestGhostsOfBoxes(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := [3]int{rapid.IntRange(2, 5).Draw(r, "x"), rapid.IntRange(2, 5).Draw(r, "y"), rapid.IntRange(2, 5).Draw(r, "z")}
		n := (d[0] - 1) * (d[1] - 1) * (d[2] - 1)
		ghosts := rapid.SliceOfN(rapid.SampledFrom([]uint8{0, 0, Elsewhere, Hidden}), 0, n-1).Draw(r, "ghosts") // the last cell is always drawn
		sides := func(g *Grid) map[[4]int]int {
			g.Ghost = ghosts
			m, _ := draw(t, func() *Grid { return g })
			count := make(map[[4]int]int)
			for i, c := range m.Field(CellField).Values {
				p := m.Triangle(i)
				var u, v [3]float64
				for a := range u {
					u[a], v[a] = float64(p[1][a]-p[0][a]), float64(p[2][a]-p[0][a])
				}
				w := vector.Cross(u, v)
				count[[4]int{int(c), int(w[0]), int(w[1]), int(w[2])}]++
			}
			return count
		}
		got, want := sides(&Grid{N: d[0] * d[1] * d[2], At: at(d), Dims: d}), sides(hexas(d))
		if !maps.Equal(got, want) {
			r.Errorf("%v with the ghosts %v: %v, want %v", d, ghosts, got, want)
		}
	})
}

// TestCurvedLines checks that the outline of a curved surface is not drawn, and that a curved line is drawn from one
// end to the other.
func TestCurvedLines(t *testing.T) {
	places := [][3]float64{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.5, 0.1, 0}, {0.5, 0.5, 0}, {0, 0.5, 0}, {3, 0, 0}, {1.5, 0.2, 0}}
	for kind, line := range map[uint8][]uint32{21: {0, 1, 3}, 35: {0, 1, 3, 3}, 68: {0, 1, 3}, 75: {0, 1, 3}, Line: {0, 1, 3}} {
		of := func(line []uint32) *scenes.Mesh {
			m, _ := draw(t, func() *Grid {
				return &Grid{N: 8, At: func(i int) [3]float64 { return places[i] }, Types: []uint8{22, kind},
					Ends: []uint32{6, uint32(6 + len(line))}, Corners: append([]uint32{0, 1, 2, 3, 4, 5}, line...)}
			})
			return m
		}
		if m := of(line); m.Len() != 1 {
			t.Errorf("type %d: %d triangles of a surface with its outline", kind, m.Len())
		}
		line[1], line[2] = 6, 7
		if b := of(line).Bounds(); b.Max[0] < 3 || b.Max[1] > 1.1 || b.Max[2] < 0.001 {
			t.Errorf("type %d: a line to (3, 0, 0) reaches %v", kind, b.Max)
		}
	}
}

// TestMany compares faces with the same least corner, in a fan of many volumes around one point.
func TestMany(t *testing.T) {
	const n = 1000
	m, _ := draw(t, func() *Grid {
		g := &Grid{N: n + 2, At: func(i int) [3]float64 { return [3]float64{float64(i % 37), float64(i / 37), float64(i * i % 101)} }}
		for i := range n - 1 {
			g.Corners = append(g.Corners, 0, 1, uint32(i+2), uint32(i+3))
			g.Types, g.Ends = append(g.Types, Tetra), append(g.Ends, uint32(len(g.Corners)))
		}
		return g
	})
	if want := 2*(n-1) + 2; m.Len() != want {
		t.Errorf("%d triangles, want %d", m.Len(), want)
	}
}

// TestEnds checks that cells with ends that are out of order become empty.
func TestEnds(t *testing.T) {
	ends := []uint32{3, 2, 9, 6, 100}
	if repairEnds(ends, 8); !slices.Equal(ends, []uint32{3, 3, 3, 6, 6}) {
		t.Error(ends)
	}
}
