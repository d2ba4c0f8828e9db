// Package x3d reads X3D in XML (.x3d) and in its classic form (.x3dv), and VRML 1 and 2 (.wrl). It reads:
//
//   - groups and transforms, and nodes that are used several times
//   - sets of faces, triangles and quads with or without indices
//   - boxes, spheres, cones, cylinders and grids of heights
//   - sets of lines and points
//   - colours of corners and faces, normals and texture coordinates
//   - the colours, transparency and textures of materials
//
// The up axis is +y. Other files (Inline), prototypes, arcs, texts and animations are not drawn. If there are several
// levels of detail, only the first is drawn. Binary X3D is refused with an error that names it.
//
// In VRML 1, nodes set a transform, a material or a list of positions for all shapes that follow in the same Separator.
// The reader walks through such a file in its order. For each shape it makes a Shape node, as in VRML 2, with
// everything that applies to the shape.
//
// A lenient read leaves out everything that refers to something missing, with a warning.
package x3d
