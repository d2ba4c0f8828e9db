// Package ply reads and writes PLY, the polygon format of the Stanford scans.
//
// A PLY file starts with a header in text. It names elements, the number of each, and their properties. Then the
// elements follow, as text or binary in either byte order. These elements are drawn: "vertex" (x, y, z), "face" and
// "polygon" (a list vertex_indices or vertex_index), "edge" (vertex1, vertex2) and "tristrips" (strips of triangles,
// each ended by -1). The properties red, green and blue, also with the prefixes "diffuse_" and "ambient_" or as r, g
// and b, are colours. If faces have no colours, a triangle has the mean colour of its corners. The attributes of the
// mesh are the normals nx, ny and nz, texture coordinates of vertices (u, v or s, t) and of faces (a list texcoord),
// the pictures named by "comment TextureFile" in the folder of the mesh, and, as fields, all other numbers of vertices
// and faces. Other elements are skipped. Numbers may be of any type of the format, even if another type is usual.
//
// Faces of more than three corners are cut into triangles. The format does not define an up axis; it is taken to be +z.
//
// A row of a text is one line. Only if the first rows show that this is not so, the text is read word by word.
//
// A lenient read leaves out a damaged face with a warning. If a file ends early, the mesh has what is complete. Counts
// in the header are not trusted before the elements have been read.
package ply
