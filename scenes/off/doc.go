// Package off reads and writes OFF, the object file format of Geomview.
//
// A file starts with "OFF" and the numbers of vertices, faces and edges. Usually a line for each vertex and each face
// follows, but a face may continue on the next lines. If the lines of a file do not match its vertices, it is read word
// by word. Letters before "OFF" tell what data vertices have besides their position:
//
//   - ST: texture coordinates
//   - C: a colour
//   - N: a normal
//   - 4: a fourth coordinate, by which the other three are divided
//
// "OFF BINARY" has the same numbers in big-endian binary. Vertices and faces are drawn; faces of more than three
// corners are divided into triangles. A face may have a colour of three or four numbers after its corners. It takes
// precedence over colours of vertices. Components of colours are numbers from 0 to 1 if any of them has a decimal point
// or all are at most 1, and from 0 to 255 otherwise. Indices into a table of colours are ignored. "#" starts a comment.
//
// The format does not define an up axis; it is taken to be +z.
//
// A lenient read leaves out a damaged line with a warning. If a file ends early, the mesh has all vertices and faces
// that are complete. The reader does not trust the counts in the header: it allocates memory only for lines that it has
// read.
package off
