// Package octahedron has the corners and faces of the octahedra that draw points.
package octahedron

// Faces holds the faces of an octahedron, by the numbers of its corners. Faces are counter-clockwise as seen from
// outside.
var Faces = [8][3]int32{{1, 3, 5}, {3, 0, 5}, {0, 2, 5}, {2, 1, 5}, {3, 1, 4}, {0, 3, 4}, {2, 0, 4}, {1, 2, 4}}

// Corner returns a corner of the octahedron around the point `at`. size is the distance from the point to the corner.
// Corner 2*axis is below the point along the axis, and corner 2*axis+1 is above it.
func Corner(at [3]float64, size float64, corner int) [3]float64 {
	at[corner/2] += size * float64(corner%2*2-1)
	return at
}
