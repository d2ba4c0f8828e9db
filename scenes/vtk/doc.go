// Package vtk reads the files of VTK, which solvers write and ParaView shows: legacy files (.vtk), XML files (.vtp,
// .vtu, .vti, .vtr, .vts and their parallel forms), collections of time steps (.pvd) and of blocks (.vtm).
//
// It draws polygons, triangle strips, cells of two dimensions, and each face of a volume that no other cell shares. Of
// curved cells, it uses only the corners. Of structured grids, it draws the outer faces. Ghost cells are left out.
// Lines and vertices are drawn. Points are drawn if there is nothing else.
//
// Data of points and cells become fields: one field per component, and one for the length if there are several
// components, such as U, U:x, U:y and U:z. Arrays of three or four bytes per entry are colours.
//
// Legacy files are read in ASCII and in binary, up to version 5.1. The arrays of XML files may be text, base64 or
// appended to the XML (raw or in base64), uncompressed or compressed by zlib or LZ4. The formats do not define an up
// axis; it is taken to be +z.
//
// A lenient read leaves out a damaged array, or the cells that need it, with a warning. The reader does not trust
// counts: it allocates memory for data only after it has read the data.
package vtk
