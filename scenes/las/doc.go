// Package las reads LAS, the point clouds of laser scanners, versions 1.0 to 1.4. Source: ASPRS, LAS Specification
// 1.4-R15.
//
// It reads points of all formats, 0 to 10: their positions, colours, intensities, classes and return numbers. The last
// three become fields of the mesh. Colours have 16 bits per channel, or 8 if the first points use only 8. If all points
// at the start of a file are black, the points before the first that is not black have no colour. LAZ, whose points are
// compressed, is refused with an error that names it. The up axis is +z. The unit is not read, because files state it
// as part of a reference system.
//
// Points are drawn as octahedra, see package indexed. The reader does not trust the counts in the header: it allocates
// memory only for points that it has read.
package las
