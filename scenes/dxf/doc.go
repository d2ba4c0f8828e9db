// Package dxf reads DXF drawings (.dxf), in ASCII and binary, their surfaces: faces (3DFACE), polyface and polygon meshes (POLYLINE) and
// meshes of newer versions (MESH), in blocks that are inserted with all of their transforms too, in the colours of entities
// and layers. The up axis is +z; the unit is that of the drawing, if it has one.
//
// Lines, polylines, arcs and circles are drawn as rods. Splines, ellipses, texts, flat
// fillings and bodies of curved surfaces are not drawn; layers that are off or frozen are.
//
// In a lenient read what refers to something that is not there is left out with a warning. Counts in the file allocate
// nothing.
package dxf
