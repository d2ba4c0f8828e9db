// Package scenes brings triangle meshes to a renderer: it reads files,
// generates procedural data sets, and holds triangles in structure-of-arrays
// form.
//
// # Conventions
//
// Coordinates are in the units of the file, right-handed. A triangle whose
// corners run counter-clockwise seen from outside shows its front. Normals
// stored in files are ignored: the order of the corners decides. Colours are
// sRGB, 0x00RRGGBB.
//
// # Meshes and sources
//
// A Source hands out blocks of BlockSize triangles by index, to any number of
// goroutines at once, each into a Block that it uses again and again. Three
// types are sources:
//
//   - Mesh, a data set in memory: blocks are views, nothing is copied;
//   - STLFile, a binary STL file on disk: blocks are read and decoded when
//     asked for, so a file larger than memory streams through a few hundred
//     kilobytes a goroutine;
//   - Scene, a procedural data set: blocks are computed when asked for.
//
// Block i holds the same triangles whoever asks, however often, on every
// machine.
//
// # Damaged files
//
// Read, ReadFile and OpenSTL are lenient unless told otherwise: they deliver
// every triangle that is whole and report one warning for each damage, with
// its place in the file. With ReadOptions.Strict the first of what would have
// been warnings is a *DamageError instead, so a strict read succeeds exactly
// if a lenient one has no warnings. What is not a mesh at all is
// ErrUnknownFormat either way, and damage that leaves not one whole triangle
// is a *DamageError either way. Memory stays in proportion to the bytes that
// were really read, whatever a header claims.
package scenes
