// Package off reads OFF, the object file format of Geomview.
//
// A file begins with "OFF" and the numbers of vertices, faces and edges, and goes
// on with a line for each vertex and each face, usually: faces may go on on the next
// lines, and a file whose lines are not rows is read as a list of words. Letters before "OFF" say what
// vertices have besides their place: ST texture coordinates, C a colour, N a
// normal, 4 a fourth coordinate by which the others are divided. "OFF BINARY" has
// the same numbers in binary, big-endian. Drawn are vertices and faces; faces of
// more than three corners are cut into triangles. The colours of faces, three or
// four numbers behind their corners, come before those of vertices. Colours are
// numbers from 0 to 255, or from 0 to 1 if one has a point or none is larger than
// 1. Indices into a table of colours have no colour here. "#" begins a comment.
//
// The up axis is +z: the format says nothing.
//
// In a lenient read a line that is damaged is left out with a warning, and a file
// that ends early gives what is whole. Counts in the header are never believed
// before the lines are there.
package off
