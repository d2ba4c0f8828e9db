package vtk

import (
	"math"
	"strings"

	"lockstep/scenes/internal/cells"
	"lockstep/scenes/internal/text"
	"lockstep/scenes/internal/xmltree"
)

// readPieces reads all pieces of a data set.
func (d *document) readPieces(kind string, set xmltree.Node) error {
	for p := range set.Each("Piece") {
		var err error
		d.short = false
		switch kind {
		case "PolyData":
			err = d.readPolygons(p)
		case "UnstructuredGrid":
			err = d.readUnstructured(p)
		default:
			err = d.readStructured(kind, set, p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readPoints sets the points of grid g, which piece p contains. ok is false if they are missing.
func (d *document) readPoints(g *cells.Grid, p xmltree.Node) (ok bool, err error) {
	if n, said := p.Int("NumberOfPoints"); said && n == 0 {
		return true, nil // an empty piece, which parallel files may have
	}
	v, ok, err := d.readRequired(p.Child("Points", "DataArray"), p, "points")
	if err != nil || !ok {
		return false, err
	}
	g.N, g.At = v.len()/3, v.point
	return true, d.warnCount(p, "Points", g.N)
}

// warnCount warns if piece p states a number of points or cells (`what`) other than the true number n. The stated
// number may be any text.
func (d *document) warnCount(p xmltree.Node, what string, n int) error {
	said := p.Raw("NumberOf" + what)
	if claimed, ok := p.Int("NumberOf" + what); said == nil || d.short || ok && claimed == n {
		return nil
	}
	return d.r.warn.Add(d.placeOf(p), "the piece claims %s %s and has %d", text.Short(said), strings.ToLower(what), n)
}

// finishPiece reads the data of the points and cells of a piece, and adds its grid.
func (d *document) finishPiece(g *cells.Grid, p xmltree.Node) (err error) {
	if g.PointData, err = d.readData(p.Child("PointData"), g.N, "points"); err != nil {
		return err
	}
	n := len(g.Types)
	if g.Dims != ([3]int{}) {
		n = boxCount(g.Dims)
	}
	if g.CellData, err = d.readData(p.Child("CellData"), n, "cells"); err != nil {
		return err
	}
	g.Name = d.name
	d.r.addGrid(g)
	return nil
}

// boxCount returns the number of cells of a structured grid with dims points along each axis.
func boxCount(dims [3]int) int {
	n := 1
	for _, d := range dims {
		n *= max(1, d-1)
	}
	return n
}

// cellBytes is the memory in bytes of a cell without its corners.
const cellBytes = 1 + 4

// lists holds the elements of PolyData that have cells, in the order of the cells' numbers.
var lists = []struct {
	name string
	kind uint8
}{{"Verts", cells.PolyVertex}, {"Lines", cells.PolyLine}, {"Polys", cells.Polygon}, {"Strips", cells.Strip}}

// readPolygons reads a piece of PolyData.
func (d *document) readPolygons(p xmltree.Node) error {
	g := &cells.Grid{}
	if ok, err := d.readPoints(g, p); err != nil || !ok {
		return err
	}
	for _, l := range lists {
		of := p.Child(l.name)
		if n, said := p.Int("NumberOf" + l.name); said && n == 0 || !of.Exists() {
			continue
		}
		corners, ends, ok, err := d.readConnectivity(of, p)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := d.warnCount(p, l.name, len(ends)); err != nil {
			return err
		}
		if err := d.r.Reserve(cellBytes * int64(len(ends))); err != nil {
			return err
		}
		base := uint32(len(g.Corners))
		for _, e := range ends {
			g.Types, g.Ends = append(g.Types, l.kind), append(g.Ends, e+base)
		}
		g.Corners = append(g.Corners, corners...)
		d.r.numbered = d.r.numbered || l.kind == cells.Strip || l.kind == cells.Polygon && len(corners) != 3*len(ends)
	}
	return d.finishPiece(g, p)
}

// readConnectivity reads the corners of all cells, and where the corners of each cell end. ok is false if they cannot
// be used.
func (d *document) readConnectivity(of, p xmltree.Node) (corners, ends []uint32, ok bool, err error) {
	v, ok, err := d.readRequired(array(of, "connectivity"), p, "connectivity")
	if err != nil || !ok {
		return nil, nil, false, err
	}
	w, ok, err := d.readRequired(array(of, "offsets"), p, "offsets")
	if err != nil || !ok {
		return nil, nil, false, err
	}
	if !v.kind.isWhole() || !w.kind.isWhole() || v.kind == bits || w.kind == bits {
		return nil, nil, false, d.r.warn.Add(d.placeOf(of), "its connectivity is no whole numbers")
	}
	if err := d.r.Reserve(4 * int64(v.len()+w.len())); err != nil {
		return nil, nil, false, err
	}
	return v.ids(), w.ids(), true, nil
}

// readUnstructured reads a piece of UnstructuredGrid.
func (d *document) readUnstructured(p xmltree.Node) error {
	g := &cells.Grid{}
	if ok, err := d.readPoints(g, p); err != nil || !ok {
		return err
	}
	if n, said := p.Int("NumberOfCells"); said && n == 0 {
		return d.finishPiece(g, p)
	}
	of := p.Child("Cells")
	corners, ends, ok, err := d.readConnectivity(of, p)
	if err != nil || !ok {
		return err
	}
	types, ok, err := d.readRequired(array(of, "types"), p, "types of cells")
	if err != nil || !ok {
		return err
	}
	if !types.kind.isWhole() || types.kind == bits {
		return d.r.warn.Add(d.placeOf(of), "its types are no whole numbers")
	}
	n := min(len(ends), types.len())
	if len(ends) != types.len() {
		if err := d.r.warn.Add(d.placeOf(of), "%d types of %d cells", types.len(), len(ends)); err != nil {
			return err
		}
	}
	if err := d.warnCount(p, "Cells", n); err != nil {
		return err
	}
	if err := d.r.Reserve(int64(n)); err != nil {
		return err
	}
	g.Corners, g.Ends, g.Types = corners, ends[:n], make([]uint8, n)
	for c := range g.Types {
		g.Types[c] = typeOf(types.integer(c))
	}
	if err := d.readFaces(g, of); err != nil {
		return err
	}
	d.r.numbered = true
	return d.finishPiece(g, p)
}

// typeOf converts the type of a cell. A value that is out of range becomes an unknown type.
func typeOf(v int64) uint8 {
	if v < 0 || v > 255 {
		return 255
	}
	return uint8(v)
}

// readFaces reads the faces of polyhedra.
func (d *document) readFaces(g *cells.Grid, of xmltree.Node) error {
	faces, ends := array(of, "faces"), array(of, "faceoffsets")
	if !faces.Exists() || !ends.Exists() {
		return nil
	}
	v, ok, err := d.readRequired(faces, of, "faces")
	if err != nil || !ok {
		return err
	}
	w, ok, err := d.readRequired(ends, of, "ends of faces")
	if err != nil || !ok {
		return err
	}
	if !v.kind.isWhole() || !w.kind.isWhole() || v.kind == bits || w.kind == bits {
		return d.r.warn.Add(d.placeOf(of), "its faces are no whole numbers")
	}
	if err := d.r.Reserve(4 * int64(v.len()+w.len())); err != nil {
		return err
	}
	g.Faces, g.FaceEnds = v.ids(), w.ids()
	last := uint32(0)
	for c, e := range g.FaceEnds {
		if e == noID {
			g.FaceEnds[c] = last // the cell has no faces (-1 in the file), so it ends where the cell before ends
		}
		last = g.FaceEnds[c]
	}
	return nil
}

// parseExtent parses six integers: the first and the last index along each axis. dims is the number of points along
// each axis. ok is false if s has other words.
func parseExtent(s []byte) (e [6]int, dims [3]int, ok bool) {
	list := text.NumbersOf(s)
	for i := range e {
		v, ok := list.Int()
		if !ok || v < -1<<30 || v > 1<<30 {
			return e, dims, false
		}
		e[i] = int(v)
	}
	points := 1
	for a := range dims {
		dims[a] = e[2*a+1] - e[2*a] + 1
		if dims[a] < 1 || dims[a] > maxPoints/points {
			return e, dims, false
		}
		points *= dims[a]
	}
	return e, dims, true
}

// maxPoints is the greatest number of points of a structured grid. Indices of points must fit into 32 bits.
const maxPoints = min(1<<32-2, math.MaxInt)

// readStructured reads a piece of a structured grid, whose cells are boxes.
func (d *document) readStructured(kind string, set, p xmltree.Node) error {
	g := &cells.Grid{}
	s := p.Raw("Extent")
	if s == nil {
		s = set.Raw("WholeExtent")
	}
	e, dims, ok := parseExtent(s)
	if !ok {
		return d.r.warn.Add(d.placeOf(p), "the extent of the piece is impossible: %s", text.Short(s))
	}
	g.Dims = dims
	var err error
	switch kind {
	case "ImageData":
		g.N, g.At = dims[0]*dims[1]*dims[2], imagePoints(e, dims, set.Raw("Origin"), set.Raw("Spacing"), set.Raw("Direction"))
	case "StructuredGrid":
		if ok, err = d.readPoints(g, p); err != nil || !ok {
			return err
		}
	default:
		if ok, err = d.readRectilinear(g, p); err != nil || !ok {
			return err
		}
	}
	if n := dims[0] * dims[1] * dims[2]; g.N < n {
		return d.r.warn.Add(d.placeOf(p), "the piece has %d of %d points", g.N, n)
	}
	d.r.numbered = true
	return d.finishPiece(g, p)
}

// imagePoints returns a function that computes the points of a grid whose cells are boxes of equal size.
func imagePoints(e [6]int, dims [3]int, origin, spacing, direction []byte) func(i int) [3]float64 {
	three := func(s []byte, v [3]float64) [3]float64 {
		list := text.NumbersOf(s)
		for a := range v {
			if x, ok := list.Float(); ok {
				v[a] = x
			}
		}
		return v
	}
	o, h := three(origin, [3]float64{}), three(spacing, [3]float64{1, 1, 1})
	turn := [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	list := text.NumbersOf(direction)
	for i := range 9 {
		if x, ok := list.Float(); ok {
			turn[i/3][i%3] = x
		}
	}
	return func(i int) (p [3]float64) {
		at := [3]int{i % dims[0], i / dims[0] % dims[1], i / dims[0] / dims[1]}
		for r := range p {
			p[r] = o[r]
			for a := range at {
				p[r] += float64(turn[r][a] * float64(float64(at[a]+e[2*a])*h[a]))
			}
		}
		return p
	}
}

// readRectilinear sets the points of a grid from its coordinates along the three axes. ok is false if these are
// missing.
func (d *document) readRectilinear(g *cells.Grid, p xmltree.Node) (ok bool, err error) {
	var along [3]numbers
	a := 0
	for n := range p.Child("Coordinates").Each("DataArray") {
		if a == 3 {
			break
		}
		if along[a], ok, err = d.readRequired(n, p, "coordinates"); err != nil || !ok {
			return false, err
		}
		a++
	}
	dims := g.Dims
	for a := range dims {
		if along[a].len() < dims[a] {
			return false, d.r.warn.Add(d.placeOf(p), "%d of %d coordinates", along[a].len(), dims[a])
		}
	}
	g.N, g.At = dims[0]*dims[1]*dims[2], gridPoints(dims, &along)
	return true, nil
}

// gridPoints returns a function that computes the points of a grid. along holds the coordinates along each axis.
func gridPoints(dims [3]int, along *[3]numbers) func(i int) [3]float64 {
	return func(i int) [3]float64 {
		return [3]float64{along[0].at(i % dims[0]), along[1].at(i / dims[0] % dims[1]), along[2].at(i / dims[0] / dims[1])}
	}
}
