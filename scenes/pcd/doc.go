// Package pcd reads PCD, the point clouds of the Point Cloud Library.
//
// A file is a header of lines (FIELDS, SIZE, TYPE, COUNT, WIDTH, HEIGHT, POINTS and DATA) and the points: in ASCII, in
// little-endian binary, or packed column by column with LZF (binary_compressed). rgb and rgba are colours, in the bytes
// of one number. x, y, z and the normals have their usual meaning, and all other columns become fields of the mesh.
// Points without a place are NaN and are not drawn. The format does not define an up axis; it is taken to be +z.
//
// Points are drawn as octahedra, see package indexed. Counts in the header are not trusted before the points have been
// read.
package pcd
