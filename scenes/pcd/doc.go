// Package pcd reads PCD, the point clouds of the Point Cloud Library.
//
// A file is a header of lines, FIELDS, SIZE, TYPE, COUNT, WIDTH, HEIGHT, POINTS and DATA, and the points, in ASCII, in
// binary with the low byte first, or column by column packed by LZF (binary_compressed). rgb and rgba are colours, in the bytes of one number; all other fields but x, y, z and
// normals become fields of the mesh. Points without a place are NaN and not
// drawn. The up axis is +z: the format says nothing.
//
// Points are drawn as octahedra, see package indexed. Counts in the header are never believed before the points are there.
package pcd
