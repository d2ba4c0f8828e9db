// Package threemf reads 3MF, the format of 3D printing: a ZIP archive with a model in
// XML.
//
// Drawn are the items that the model builds: objects of triangles, and components that
// place other objects by transforms, also those of other parts of the archive
// (production extension). Base materials, composites of them, groups of colours, textures
// and the highest layer of properties of several groups become materials, colours and texture
// coordinates of the mesh. Lattices of beams are drawn; slices and volumes are not drawn. The up
// axis is +z; the unit is that of the model, millimetres where it does not say.
//
// The model may be in UTF-8 or UTF-16. It is read as a stream, of at most maxExpansion times the bytes of the
// archive. In a lenient read a triangle that is damaged is left out with a warning, and
// a model that ends early gives what is whole.
package threemf
