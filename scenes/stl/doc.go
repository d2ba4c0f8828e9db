// Package stl reads and writes STL, the format of 3D printing and of most CAD exports.
//
// A binary file has a header of 80 bytes without a fixed meaning, the number of triangles, and a record of 50 bytes for
// each triangle. A text, "ASCII STL", is a list of facets between "solid" and "endsolid", in any case and with any
// white space. Each solid is a part of the mesh. Whether a file is a text follows from its size and contents, because
// some binary files also start with "solid". See Format and Detect.
//
// A regular binary file is read in parallel, or stays on disk as a File whose blocks are read one by one. Texts, and
// streams of either kind, are read from front to back.
//
// Binary files may have colours, by the convention of Magics or by that of VisCAM. Colours are used if it is clear
// which convention the file follows. In some files, the attribute of each facet is the number of bytes that follow the
// facet; these bytes are skipped.
//
// A lenient read trusts the size of a file more than the number in its header, ignores bytes after the last triangle,
// and leaves out damaged facets. It warns about each of these. The up axis is +z.
package stl
