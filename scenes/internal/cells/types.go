package cells

// Types of cells, with their numbers in VTK.
const (
	Dropped    = 0 // the cell is not drawn
	Vertex     = 1
	PolyVertex = 2
	Line       = 3
	PolyLine   = 4
	Triangle   = 5
	Strip      = 6
	Polygon    = 7
	Pixel      = 8
	Quad       = 9
	Tetra      = 10
	Voxel      = 11
	Hexahedron = 12
	Wedge      = 13
	Pyramid    = 14
	PentaPrism = 15
	HexaPrism  = 16
	Polyhedron = 42
)

// A kind tells how a type of cell is drawn.
type kind struct {
	dimension   int
	corners     int // number of corners, which are the first points of the cell; 0: all points
	halfCorners bool
	order       []uint8   // order in which a surface uses the corners; nil: the order of the cell
	faces       [][]uint8 // faces of a volume, as numbers of its corners
}

// Faces of volumes, as numbers of their corners. If the volume of a cell is positive, its faces point outwards.
var (
	tetraFaces = [][]uint8{{0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {0, 2, 1}}
	hexaFaces  = [][]uint8{{0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4}, {3, 7, 6, 2}, {0, 3, 2, 1}, {4, 5, 6, 7}}
	voxelFaces = [][]uint8{{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}
	wedgeFaces = [][]uint8{{0, 2, 1}, {3, 4, 5}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}}
	pyramid    = [][]uint8{{0, 3, 2, 1}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}}
	pentaFaces = prismFaces(5)
	hexaPrism  = prismFaces(6)
)

// prismFaces returns the faces of a prism over a polygon of n corners.
func prismFaces(n uint8) (faces [][]uint8) {
	var below, above []uint8
	for i := range n {
		below, above = append(below, n-1-i), append(above, n+i)
		j := (i + 1) % n
		faces = append(faces, []uint8{i, j, n + j, n + i})
	}
	return append(faces, below, above)
}

// kindOf returns how a type of cell is drawn. ok is false if the type is unknown. Curved cells are drawn with straight
// edges between their corners, which are their first points.
func kindOf(t uint8) (k kind, ok bool) {
	switch t {
	case Dropped, Vertex, PolyVertex:
		return kind{}, true
	case PolyLine:
		return kind{dimension: 1}, true
	case Line, 21, 35, 68, 75:
		return kind{dimension: 1, corners: 2}, true
	case Triangle, 22, 34, 69, 76:
		return kind{dimension: 2, corners: 3}, true
	case Strip, Polygon:
		return kind{dimension: 2}, true
	case 36: // a quadratic polygon
		return kind{dimension: 2, halfCorners: true}, true
	case Pixel:
		return kind{dimension: 2, corners: 4, order: []uint8{0, 1, 3, 2}}, true
	case Quad, 23, 28, 30, 70, 77:
		return kind{dimension: 2, corners: 4}, true
	case Tetra, 24, 71, 78:
		return kind{dimension: 3, corners: 4, faces: tetraFaces}, true
	case Voxel:
		return kind{dimension: 3, corners: 8, faces: voxelFaces}, true
	case Hexahedron, 25, 29, 33, 72, 79:
		return kind{dimension: 3, corners: 8, faces: hexaFaces}, true
	case Wedge, 26, 31, 32, 73, 80:
		return kind{dimension: 3, corners: 6, faces: wedgeFaces}, true
	case Pyramid, 27, 37, 74, 81:
		return kind{dimension: 3, corners: 5, faces: pyramid}, true
	case PentaPrism:
		return kind{dimension: 3, corners: 10, faces: pentaFaces}, true
	case HexaPrism:
		return kind{dimension: 3, corners: 12, faces: hexaPrism}, true
	case Polyhedron:
		return kind{dimension: 3}, true
	}
	return kind{}, false
}

// kinds holds the kind of each type.
var kinds = func() (all [256]kind) {
	for t := range all {
		k, ok := kindOf(uint8(t))
		if !ok {
			k.dimension = -1
		}
		all[t] = k
	}
	return all
}()
