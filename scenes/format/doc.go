// Package format has the building blocks of readers of mesh formats, and chooses the reader of a file. Package load is
// simpler for programs that only want the mesh in a file.
//
// A Format recognises the files of one format by their first bytes and reads them from an Input. Read, ReadFile and
// Open choose the most likely of several formats, and unpack packed files. The name of a file does not matter.
//
// A new format is a package with a Format and a line in package load. The example of this package shows one. Its reader
// uses the methods of Input and the types of this package:
//
//   - Fill, ReadAt and ReadAll read the file, report progress, and fail when the
//     context ends;
//   - Warnings collects damage, or turns it into errors if the read is strict;
//   - Builder collects triangles, checks the limits of scenes.ReadOptions, and
//     makes the mesh and its report; Allow checks the limits for other memory that
//     grows with the mesh;
//   - Repeated and Budget limit the triangles and the work that a small file causes
//     by naming the same thing again and again; Once makes such a thing only once;
//   - OpenBeside opens other files that the mesh names, but only in its own folder.
//
// A reader must do with damaged files what the comment of package scenes says: it is lenient by default, and its memory
// is proportional to the bytes that it has read.
package format
