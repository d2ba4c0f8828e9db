// Package amf reads AMF (.amf), the additive manufacturing file format 1.1 and 1.2 in XML, which may be zipped as the
// standard allows. It reads objects, constellations of objects, names and the unit. Colours may belong to materials,
// objects, volumes, vertices or triangles.
//
// Curved triangles are drawn flat. Textures, formulas of colours and graded materials are not drawn. The up axis is +z;
// the default unit is millimetres.
//
// A lenient read leaves out everything that refers to something missing, with a warning.
package amf
