package cells

import (
	"context"
	"slices"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
)

// probe is a format that gives its input to a test.
type probe struct{ grid func() *Grid }

func (probe) Names() []string                        { return []string{"grid"} }
func (probe) Detect([]byte, int64) format.Likelihood { return format.Marked }
func (p probe) Read(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
	s := &Scene{In: in, Warn: in.Warnings(), Grids: []*Grid{p.grid()}, Numbered: true}
	return s.Mesh(scenes.PlusZ)
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

// at returns the points of a box of so many points along the axes.
func at(d [3]int) func(i int) [3]float64 {
	return func(i int) [3]float64 {
		return [3]float64{float64(i % d[0]), float64(i / d[0] % d[1]), float64(i / d[0] / d[1])}
	}
}

// box returns a grid of boxes as cells of a type, split as the corner lists say.
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

// TestVolumes draws the surface of one block that is cut into cells of all kinds: closed, and its fronts outside,
// whatever the order of the corners.
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
		if name == "pyramids" { // neighbours share no diagonals, but these have no faces inside
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

// TestBoxes draws a structured grid as the hexahedra that it stands for, with the numbers of the same cells.
func TestBoxes(t *testing.T) {
	for _, d := range [][3]int{{4, 3, 5}, {2, 2, 2}, {3, 2, 6}} {
		hexas, _ := draw(t, func() *Grid { return box(d, Hexahedron, [][]int{{0, 1, 3, 2, 4, 5, 7, 6}}) })
		grid, _ := draw(t, func() *Grid { return &Grid{N: d[0] * d[1] * d[2], At: at(d), Dims: d} })
		meshtest.Watertight(t, grid)
		count := func(m *scenes.Mesh) map[float32]int {
			n := make(map[float32]int)
			for _, c := range m.Field(CellField).Values {
				n[c]++
			}
			return n
		}
		got, want := count(grid), count(hexas)
		for c, n := range want {
			if got[c] != n {
				t.Errorf("%v: cell %v has %d triangles, want %d", d, c, got[c], n)
			}
		}
	}
}

// TestMany compares faces that share their least corner: a fan of many volumes around one point.
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

// TestEnds makes cells of ends that are out of order empty.
func TestEnds(t *testing.T) {
	ends := []uint32{3, 2, 9, 6, 100}
	if repairEnds(ends, 8); !slices.Equal(ends, []uint32{3, 3, 3, 6, 6}) {
		t.Error(ends)
	}
}
