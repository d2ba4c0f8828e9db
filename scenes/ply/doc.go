// Package ply reads and writes PLY, the polygon format of the Stanford scans.
//
// A PLY file starts with a header in text. The header names elements, which are tables, and states the number of rows
// and the properties of each element. Then the rows follow, as text or binary in either byte order. These elements are
// drawn:
//
//   - "vertex" (x, y, z)
//   - "face" and "polygon" (a list vertex_indices or vertex_index)
//   - "edge" (vertex1, vertex2)
//   - "tristrips" (strips of triangles, each ended by -1)
//
// The properties red, green and blue are colours. They may have the prefixes "diffuse_" or "ambient_", or the names r,
// g and b. If faces have no colours, a triangle has the mean colour of its corners. The attributes of the mesh are
//
//   - the normals nx, ny and nz
//   - texture coordinates of vertices (u, v or s, t) and of faces (a list texcoord)
//   - the pictures in the folder of the mesh that "comment TextureFile" names
//   - fields, which are all other numbers of vertices and faces
//
// Other elements are skipped. A number may have any type of the format, even if another type is usual. Faces of more
// than three corners are divided into triangles. The format does not define an up axis; it is taken to be +z.
//
// In a text each row is a line. The text is read word by word only if the first rows show that they are not lines.
//
// A lenient read leaves out a damaged face with a warning. If a file ends early, the mesh has all rows that are
// complete. The reader does not trust the counts in the header: it allocates memory only for rows that it has read.
package ply
