// Package msh reads the meshes of Gmsh (.msh), versions 2 and 4.1, in ASCII and in binary of both byte orders.
//
// It draws triangles and quadrangles, and those faces of volumes that belong to one element only. Of curved elements it
// only uses the corners. Gmsh also writes the boundary of a solid as two-dimensional elements; these are not drawn
// again. Data of nodes and elements become fields: for data of several components, their length and each component. The
// numbers of the entities of elements (field geometrical) and, in version 2, of physical groups (field physical) become
// fields too. Lines and points are drawn unless they are outlines of surfaces. The format does not define an up axis;
// it is taken to be +z.
//
// A lenient read draws what comes before damage, with a warning. Memory is not allocated by counts before the data has
// been read.
package msh
