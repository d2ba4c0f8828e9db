// Package ply reads PLY, the polygon format of the Stanford scans.
//
// A PLY file is a header in text, which names elements, the number of each and
// their properties, and then the elements, as text or binary in either byte
// order. Drawn are the elements "vertex" (x, y, z), "face" and "polygon" (a list
// vertex_indices or vertex_index) and "tristrips" (strips of triangles, ended by
// -1). Properties red, green and blue, also with the prefixes "diffuse_" and
// "ambient_" or as r, g and b, are colours: those of faces, or else the mean of
// the colours of a triangle's corners. Attributes of the mesh become the normals
// nx, ny and nz, texture coordinates of vertices (u, v or s, t) and of faces (a list
// texcoord), pictures named by "comment TextureFile" in the folder of the mesh, and
// as fields all other numbers of vertices and faces. Other elements are stepped
// over. Numbers may be of any type that the format has, also where it is not the
// usual one.
//
// Faces of more than three corners are cut into triangles. The up axis is +z: the
// format says nothing.
//
// A row of a text has a line of its own, and is read by words only where the first
// rows show that it has not.
//
// In a lenient read a face that is damaged is left out with a warning, and a
// file that ends early gives what is whole. Counts in the header are never
// believed before the elements are there.
package ply
