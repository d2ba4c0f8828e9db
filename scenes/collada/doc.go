// Package collada reads Collada 1.4 and 1.5 (.dae). It reads:
//
//   - the visual scene, its nodes with all of their transforms, and instances of nodes and geometries
//   - triangles, polygons with holes, strips and fans
//   - normals, colours and texture coordinates
//   - the diffuse colours and textures of materials
//
// Skins are drawn in the pose of their joints, and morphs in their base shape. Animations, cameras, lights, curves,
// lines and physics are not drawn. The up axis and the unit are those of the file.
//
// A lenient read leaves out everything that refers to a missing element, with a warning. The reader does not allocate
// memory by counts in the file: lists have as many numbers as the file contains.
package collada
