// Package collada reads Collada 1.4 and 1.5 (.dae): the visual scene, its nodes with all of their transforms, instances
// of nodes and geometries, triangles, polygons with holes, strips and fans, normals, colours, texture coordinates, and
// the diffuse colours and textures of materials.
//
// Skins show the pose of their joints; morphs show their base. Animations, cameras, lights, curves, lines and physics
// are not drawn. The up axis and the unit are those of the file.
//
// A lenient read leaves out what refers to something missing, with a warning. Counts in the file allocate nothing:
// lists have as many numbers as the file contains.
package collada
