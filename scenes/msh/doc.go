// Package msh reads the meshes of Gmsh (.msh), versions 2 and 4.1, in ASCII and in binary of both byte orders.
//
// Drawn are triangles and quadrangles, and of volumes the faces that belong to one element alone; of curved elements
// their corners. Elements of two dimensions that are faces of volumes, as Gmsh writes the boundaries of a solid, are not
// drawn again. Numbers of nodes and elements become fields, those of several components their length by their name, and
// each component; so do the numbers of the entities that elements lie on (geometrical) and, in version 2, of physical
// groups (physical). Lines and points are drawn where they are no outlines of surfaces. The up axis is +z: the format says nothing.
//
// In a lenient read what stands before damage is drawn, with a warning. Counts allocate nothing before the numbers are
// there.
package msh
