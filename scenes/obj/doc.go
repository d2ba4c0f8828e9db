// Package obj reads Wavefront OBJ, the text format that most programs exchange
// meshes in.
//
// Drawn are the polygons: "v" with three coordinates, and red, green and blue
// from 0 to 1 behind them; "f" with corners v, v/vt, v//vn or v/vt/vn, by
// positive or negative numbers. Polygons of more than three corners, concave ones
// too, are cut into triangles. "o" and "g" begin the parts of the mesh. Lines that
// end in a backslash go on.
//
// "mtllib" names files of materials, which are looked for in the folder of the
// mesh and below it, never elsewhere; "usemtl" gives faces a material with its
// colour Kd, alpha d, texture map_Kd, or else map_Ka, and mask map_d. Colours of vertices come before those of
// materials. "vn" and "vt" become attributes of the mesh. Curves and surfaces are
// not drawn. The up axis is +y, as most programs write it.
//
// In a lenient read a face that is damaged is left out with a warning. Faces may
// refer only to vertices in front of them.
package obj
