// Package cells makes surfaces of the meshes of simulations. It draws two-dimensional cells, and each face of a volume
// that no other volume shares. Every polygon has the number and the fields of its cell.
package cells

import (
	"fmt"
	"math"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/indexed"
)

// An Array holds Components numbers for each point or each cell of a grid.
type Array struct {
	Name       string
	Components int
	Values     []float32
	// Colors means that the numbers are red, green, blue and perhaps alpha, from 0 to 255.
	Colors bool
}

// A Grid holds points and cells as they are in a file.
type Grid struct {
	Name string
	// N is the number of points, and At returns the position of a point.
	N  int
	At func(i int) [3]float64
	// Types holds the type of each cell, by its number in VTK. The corners of cell c are Corners[Ends[c-1]:Ends[c]].
	// The corners of cell 0 are Corners[:Ends[0]].
	Types   []uint8
	Ends    []uint32
	Corners []uint32
	// Faces holds the faces of polyhedra. For each polyhedron, it holds the number of faces, followed by the faces.
	// Each face is a number of corners, followed by the corners. FaceEnds[c] is the end of the part of Faces for cell
	// c. If cell c has no faces, FaceEnds[c] equals FaceEnds[c-1].
	Faces    []uint32
	FaceEnds []uint32
	// Dims, if not zero, is the number of points along each axis of a grid of boxes. Such a grid has no Types.
	Dims [3]int

	PointData, CellData []Array
	// Ghost[c] is Elsewhere, Hidden or 0 for cell c. If Ghost is nil or too short, the value is 0.
	Ghost []uint8
	First int // number of the first cell, counted in the whole file
}

// Values of Grid.Ghost that are not 0.
const (
	Elsewhere = 1 // another piece of the data set draws the cell, but it hides faces of its neighbours here
	Hidden    = 2 // the cell is a hole
)

// A Scene holds all grids of a file.
type Scene struct {
	In    *format.Input
	Warn  *format.Warnings
	Grids []*Grid
	// Held is the number of bytes that the reader holds, including the grids.
	Held int64
	// Numbered adds a field with the number of each cell.
	Numbered bool
	// Skins means that two-dimensional cells are not drawn where they are faces of volumes.
	Skins bool
}

// CellField is the name of the field with the number of each cell.
const CellField = "cell"

// maxExact is the number up to which float32 represents all whole numbers.
const maxExact = 1 << 24

// maxFields is the greatest number of fields of a mesh. A file may name any number of empty arrays, so a limit is
// needed.
const maxFields = 1024

// names collects the names of the fields of a scene, in the order of the fields.
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

// componentSuffixes maps the number of components of an array to the suffixes of the components' names.
var componentSuffixes = map[int][]string{2: {"x", "y"}, 3: {"x", "y", "z"}, 6: {"xx", "yy", "zz", "xy", "yz", "xz"}, 9: {"xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"}}

// maxComponents is the greatest number of components of an array that become fields.
const maxComponents = 64

// componentName returns the name of the field for component i of an array.
func (a *Array) componentName(i int) string {
	if p := componentSuffixes[a.Components]; p != nil {
		return a.Name + ":" + p[i]
	}
	return fmt.Sprintf("%s:%d", a.Name, i)
}

// addFieldNames adds the names of the fields for an array. An array with several components gives one field for the
// length and one for each component.
func (a *Array) addFieldNames(n *names) {
	n.add(a.Name)
	if a.Components > 1 {
		for i := range min(a.Components, maxComponents) {
			n.add(a.componentName(i))
		}
	}
}

// A column is the part of a field that comes from one grid: a component of an array, or the length of its vectors.
type column struct {
	array *Array
	part  int // number of the component; -1 for the length
	field int // index of the field in the mesh
}

// columnsOf returns the fields for the arrays of a grid. Arrays of colours give none.
func columnsOf(arrays []Array, n *names) (all []column) {
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
			if f, ok := n.at[a.componentName(p)]; ok && a.Components > 1 {
				all = append(all, column{a, p, f})
			}
		}
	}
	return all
}

// value returns the value of point or cell i. It is NaN if the array is too short.
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

// colorOf returns the colour of point or cell i, or indexed.NoColor if no array has colours.
func colorOf(arrays []Array, i int) uint32 {
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

// Mesh returns the surface of all grids and a report. name is the report's Format.
func (s *Scene) Mesh(up scenes.Axis, name string) (*scenes.Mesh, *scenes.Report, error) {
	m := indexed.New(s.In)
	m.Warn = s.Warn
	b := &builder{Scene: s, mesh: m}
	b.collectNames()
	m.PointFields(b.ofPoints.list...)
	m.TriangleFields(b.ofCells.list...)
	for _, g := range s.Grids {
		m.Extra = s.Held
		if err := b.drawGrid(g); err != nil {
			return nil, nil, err
		}
	}
	m.Lines, m.Dots = b.lines, b.dots
	if m.Triangles() == 0 {
		if err := b.drawCloud(); err != nil {
			return nil, nil, err
		}
	}
	if m.Triangles() == 0 && m.Points() == 0 {
		if err := b.warnEmpty(); err != nil {
			return nil, nil, err
		}
	}
	return m.Finish(up, name)
}

// collectNames collects the names of all fields and decides whether cell numbers become a field.
func (b *builder) collectNames() {
	cells := 0
	for _, g := range b.Grids {
		for i := range g.PointData {
			if !g.PointData[i].Colors {
				g.PointData[i].addFieldNames(&b.ofPoints)
			}
		}
		for i := range g.CellData {
			if !g.CellData[i].Colors {
				g.CellData[i].addFieldNames(&b.ofCells)
			}
		}
		cells = max(cells, g.First+g.cellCount())
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

// cellCount returns the number of cells.
func (g *Grid) cellCount() int {
	if g.Dims == ([3]int{}) {
		return len(g.Types)
	}
	n := 1
	for _, d := range g.Dims {
		n *= max(1, d-1)
	}
	return n
}

// cellCorners returns the corners of cell c.
func (g *Grid) cellCorners(c int) []uint32 {
	lo := uint32(0)
	if c > 0 {
		lo = g.Ends[c-1]
	}
	return g.Corners[lo:g.Ends[c]]
}
