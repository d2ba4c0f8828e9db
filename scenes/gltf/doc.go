// Package gltf reads and writes glTF 2.0, the format of scenes on the web: JSON documents (.gltf) and binary containers
// with such a document (.glb).
//
// It draws the meshes of the nodes of the default scene, each placed by its node and the nodes above it. Meshes consist
// of triangles, strips and fans, with or without indices. Numbers may be of any type, normalised, quantised or sparse.
// A skin is drawn in its bind pose or in the pose of its nodes. Morph targets have their default weights, or the
// weights at the chosen time of an animation. Buffers and pictures are embedded in the file, or are files in the folder
// of the mesh or below it. A mesh has normals, its first set of colours, the texture coordinates of its base colour,
// and materials with base colour, emission, finish, texture, alpha mode and sides. Points are drawn as octahedra and
// lines as rods. Cameras and lights are not drawn. The up axis is +y, and the unit is the metre.
//
// A file may require these extensions: quantised meshes, transforms of textures, instances, textures in WebP and KTX 2,
// buffers compressed by meshoptimizer (see package meshopt), primitives compressed by Draco (see package draco), and
// all extensions that only refine materials and lights. A file that requires another extension is refused with the name
// of that extension.
//
// Everything that a document claims is checked against the bytes that exist before it is used. A lenient read leaves
// out a damaged primitive and adds a warning.
package gltf
