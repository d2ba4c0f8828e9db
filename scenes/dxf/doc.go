// Package dxf reads the surfaces in DXF drawings (.dxf), in ASCII and binary. It reads:
//
//   - faces (3DFACE)
//   - polyface and polygon meshes (POLYLINE)
//   - meshes of newer versions (MESH)
//   - inserts of blocks, with all of their transforms
//   - the colours of entities and layers
//
// The up axis is +z; the unit is that of the drawing, if it has one. Lines, polylines, arcs and circles are drawn as
// rods. Splines, ellipses, texts, flat fillings and bodies of curved surfaces are not drawn. Layers that are off or
// frozen are drawn.
//
// A lenient read leaves out everything that refers to something missing, with a warning. The reader does not allocate
// memory by counts in the file.
package dxf
