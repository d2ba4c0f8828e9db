// Package threemf reads and writes 3MF, the format of 3D printing: a ZIP archive with a model in XML.
//
// It draws the items of the build of the model. An item is an object of triangles or an object of components. Each
// component places another object by a transform. The other object may be in another part of the archive (production
// extension). Base materials, composites of them, groups of colours, textures, and the highest layer of multiproperties
// become materials, colours and texture coordinates of the mesh. Lattices of beams are drawn; slices and volumes are
// not. The up axis is +z. The unit is that of the model; the default is millimetres.
//
// The model may be in UTF-8 or UTF-16. It is read as a stream, whose length is at most maxExpansion times the size of
// the archive. A lenient read leaves out a damaged triangle with a warning. If a model ends early, the mesh has all
// triangles that are complete.
package threemf
