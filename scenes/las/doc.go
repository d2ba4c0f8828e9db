// Package las reads LAS, the point clouds of laser scanners, versions 1.0 to 1.4. Source: ASPRS, LAS Specification 1.4-R15.
//
// Of points of all formats, 0 to 10, the places, colours, intensities, classes and numbers of returns are read; the last three
// become fields of the mesh. Colours have 16 bits a channel, or 8 where a file keeps to these; a cloud whose first points are all
// black has none. LAZ, whose points are compressed, is refused by name. The up axis is +z; the unit is not read: files
// state it as a reference system.
//
// Points are drawn as octahedra, see package indexed. Counts in the header are never believed before the points are there.
package las
