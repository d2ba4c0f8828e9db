package scenes

import (
	"lockstep/scenes/internal/extent"
	"lockstep/scenes/internal/octahedron"
)

// Points is a cloud of points of the same size. It takes 12 bytes of memory per point, and 4 more with colours.
//
// A renderer draws each point as a disc that faces the eye. For everything else that reads meshes, Points is a Source
// of octahedra. ReadBlock makes them block by block: triangle t belongs to point t/PointTriangles.
type Points struct {
	X, Y, Z []float32 // relative to Origin
	// Colors holds the sRGB colour 0x00RRGGBB of each point; nil if the source has no colours.
	Colors []uint32
	// Size is the distance between the centre of a point and the corners of its octahedron.
	Size float32
	// Origin, Up and Unit are as in Mesh.
	Origin [3]float64
	Up     Axis
	Unit   float64
}

// PointTriangles is the number of triangles of the octahedron that draws a point. BlockSize is a multiple of it.
const PointTriangles = len(octahedron.Faces)

// PointBytes is the memory in bytes of a point without its colour.
const PointBytes = 3 * 4

// Len returns the number of triangles of all octahedra.
func (p *Points) Len() int { return PointTriangles * len(p.X) }

// Info describes the coordinates and colours.
func (p *Points) Info() Info {
	return Info{Origin: p.Origin, Up: p.Up, Unit: p.Unit, Colors: p.Colors != nil}
}

// ReadBlock sets dst to the octahedra of block i, see Source. It never fails.
func (p *Points) ReadBlock(i int, dst *Block) error {
	lo, hi := BlockRange(i, p.Len())
	dst.Resize(hi-lo, p.Colors != nil)
	first := lo / PointTriangles
	for at := 0; at < hi-lo; at += PointTriangles {
		n := first + at/PointTriangles
		var corners [6][3]float32
		for k := range corners {
			c := octahedron.Corner([3]float64{float64(p.X[n]), float64(p.Y[n]), float64(p.Z[n])}, float64(p.Size), k)
			corners[k] = [3]float32{float32(c[0]), float32(c[1]), float32(c[2])}
		}
		for t, face := range octahedron.Faces {
			dst.Set(at+t, [3][3]float32{corners[face[0]], corners[face[1]], corners[face[2]]})
		}
		if dst.Colors != nil {
			for t := range PointTriangles {
				dst.Colors[at+t] = p.Colors[n]
			}
		}
	}
	return nil
}

// Bounds returns the box of all finite octahedra, relative to the origin. The box is empty if no octahedron is finite.
func (p *Points) Bounds() Box {
	e := extent.Empty()
	e.AddColumns(p.X, p.Y, p.Z)
	box := BoxOf(e.Lo, e.Hi)
	if box.Empty() {
		return box
	}
	for axis := range 3 {
		// The box is rounded in the same way as ReadBlock rounds corners.
		box.Min[axis] = float64(float32(box.Min[axis] - float64(p.Size)))
		box.Max[axis] = float64(float32(box.Max[axis] + float64(p.Size)))
	}
	return box
}

// Memory returns the number of bytes that the cloud occupies.
func (p *Points) Memory() int64 {
	return int64(len(p.X))*PointBytes + int64(len(p.Colors))*ColorBytes
}
