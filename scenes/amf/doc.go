// Package amf reads AMF (.amf), the additive manufacturing file format 1.1 and 1.2 in XML, also zipped as its standard
// has it: objects, constellations of them, colours of materials, objects, volumes, vertices and triangles, names and the
// unit.
//
// Curved triangles are drawn flat; textures, formulas of colours and graded materials are not drawn. The up axis is +z; a
// file that says no unit has millimetres.
//
// In a lenient read what refers to something that is not there is left out with a warning.
package amf
