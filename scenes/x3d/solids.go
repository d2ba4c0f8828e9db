package x3d

import (
	"math"

	"lockstep/scenes/internal/corners"
)

// Numbers of sides of round shapes. They are large enough for shapes to look round.
const (
	circleSegments = 32
	poleSteps      = 16
)

// makeSolid makes the corners of a box, a sphere, a cone or a cylinder. It sets m.polygons to a function that adds the
// faces later, to a builder.
func (m *meshReader) makeSolid() error {
	if err := m.Reserve(40 * (circleSegments + 1) * (poleSteps + 1) * 4); err != nil {
		return err
	}
	m.mapped = true
	var faces [][]int32
	switch m.node.kind {
	case "Box":
		faces = m.boxFaces()
	case "Sphere":
		faces = m.sphereFaces(m.node.number("radius", 1))
	case "Cone":
		faces = m.coneFaces(0, m.node.number("bottomRadius", 1), m.node.number("height", 2))
	default:
		radius := m.node.number("radius", 1)
		faces = m.coneFaces(radius, radius, m.node.number("height", 2))
	}
	m.polygons = func(b *corners.Builder) error {
		for _, f := range faces {
			one := make([]corners.Corner, len(f))
			for i, v := range f {
				one[i] = corners.Corner{Position: v, Normal: corners.None, Color: corners.None, TexCoord: v}
			}
			if err := b.Add(0, one); err != nil {
				return err
			}
		}
		return nil
	}
	return nil
}

// solidCorner adds a corner of a solid and returns its index.
func (m *meshReader) solidCorner(p [3]float64, u, v float64) int32 {
	m.lists.Positions = append(m.lists.Positions, p)
	m.lists.TexCoords = append(m.lists.TexCoords, [2]float64{u, v})
	return int32(len(m.lists.Positions) - 1)
}

// boxFaces makes the six sides of a box. Each side shows the whole picture, upright as seen from outside.
func (m *meshReader) boxFaces() (faces [][]int32) {
	size := [3]float64{2, 2, 2}
	m.node.vector("size", size[:])
	// For each side, these are the directions to the right and up as seen from outside.
	for _, side := range [6][2][3]float64{
		{{1, 0, 0}, {0, 1, 0}}, {{-1, 0, 0}, {0, 1, 0}}, {{0, 0, -1}, {0, 1, 0}}, {{0, 0, 1}, {0, 1, 0}}, {{1, 0, 0}, {0, 0, -1}}, {{1, 0, 0}, {0, 0, 1}},
	} {
		right, up := side[0], side[1]
		out := [3]float64{right[1]*up[2] - right[2]*up[1], right[2]*up[0] - right[0]*up[2], right[0]*up[1] - right[1]*up[0]}
		var face []int32
		for _, uv := range [4][2]float64{{0, 0}, {1, 0}, {1, 1}, {0, 1}} {
			var p [3]float64
			for i := range p {
				p[i] = size[i] / 2 * (out[i] + right[i]*(2*uv[0]-1) + up[i]*(2*uv[1]-1))
			}
			face = append(face, m.solidCorner(p, uv[0], uv[1]))
		}
		faces = append(faces, face)
	}
	return faces
}

// horizontalDirection returns a horizontal direction. share is the fraction of a full turn about y. The turn starts at
// the back (-z) and goes to the left (-x), because textures are placed that way.
func horizontalDirection(share float64) (x, z float64) {
	sin, cos := math.Sincos(2 * math.Pi * share)
	return -sin, -cos
}

// sphereFaces makes a sphere, which consists of rings of faces.
func (m *meshReader) sphereFaces(radius float64) (faces [][]int32) {
	for ring := range poleSteps + 1 {
		sin, cos := math.Sincos(math.Pi * float64(ring) / poleSteps)
		if ring == poleSteps {
			sin, cos = 0, -1
		}
		for i := range circleSegments + 1 {
			x, z := horizontalDirection(float64(i%circleSegments) / circleSegments)
			m.solidCorner([3]float64{radius * sin * x, radius * cos, radius * sin * z}, float64(i)/circleSegments, 1-float64(ring)/poleSteps)
		}
	}
	for ring := range int32(poleSteps) {
		for i := range int32(circleSegments) {
			a := ring*(circleSegments+1) + i
			below := a + circleSegments + 1
			face := []int32{a, below, below + 1, a + 1}
			switch ring {
			case 0:
				face = []int32{a, below, below + 1}
			case poleSteps - 1:
				face = []int32{a, below, a + 1}
			}
			faces = append(faces, face)
		}
	}
	return faces
}

// coneFaces makes the side and the ends of a cone or a cylinder.
func (m *meshReader) coneFaces(top, bottom, height float64) (faces [][]int32) {
	if m.node.flag("side", true) {
		first := int32(len(m.lists.Positions))
		for i := range circleSegments + 1 {
			x, z := horizontalDirection(float64(i%circleSegments) / circleSegments)
			m.solidCorner([3]float64{top * x, height / 2, top * z}, float64(i)/circleSegments, 1)
			m.solidCorner([3]float64{bottom * x, -height / 2, bottom * z}, float64(i)/circleSegments, 0)
		}
		for i := range int32(circleSegments) {
			a := first + 2*i
			face := []int32{a, a + 1, a + 3, a + 2}
			if top == 0 {
				face = []int32{a, a + 1, a + 3}
			}
			faces = append(faces, face)
		}
	}
	if top != 0 && m.node.flag("top", true) {
		faces = append(faces, m.endFace(top, height/2, 1))
	}
	if m.node.flag("bottom", true) {
		faces = append(faces, m.endFace(bottom, -height/2, -1))
	}
	return faces
}

// endFace makes the disc at one end. It faces up if up is positive, and down otherwise.
func (m *meshReader) endFace(radius, y, up float64) (face []int32) {
	for i := range circleSegments {
		x, z := horizontalDirection(float64(i) / circleSegments)
		if up < 0 {
			x = -x
		}
		face = append(face, m.solidCorner([3]float64{radius * x, y, radius * z}, (1+x)/2, (1-up*z)/2))
	}
	return face
}

// maxGrid is the greatest number of rows and of columns of a grid of heights.
const maxGrid = 1 << 15

// readHeights reads a grid of heights. known is false if the grid is too small or incomplete.
func (m *meshReader) readHeights() (known bool, err error) {
	n := m.node
	columns, rows := n.number("xDimension", 0), n.number("zDimension", 0)
	if !(columns >= 2 && rows >= 2 && columns <= maxGrid && rows <= maxGrid) {
		return false, m.warn.Add(bytePlace(n.at), "a grid of %v times %v heights left out", columns, rows)
	}
	dx, dz := n.number("xSpacing", 1), n.number("zSpacing", 1)
	if err := m.reserveField(n, "height", 1, 24); err != nil {
		return false, err
	}
	wide, long := int(columns), int(rows)
	err = m.eachRow(n, "height", 1, func(v []float64) {
		i := len(m.lists.Positions)
		m.lists.Positions = append(m.lists.Positions, [3]float64{dx * float64(i%wide), v[0], dz * float64(i/wide)})
	})
	if err != nil {
		return false, err
	}
	if len(m.lists.Positions) < wide*long {
		return false, m.warn.Add(bytePlace(n.at), "a grid of %d times %d heights left out: it has %d", wide, long, len(m.lists.Positions))
	}
	m.reversed = !n.flag("ccw", true)
	if err := m.readAttributes(); err != nil {
		return false, err
	}
	if !m.mapped {
		if err := m.Reserve(16 * int64(wide*long)); err != nil {
			return false, err
		}
		for i := range wide * long {
			m.lists.TexCoords = append(m.lists.TexCoords, [2]float64{float64(i%wide) / float64(wide-1), float64(i/wide) / float64(long-1)})
		}
		m.mapped = true
	}
	m.polygons = func(b *corners.Builder) error { return m.addGrid(b, wide, long) }
	return true, nil
}

// addGrid adds the quads of a grid of `wide` by `long` points.
func (m *meshReader) addGrid(b *corners.Builder, wide, long int) error {
	colors := attribute{n: len(b.Colors), faces: !m.node.flag("colorPerVertex", true)}
	normals := attribute{n: len(b.Normals), faces: !m.node.flag("normalPerVertex", true)}
	for row := range long - 1 {
		for column := range wide - 1 {
			a := int32(row*wide + column)
			face := row*(wide-1) + column
			var one [4]corners.Corner
			for k, at := range [4]int32{a, a + int32(wide), a + int32(wide) + 1, a + 1} {
				one[k] = corners.Corner{Position: at, Normal: normals.entry(0, at, face), Color: colors.entry(0, at, face), TexCoord: at}
			}
			if err := m.addPolygon(b, one[:]); err != nil {
				return err
			}
		}
	}
	return nil
}
