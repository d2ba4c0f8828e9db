// Package gltf reads glTF 2.0, the scenes of the web: documents of JSON (.gltf), and
// binary containers of one (.glb).
//
// Drawn are the meshes of the nodes of the default scene, each where its node and
// those above put it: triangles, strips and fans of them, by indices or without.
// Numbers may be of any type, normalised or not, quantised, and sparse. Skins show
// their bind pose or that of their nodes, morph targets their default weights, or those of an animation at a time.
// Buffers and pictures are embedded or lie beside the mesh, in its folder or below
// it. Attributes of the mesh become normals, the first colours, the texture
// coordinates of the base colour and materials with base colour, texture, alpha mode
// and sides. Points are octahedra and lines rods; cameras and lights are not drawn. The up axis
// is +y, the unit is the metre.
//
// Of extensions that a file requires these are known: quantised meshes, transforms of
// textures, instances, textures in WebP and KTX 2, buffers compressed by meshoptimizer (see package
// meshopt), primitives compressed by Draco (see package draco), and all that only refine
// materials and lights. Files that require others are refused with the extension's name.
//
// Everything that a document claims is checked against the bytes that are there
// before it is used. In a lenient read a primitive that is damaged is left out with a
// warning.
package gltf
