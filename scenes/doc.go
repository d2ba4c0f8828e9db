// Package scenes holds triangle meshes in structure-of-arrays form and brings
// them to a renderer, from memory, from files and from generators. It has the
// shared types; the packages below it do the work:
//
//   - load opens a file of any format, which it finds by the contents, and save writes a file;
//   - stl, ply, obj, off, gltf, threemf, vtk, fbx and others read one format each, and some of them write it;
//   - format has the building blocks of readers, for those who write a reader;
//   - procedural generates data sets by name;
//   - join combines meshes into one, section cuts a mesh, and quality examines it and finds which axis is up.
//
// # Conventions
//
// Coordinates are in the units of the file, right-handed. A triangle whose
// corners run counter-clockwise for a viewer shows this viewer its front. Only the
// order of the corners decides, not the normals. Colours are sRGB, 0x00RRGGBB.
//
// # Meshes and sources
//
// A Source delivers blocks of BlockSize triangles by index, to any number of
// goroutines at once. Each goroutine passes its own Block and reuses it. Block i
// holds the same triangles in every call and on every machine. There are three
// kinds of sources:
//
//   - a Mesh is in memory, and its blocks are views of this memory;
//   - a Stream stays in its file: a block is read and decoded when it is
//     requested, so even a file larger than memory needs only a few hundred
//     kilobytes per goroutine;
//   - a procedural.Scene computes a block when it is requested.
//
// Mesh.Attributes holds everything else that a file says about a surface: shared vertices, normals, colours and texture
// coordinates of corners, materials. Only a Mesh has attributes. Pictures with flat shading do not use them.
//
// Load reads a source into a Mesh. ForEachBlock visits the blocks of a source on all cores. Bounds finds the bounding
// box of a source.
//
// # Damaged files
//
// Readers are lenient by default: they deliver every complete triangle and report one warning for each damage, with its
// place in the file. With ReadOptions.Strict, the first damage is a *DamageError instead of a warning, so a strict read
// succeeds exactly if a lenient read has no warnings. In both kinds of read, the error is ErrUnknownFormat if the input
// is not a mesh at all, and a *DamageError if the damage leaves no complete triangle.
//
// The memory that a reader uses is proportional to the bytes that it has read,
// whatever a header claims, and at most ReadOptions.MaxMemory. If a mesh needs
// more, the error is a *LimitError.
package scenes
