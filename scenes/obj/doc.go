// Package obj reads and writes Wavefront OBJ, the text format that most programs use to exchange meshes.
//
// It reads polygons. "v" has three coordinates and perhaps a colour (red, green and blue from 0 to 1). "f" has corners
// v, v/vt, v//vn or v/vt/vn. Negative numbers count back from the last entry. Polygons of more than three corners, also
// concave ones, are divided into triangles. Lines ("l") are drawn as rods and points ("p") as octahedra. "o" and "g"
// start the parts of the mesh. A line that ends in a backslash continues on the next.
//
// "mtllib" names files of materials. They are opened only in the folder of the mesh and below it. "usemtl" gives the
// next faces a material: its colour Kd, alpha d, texture map_Kd (or map_Ka if that is missing), mask map_d, emission
// and reflection. Colours of vertices take precedence over those of materials. "vn" and "vt" become attributes of the
// mesh. Curves and surfaces are not drawn. The up axis is +y, because most programs use it.
//
// A lenient read leaves out a damaged face with a warning. A face may refer only to vertices before it.
package obj
