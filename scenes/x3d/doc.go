// Package x3d reads X3D in XML (.x3d) and in its classic form (.x3dv), and VRML 2 (.wrl): groups and transforms, nodes that
// are used again, sets of faces, triangles and quads with or without indices, boxes, spheres, cones, cylinders, grids of
// heights, sets of lines and points, colours of corners and faces, normals, texture coordinates, and the colours, transparency and textures of
// materials. The up axis is +y.
//
// Other files (Inline), prototypes, arcs, texts and everything that moves are not drawn; of levels of detail the
// first is. VRML 1 and binary X3D are refused by name.
//
// In a lenient read what refers to something that is not there is left out with a warning.
package x3d
