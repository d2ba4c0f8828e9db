// Package gltf reads and writes glTF 2.0, the format of scenes on the web: JSON documents (.gltf) and binary containers
// with such a document (.glb).
//
// It draws the meshes of the nodes of the default scene:
//
//   - triangles, strips and fans, with or without indices, of numbers of any type, normalised, quantised or sparse
//   - skins, in their bind pose or in the pose of their nodes
//   - morph targets, with their default weights or the weights at the chosen time of an animation
//   - normals, the first set of colours, and the texture coordinates of the base colour
//   - materials with base colour, emission, finish, texture, alpha mode and sides
//   - points as octahedra, and lines as rods
//
// Buffers and pictures are embedded in the file, or are files in the folder of the mesh or below it. Cameras and lights
// are not drawn. The up axis is +y, and the unit is the metre.
//
// A file may require these extensions: quantised meshes, transforms of textures, instances, textures in WebP and KTX 2,
// buffers compressed by meshoptimizer (see package meshopt), primitives compressed by Draco (see package draco), and
// all extensions that only refine materials and lights. A file that requires another extension is refused with the name
// of that extension.
//
// Everything that a document claims is checked against the bytes that exist before it is used. A lenient read leaves
// out a damaged primitive and adds a warning.
package gltf
