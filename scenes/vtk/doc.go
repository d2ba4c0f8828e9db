// Package vtk reads the files of VTK, which solvers write and ParaView shows: legacy files (.vtk), those of XML (.vtp,
// .vtu, .vti, .vtr, .vts and their parallel forms), collections of time steps (.pvd) and of blocks (.vtm).
//
// Drawn are polygons, triangle strips and cells of two dimensions; of volumes the faces that belong to one cell alone;
// of curved cells their corners. Structured grids show their outer faces. Numbers of points and cells become fields,
// those of several components their length by their name, and each component: U, U:x, U:y, U:z. Arrays of three or
// four bytes are colours. Ghost cells are left out; lines and vertices are drawn, and points where there is
// nothing else.
//
// Legacy files are read in ASCII and in binary up to version 5.1; XML with arrays as text, in base64 and appended, raw
// or in base64, plain and compressed by zlib and LZ4. The up axis is +z: the formats say nothing.
//
// In a lenient read an array that is damaged is left out with a warning, or the cells that it belongs to. Counts
// allocate nothing before the numbers are there.
package vtk
