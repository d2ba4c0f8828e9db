// Package stl reads and writes STL, the format of 3D printing and of most CAD
// exports.
//
// A binary file is a header of 80 free bytes, the number of triangles, and a
// record of 50 bytes a triangle. A text, "ASCII STL", is a list of facets between
// "solid" and "endsolid", in any case and with any white space; each solid is a
// part of the mesh. Which of them a file is, its size and its contents tell:
// binary files begin with "solid" too. See Format and Detect.
//
// A regular binary file is read in parallel, or stays on disk as a File whose
// blocks are read when they are asked for. Texts, and streams of either kind, are
// read front to back.
//
// Binary files may have colours, by the convention of Magics or that of VisCAM;
// they are believed where the file leaves no doubt which one it is. Where the attribute of
// each facet is the number of bytes that follow it, these are stepped over.
//
// In a lenient read the size of a file is believed rather than the number in its
// header, bytes behind the last triangle are ignored, and damaged facets are left
// out, each with a warning. The up axis is +z.
package stl
