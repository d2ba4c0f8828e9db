// Package msh reads the meshes of Gmsh (.msh), versions 2 and 4.1, in ASCII and in binary of both byte orders.
//
// It draws triangles, quadrangles, and each face of a volume that no other volume shares. Of curved elements, it uses
// only the corners. Gmsh also writes the boundary of a solid as two-dimensional elements; these are not drawn again.
// Lines and points are drawn unless they are outlines of surfaces. The format does not define an up axis; it is taken
// to be +z.
//
// Data of nodes and elements become fields: one field per component, and one for the length if there are several
// components. The field geometrical holds the number of the entity (a part of the CAD model) to which each element
// belongs. In version 2, the field physical holds the number of its physical group.
//
// If a file is damaged, a lenient read draws the elements before the damage and warns. The reader does not trust
// counts: it allocates memory for data only after it has read the data.
package msh
