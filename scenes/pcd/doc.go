// Package pcd reads PCD, the point clouds of the Point Cloud Library.
//
// A file is a header of lines (FIELDS, SIZE, TYPE, COUNT, WIDTH, HEIGHT, POINTS and DATA) and the points: in ASCII, in
// little-endian binary, or packed column by column with LZF (binary_compressed). A column named rgb or rgba holds
// colours: each byte of a number is one component. x, y, z and the normals have their usual meaning. All other columns
// become fields of the mesh. A point whose coordinates are NaN is not drawn. The format does not define an up axis; it
// is taken to be +z.
//
// Points are drawn as octahedra, see package indexed. The reader does not trust the counts in the header: it allocates
// memory only for points that it has read.
package pcd
