// Package vtk reads the files of VTK, which solvers write and ParaView shows: legacy files (.vtk), XML files (.vtp,
// .vtu, .vti, .vtr, .vts and their parallel forms), collections of time steps (.pvd) and of blocks (.vtm).
//
// It draws polygons, triangle strips and cells of two dimensions, and those faces of volumes that belong to one cell
// only. Of curved cells it only uses the corners. Structured grids show their outer faces. Data of points and cells
// become fields: for data of several components, their length and each component, such as U, U:x, U:y and U:z. Arrays
// of three or four bytes are colours. Ghost cells are left out. Lines and vertices are drawn, and points if there is
// nothing else.
//
// Legacy files are read in ASCII and in binary, up to version 5.1. XML files may have arrays as text, in base64 or
// appended (raw or in base64), uncompressed or compressed by zlib or LZ4. The formats do not define an up axis; it is
// taken to be +z.
//
// A lenient read leaves out a damaged array, or the cells that need it, with a warning. Memory is not allocated by
// counts before the data has been read.
package vtk
