// Package scenes holds triangle meshes in structure-of-arrays form and brings
// them to a renderer, from memory, from files and from generators. It has the
// types that they share; the packages below it have the rest:
//
//   - load opens a file of whatever format, as its contents decide, and save writes one;
//   - stl, ply, obj, off, gltf and threemf read and write one format each;
//   - format has what readers are made of, for those who write one;
//   - procedural generates data sets by name;
//   - join puts meshes into one, section cuts them, quality examines and turns them.
//
// # Conventions
//
// Coordinates are in the units of the file, right-handed. A triangle whose
// corners run counter-clockwise seen from outside shows its front: the order of
// the corners decides, whatever the normals. Colours are sRGB, 0x00RRGGBB.
//
// # Meshes and sources
//
// A Source hands out blocks of BlockSize triangles by index, to any number of
// goroutines at once, each into a Block that it uses again and again. Block i
// holds the same triangles whoever asks, however often, on every machine. There
// are three kinds of sources:
//
//   - a Mesh is in memory: its blocks are views, nothing is copied;
//   - a Stream stays in its file: blocks are read and decoded when they are
//     asked for, so a file larger than memory needs a few hundred kilobytes a
//     goroutine;
//   - a procedural.Scene computes its blocks when they are asked for.
//
// What a file says of a surface besides corners is in Mesh.Attributes: shared
// vertices, normals, colours and texture coordinates of corners, materials. Only a
// Mesh has them; flat pictures, and sources that are not held in memory, do
// without.
//
// Load makes a Mesh of any source, ForEachBlock visits its blocks on all cores,
// and Bounds finds its box.
//
// # Damaged files
//
// Readers are lenient unless told otherwise: they deliver every triangle that
// is whole and report one warning for each damage, with its place in the file.
// With ReadOptions.Strict the first of what would have been warnings is a
// *DamageError instead, so a strict read succeeds exactly if a lenient one has
// no warnings. An input that is no mesh at all is ErrUnknownFormat either way,
// and damage that leaves not one whole triangle is a *DamageError either way.
//
// Memory stays in proportion to the bytes that were really read, whatever a
// header claims, and within ReadOptions.MaxMemory; a mesh that is larger is a
// *LimitError.
package scenes
