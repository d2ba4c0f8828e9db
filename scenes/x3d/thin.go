package x3d

import (
	"slices"

	"lockstep/scenes"
	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/corners"
	"lockstep/scenes/internal/surface"
)

// thinKinds holds the kinds of nodes with lines or points.
var thinKinds = []string{"IndexedLineSet", "LineSet", "PointSet"}

// thinBytes is the memory in bytes of a corner of a line: its position, its colour and a segment.
const thinBytes = 24 + 4 + 8

// A lineReader reads lines or points. Each corner of a line becomes a point of its own, because it may have its own
// colour.
type lineReader struct {
	*meshReader
	positions [][3]float64
	colors    []scenes.RGBA
	thin      assembly.Thin
	dropped   int // number of corners whose position does not exist
}

// thinShapes returns the shape that draws a node of lines or points, or nil if there are none.
func (r *reader) thinShapes(n, appearance *node) ([]*assembly.Shape, error) {
	if err := r.startGeometry(n); err != nil {
		return nil, err
	}
	m := &meshReader{reader: r, node: n}
	if err := m.readPositions(); err != nil {
		return nil, err
	}
	if err := m.readAttributes(); err != nil {
		return nil, err
	}
	t := &lineReader{meshReader: m}
	if err := t.readCorners(); err != nil {
		return nil, err
	}
	if t.dropped > 0 {
		if err := r.warn.Add(bytePlace(n.at), "%d corners of lines left out whose positions do not exist", t.dropped); err != nil {
			return nil, err
		}
	}
	if len(t.thin.Points)+len(t.thin.Lines) == 0 {
		return nil, nil
	}
	points := &assembly.Points{N: len(t.positions), Positions: func(lo, hi int, to [][3]float64) { copy(to, t.positions[lo:hi]) }}
	colored := len(m.lists.Colors) > 0
	if colored {
		points.Colors = func(lo, hi int, to []scenes.RGBA) { copy(to, t.colors[lo:hi]) }
	}
	material, err := r.lineMaterial(appearance, colored)
	if err != nil {
		return nil, err
	}
	return []*assembly.Shape{{Points: points, Thin: &t.thin, Material: material}}, r.Reserve(512)
}

// readCorners reads the corners of all lines, or all points.
func (t *lineReader) readCorners() error {
	colors, err := t.readAttribute(len(t.lists.Colors), "colorPerVertex", "colorIndex")
	if err != nil {
		return err
	}
	switch t.node.kind {
	case "PointSet":
		first, n := t.pointRange()
		return t.addCorners(n, func(i int) { t.addCorner(colors, i, int32(first+i), i, false) })
	case "LineSet":
		counts, err := t.readIndices("vertexCount")
		if err != nil {
			return err
		}
		at, left, line := 0, 0, -1
		return t.addCorners(len(t.lists.Positions), func(i int) {
			follows := left > 0
			for left == 0 && at < len(counts) {
				left, line, at = int(max(counts[at], 0)), line+1, at+1
			}
			if left > 0 {
				t.addCorner(colors, i, int32(i), line, follows)
				left--
			}
		})
	}
	index, err := t.readIndices("coordIndex")
	if err != nil {
		return err
	}
	if err := t.indexByCorner(&colors, index); err != nil {
		return err
	}
	if index, err = t.splitSegments(&colors, index); err != nil {
		return err
	}
	follows, line := false, 0
	return t.addCorners(len(index), func(i int) {
		if index[i] < 0 {
			line++
			follows = false
			return
		}
		follows = t.addCorner(colors, i, index[i], line, follows)
	})
}

// addCorners reserves memory for n corners, and calls `corner` for each number below n.
func (t *lineReader) addCorners(n int, corner func(i int)) error {
	if err := t.spendPositions(n); err != nil {
		return err
	}
	if err := t.Reserve(thinBytes * int64(n)); err != nil {
		return err
	}
	t.positions = make([][3]float64, 0, n)
	for i := range n {
		corner(i)
	}
	return nil
}

// addCorner adds a corner. If follows is set, it also adds the segment from the corner before. It returns false if the
// position of the corner does not exist. Then the caller must not connect the next corner to it.
func (t *lineReader) addCorner(colors attribute, i int, at int32, line int, follows bool) bool {
	if int64(at) >= int64(len(t.lists.Positions)) {
		t.dropped++
		return false
	}
	k := uint32(len(t.positions))
	t.positions = append(t.positions, t.lists.Positions[at])
	if len(t.lists.Colors) > 0 {
		c := scenes.Opaque(scenes.DefaultColor)
		if e := colors.entry(i, at, line); e != corners.None && e >= 0 && int(e) < len(t.lists.Colors) {
			c = t.lists.Colors[e]
		}
		t.colors = append(t.colors, c)
	}
	if t.node.kind == "PointSet" {
		t.thin.Points = append(t.thin.Points, k)
	} else if follows {
		t.thin.Lines = append(t.thin.Lines, [2]uint32{k - 1, k})
	}
	return true
}

// lineMaterial returns the index of the material of lines and points. This material has the emissive colour of the
// appearance, if the appearance has one.
func (r *reader) lineMaterial(appearance *node, colored bool) (int32, error) {
	n := appearance.child("Material", "PhysicalMaterial", "UnlitMaterial", "TwoSidedMaterial")
	if colored || n == nil {
		return r.material(appearance, colored)
	}
	look, err := r.lookOf(n)
	if err != nil {
		return -1, err
	}
	if look.glow == [3]float64{} {
		return r.material(appearance, colored)
	}
	key := materialKey{material: n, line: true}
	if i, ok := r.materialOf[key]; ok {
		return i, nil
	}
	if err := r.Reserve(512); err != nil {
		return -1, err
	}
	i := int32(len(r.materials))
	r.materials = append(r.materials, scenes.Material{Name: n.name, BaseColor: surface.BaseColor(rgb(look.glow), 1)})
	r.materialOf[key] = i
	return i, nil
}

// isThin reports whether n is a node of lines or points.
func (n *node) isThin() bool { return slices.Contains(thinKinds, n.kind) }
