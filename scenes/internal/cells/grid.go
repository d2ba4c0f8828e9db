// Package cells makes surfaces of the meshes of simulations: of cells with two dimensions the cells themselves, of
// volumes the faces that belong to one cell alone. What is drawn is numbered by the cells of the file, and has their
// numbers.
package cells

import (
	"fmt"
	"math"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/indexed"
)

// An Array holds numbers of all points or all cells of a grid, so many for each.
type Array struct {
	Name       string
	Components int
	Values     []float32
	// Colors says that the numbers are red, green, blue and perhaps alpha from 0 to 255.
	Colors bool
}

// A Grid is points and cells, as a file has them.
type Grid struct {
	Name string
	// N is the number of points, and At tells where they are.
	N  int
	At func(i int) [3]float64
	// Types are those of VTK. Corners of cell c are Corners[Ends[c-1]:Ends[c]], from 0 for the first.
	Types   []uint8
	Ends    []uint32
	Corners []uint32
	// Faces holds the faces of polyhedra: how many there are, and of each the number of its corners and these. FaceEnds
	// are the ends of cells in it: that of the cell before it for a cell that has none.
	Faces    []uint32
	FaceEnds []uint32
	// Dims, if not zero, are the numbers of points along three axes of a grid without Types: all its cells are boxes.
	Dims [3]int

	PointData, CellData []Array
	// Ghost holds a number for each cell that is not 0 for those that another piece draws; nil without.
	Ghost []uint8
	First int // the number of the first cell
}

// A Scene is all grids of a file.
type Scene struct {
	In    *format.Input
	Warn  *format.Warnings
	Grids []*Grid
	// Held is how many bytes the reader holds, those of the grids among them.
	Held int64
	// Numbered adds a field of the numbers of cells.
	Numbered bool
	// Skins leaves out cells of two dimensions that are faces of volumes.
	Skins bool
}

// CellField is the name of the numbers of cells.
const CellField = "cell"

// maxExact is the largest number that float32 counts up to.
const maxExact = 1 << 24

// maxFields bounds the fields of a mesh: a file may name arrays without numbers.
const maxFields = 1024

// names are the fields of a scene in their order.
type names struct {
	list []string
	at   map[string]int
}

func (n *names) add(name string) {
	if _, ok := n.at[name]; ok || len(n.list) >= maxFields {
		return
	}
	if n.at == nil {
		n.at = make(map[string]int)
	}
	n.at[name] = len(n.list)
	n.list = append(n.list, name)
}

// parts are the names behind those of arrays of some numbers of components.
var parts = map[int][]string{2: {"x", "y"}, 3: {"x", "y", "z"}, 6: {"xx", "yy", "zz", "xy", "yz", "xz"}, 9: {"xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"}}

// maxComponents bounds the components of an array that become fields.
const maxComponents = 64

// component returns the name of a component of an array.
func (a *Array) component(i int) string {
	if p := parts[a.Components]; p != nil {
		return a.Name + ":" + p[i]
	}
	return fmt.Sprintf("%s:%d", a.Name, i)
}

// fields adds the names of an array: of several numbers their length, and each of them.
func (a *Array) fields(n *names) {
	n.add(a.Name)
	if a.Components > 1 {
		for i := range min(a.Components, maxComponents) {
			n.add(a.component(i))
		}
	}
}

// A column is a field of one grid: a component of an array, or the length of its vectors.
type column struct {
	array *Array
	part  int // -1: the length
	field int // its place among the fields
}

// columns returns the fields of the arrays of a grid.
func columns(arrays []Array, n *names) (all []column) {
	for i := range arrays {
		a := &arrays[i]
		if a.Colors {
			continue
		}
		if f, ok := n.at[a.Name]; ok {
			part := 0
			if a.Components > 1 {
				part = -1
			}
			all = append(all, column{a, part, f})
		}
		for p := range min(a.Components, maxComponents) {
			if f, ok := n.at[a.component(p)]; ok && a.Components > 1 {
				all = append(all, column{a, p, f})
			}
		}
	}
	return all
}

// value returns the number of point or cell i; NaN where there is none.
func (c *column) value(i int) float32 {
	a := c.array
	at := i * a.Components
	if at+a.Components > len(a.Values) {
		return float32(math.NaN())
	}
	if c.part >= 0 {
		return a.Values[at+c.part]
	}
	sum := 0.0
	for _, v := range a.Values[at : at+a.Components] {
		sum += float64(float64(v) * float64(v))
	}
	return float32(math.Sqrt(sum))
}

// color returns the colour of point or cell i; indexed.NoColor where it has none.
func color(arrays []Array, i int) uint32 {
	for k := range arrays {
		if a := &arrays[k]; a.Colors {
			at := i * a.Components
			if at+a.Components > len(a.Values) {
				return indexed.NoColor
			}
			return indexed.RGB([3]float64{float64(a.Values[at]), float64(a.Values[at+1]), float64(a.Values[at+2])}, 1)
		}
	}
	return indexed.NoColor
}

// Mesh returns the surface of all grids and the report on it, in which Format is not set.
func (s *Scene) Mesh(up scenes.Axis) (*scenes.Mesh, *scenes.Report, error) {
	m := indexed.New(s.In)
	m.Warn = s.Warn
	b := &builder{Scene: s, mesh: m}
	b.name()
	m.PointFields(b.ofPoints.list...)
	m.TriangleFields(b.ofCells.list...)
	for _, g := range s.Grids {
		m.Extra = s.Held
		if err := b.grid(g); err != nil {
			return nil, nil, err
		}
	}
	m.Lines, m.Dots = b.lines, b.dots
	if m.Triangles() == 0 {
		if err := b.cloud(); err != nil {
			return nil, nil, err
		}
	}
	if m.Triangles() == 0 && m.Points() == 0 {
		if err := b.nothing(); err != nil {
			return nil, nil, err
		}
	}
	return m.Finish(up)
}

// name finds the names of all fields.
func (b *builder) name() {
	cells := 0
	for _, g := range b.Grids {
		for i := range g.PointData {
			if !g.PointData[i].Colors {
				g.PointData[i].fields(&b.ofPoints)
			}
		}
		for i := range g.CellData {
			if !g.CellData[i].Colors {
				g.CellData[i].fields(&b.ofCells)
			}
		}
		cells = max(cells, g.First+g.cells())
	}
	if b.Numbered && cells <= maxExact {
		if _, taken := b.ofCells.at[CellField]; !taken {
			if _, taken := b.ofPoints.at[CellField]; !taken {
				b.numberAt = len(b.ofCells.list)
				b.ofCells.add(CellField)
				return
			}
		}
	}
	b.numberAt = -1
}

// cells returns how many there are.
func (g *Grid) cells() int {
	if g.Dims == ([3]int{}) {
		return len(g.Types)
	}
	n := 1
	for _, d := range g.Dims {
		n *= max(1, d-1)
	}
	return n
}

// corners returns those of a cell.
func (g *Grid) corners(c int) []uint32 {
	lo := uint32(0)
	if c > 0 {
		lo = g.Ends[c-1]
	}
	return g.Corners[lo:g.Ends[c]]
}
