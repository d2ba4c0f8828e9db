package cells

import (
	"fmt"
	"math"
	"slices"

	"lockstep/scenes/internal/indexed"
	"lockstep/scenes/internal/text"
	"lockstep/scenes/internal/vector"
)

// A builder is the state of Scene.Mesh.
type builder struct {
	*Scene
	mesh              *indexed.Mesh
	ofPoints, ofCells names
	numberAt          int // index of the field with the numbers of cells; -1: none
	lines, dots       int
	unknown           [256]int // number of cells of each unknown type

	// The fields from here on are the state of the current grid.
	g         *Grid
	points    []column
	faces     []column
	number    []uint32       // for each point, 1 + its number in the mesh; 0: not drawn yet
	farNumber map[int]uint32 // used instead of number for grids with Dims, because such grids may draw few of many points
	polygon   indexed.Polygon
	cell      int
	values    []float32

	middle   [3]float64 // centre of the volume whose face was drawn last
	middleOf int        // 1 + the number of that volume; 0: none
}

// numberBytes is the memory in bytes for each point of a grid while the grid is drawn. faceBytes is the memory in
// bytes for each face of a volume. While faces are compared, each face is in two lists.
const (
	numberBytes = 4
	faceBytes   = 8 + 8
	// mapEntryBytes is the greatest memory of an entry of a map from int to uint32. An entry takes so much while the
	// map grows, because half of the map is then empty.
	mapEntryBytes = 80
)

// drawGrid draws one grid.
func (b *builder) drawGrid(g *Grid) error {
	b.g, b.middleOf = g, 0
	b.points, b.faces = columnsOf(g.PointData, &b.ofPoints), columnsOf(g.CellData, &b.ofCells)
	if err := b.prepareNumbers(g); err != nil {
		return err
	}
	b.values = slices.Repeat([]float32{nan}, len(b.ofCells.list))
	b.polygon = indexed.Polygon{Place: func() string { return fmt.Sprintf("cell %d", b.g.First+b.cell) }}
	if g.Name != "" || len(b.Grids) > 1 {
		b.mesh.BeginPart(g.Name)
	}
	if g.Dims != ([3]int{}) {
		return b.drawBoxes()
	}
	if err := b.dropCells(); err != nil {
		return err
	}
	if b.Skins {
		if err := b.dropSkins(); err != nil {
			return err
		}
	}
	outer, err := b.outerFaces()
	if err != nil {
		return err
	}
	b.mesh.Extra += 8 * int64(len(outer))
	for c := range g.Types {
		if c%(1<<16) == 0 {
			if err := b.In.Context().Err(); err != nil {
				return err
			}
		}
		b.cell = c
		switch kinds[g.Types[c]].dimension {
		case 2:
			err = b.drawPolygon(c)
		case 3:
			ghost := c < len(g.Ghost) && g.Ghost[c] != 0
			for err == nil && len(outer) > 0 && int(outer[0]>>faceBits) == c {
				if !ghost {
					err = b.drawOutside(c, outer[0])
				}
				outer = outer[1:]
			}
		}
		if err != nil {
			return err
		}
	}
	return b.drawThin()
}

// prepareNumbers prepares the table that maps the points of a grid to points of the mesh.
func (b *builder) prepareNumbers(g *Grid) error {
	b.number, b.farNumber, b.mesh.Extra = nil, nil, b.Held
	if g.Dims != ([3]int{}) {
		b.farNumber = make(map[int]uint32)
		return nil
	}
	if err := b.In.Allow(0, b.Held+b.mesh.Held()+numberBytes*int64(g.N)); err != nil {
		return err
	}
	b.mesh.Extra += numberBytes * int64(g.N)
	b.number = make([]uint32, g.N)
	return nil
}

// numberOf returns 1 + the number of point v in the mesh. It returns 0 if the point was not drawn yet.
func (b *builder) numberOf(v int) uint32 {
	if b.farNumber != nil {
		return b.farNumber[v]
	}
	return b.number[v]
}

func (b *builder) setNumber(v int, n uint32) {
	if b.farNumber == nil {
		b.number[v] = n
		return
	}
	b.farNumber[v] = n
	b.mesh.Extra += mapEntryBytes
}

// dropCells drops some cells, which are then not drawn as surfaces:
//   - cells of unknown types, damaged cells and hidden cells
//   - cells that another part of the data set draws, except volumes, because volumes hide faces of other cells
//
// It also counts the lines and dots, which drawThin draws later.
func (b *builder) dropCells() error {
	g := b.g
	repairEnds(g.Ends, len(g.Corners))
	repairEnds(g.FaceEnds, len(g.Faces))
	for c, t := range g.Types {
		b.cell = c
		k, of := &kinds[t], g.cellCorners(c)
		if len(g.Ghost) > c && (g.Ghost[c] == Hidden || g.Ghost[c] != 0 && k.dimension < 3) {
			g.Types[c] = Dropped
			continue
		}
		switch {
		case k.dimension < 0:
			b.unknown[t]++
		case k.dimension == 0 && t != Dropped:
			b.dots++
			continue // drawThin draws dots later
		case k.dimension == 1:
			b.lines++
			continue
		}
		if k.dimension < 2 {
			g.Types[c] = Dropped
			continue
		}
		if err := b.checkCell(c, t, of); err != nil {
			return err
		}
	}
	for t, n := range b.unknown {
		if n > 0 {
			b.unknown[t] = 0
			if err := b.Warn.Add("its cells", "%s of the unknown type %d not drawn", text.Counts(text.Count{N: n, One: "cell", More: "cells"}), t); err != nil {
				return err
			}
		}
	}
	return nil
}

// repairEnds repairs the list of ends of cells. An end is wrong if it is less than the end before it, or greater than
// `most`. repairEnds replaces a wrong end by the end before it. The cell is then empty.
func repairEnds(ends []uint32, most int) {
	last := uint32(0)
	for i, e := range ends {
		if e < last || uint64(e) > uint64(most) {
			ends[i] = last
		}
		last = ends[i]
	}
}

// checkCell drops a cell with a warning if it has too few corners, or corners that do not exist.
func (b *builder) checkCell(c int, t uint8, of []uint32) error {
	g, k := b.g, &kinds[t]
	if t != Polyhedron && len(of) < max(3, k.corners) {
		g.Types[c] = Dropped
		return b.Warn.Add(b.polygon.Place(), "left out: %d corners of a cell of type %d", len(of), t)
	}
	if t == Polyhedron {
		if !g.hasWholeFaces(c) {
			g.Types[c] = Dropped
			return b.Warn.Add(b.polygon.Place(), "left out: its faces are not whole")
		}
		return nil
	}
	for _, v := range of {
		if uint64(v) >= uint64(g.N) {
			g.Types[c] = Dropped
			if v == math.MaxUint32 {
				return b.Warn.Add(b.polygon.Place(), "left out: a point that is not there")
			}
			return b.Warn.Add(b.polygon.Place(), "left out: point %d of %d, counted from 0", v, g.N)
		}
	}
	return nil
}

// drawPolygon draws a two-dimensional cell.
func (b *builder) drawPolygon(c int) error {
	t, of := b.g.Types[c], b.g.cellCorners(c)
	k := &kinds[t]
	if t == Strip {
		for i := 2; i < len(of); i++ {
			tri := [3]uint32{of[i-2], of[i-1], of[i]}
			if i%2 == 1 {
				tri[0], tri[1] = tri[1], tri[0]
			}
			if err := b.addFace(c, tri[:]); err != nil {
				return err
			}
		}
		return nil
	}
	n := k.corners
	if n == 0 {
		if n = len(of); k.halfCorners {
			n /= 2
		}
	}
	if k.order == nil {
		return b.addFace(c, of[:n])
	}
	var turned [4]uint32
	for i, at := range k.order {
		turned[i] = of[at]
	}
	return b.addFace(c, turned[:])
}

// drawOutside draws a face of a volume with its front away from the centre of the volume. The order of corners in the
// file does not determine the front, because programs do not agree on it.
func (b *builder) drawOutside(c int, face uint64) error {
	var room [16]uint32
	of := b.g.faceCorners(face, room[:0])
	if b.middleOf != c+1 {
		n := 0
		b.middle, b.middleOf = [3]float64{}, c+1
		for v := range b.g.volumeCorners(c) {
			b.middle, n = vector.Add(b.middle, b.g.At(int(v))), n+1
		}
		b.middle = vector.Scale(1/float64(n), b.middle)
	}
	var center [3]float64
	normal := [3]float64{}
	first := b.g.At(int(of[0]))
	for i, v := range of {
		p := b.g.At(int(v))
		center = vector.Add(center, p)
		if i >= 2 {
			normal = vector.Add(normal, vector.Cross(vector.Sub(b.g.At(int(of[i-1])), first), vector.Sub(p, first)))
		}
	}
	out := vector.Sub(vector.Scale(1/float64(len(of)), center), b.middle)
	if vector.Dot(out, normal) < 0 {
		slices.Reverse(of)
	}
	return b.addFace(c, of)
}

// addFace adds a polygon to the mesh, with the colour and fields of cell c.
func (b *builder) addFace(c int, of []uint32) error {
	p := &b.polygon
	p.Corners = p.Corners[:0]
	for _, v := range of {
		at, err := b.pointNumber(int(v))
		if err != nil {
			return err
		}
		p.Corners = append(p.Corners, at)
	}
	p.Color = colorOf(b.g.CellData, c)
	p.Fields = b.values
	for i := range b.faces {
		b.values[b.faces[i].field] = b.faces[i].value(c)
	}
	if b.numberAt >= 0 {
		b.values[b.numberAt] = float32(b.g.First + c)
	}
	if len(p.Corners) > indexed.MaxCorners {
		return b.Warn.Add(p.Place(), "left out: a face of %d corners", len(p.Corners))
	}
	return b.mesh.AddPolygon(*p)
}

// pointNumber returns the number of point v in the mesh. It adds the point to the mesh at the first use.
func (b *builder) pointNumber(v int) (int64, error) {
	if n := b.numberOf(v); n != 0 {
		return int64(n - 1), nil
	}
	at := b.mesh.Points()
	b.setNumber(v, uint32(at)+1)
	if err := b.mesh.AddPoint(b.g.At(v)); err != nil {
		return 0, err
	}
	for i := range b.points {
		if err := b.mesh.PointField(b.points[i].field, b.points[i].value(v)); err != nil {
			return 0, err
		}
	}
	if rgb := colorOf(b.g.PointData, v); rgb != indexed.NoColor {
		return int64(at), b.mesh.ColorPoint(rgb)
	}
	return int64(at), nil
}

// warnEmpty returns the first damage, or adds a warning that there is nothing to draw.
func (b *builder) warnEmpty() error {
	if err := b.Warn.First(); err != nil {
		return err
	}
	points, solid := 0, 0
	for _, g := range b.Grids {
		points += g.N
		solid += len(g.Types)
	}
	switch {
	case b.lines+b.dots > 0 || points > 0:
		what := text.Counts(text.Count{N: points, One: "point", More: "points"}, text.Count{N: b.lines, One: "line", More: "lines"}, text.Count{N: b.dots, One: "vertex", More: "vertices"})
		return b.Warn.Add("its faces", "there are none: %s not drawn", what)
	}
	return b.Warn.Add("its faces", "there are none")
}
