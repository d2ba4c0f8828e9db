// Package format is what readers of mesh formats are made of, and chooses the
// reader of a file. Those who only want a mesh of a file call package load.
//
// A Format recognises the files of one format by their first bytes and reads
// them from an Input. Read, ReadFile and Open choose the most likely of several
// formats and unpack files that are packed; names of files decide nothing.
//
// A new format is a package with a Format and a line in package load. The
// example of this package is one. Its reader uses what an Input offers:
//
//   - Fill, ReadAt and ReadAll read the file, report progress and end with the
//     context;
//   - Warnings collects damage, or makes errors of it in a strict read;
//   - Builder collects triangles, keeps within the limits of scenes.ReadOptions, and
//     makes the mesh and its report; Allow asks for other memory that grows with the
//     mesh;
//   - Repeated and Budget bound what a small file makes by naming the same thing
//     again and again; Once keeps what was made of it;
//   - OpenBeside opens files that the mesh names, of its own folder alone.
//
// A reader keeps the promises about damaged files that the comment of package
// scenes makes: it is lenient unless told otherwise, and its memory stays in
// proportion to the bytes that were really read.
package format
