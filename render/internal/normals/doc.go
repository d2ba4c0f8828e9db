// Package normals finds the normals of smooth surfaces: averages, at each corner, over the triangles that meet there on its
// side of a crease, packed into 32 bits each.
//
// Floating-point operations are rounded one by one, in the order written, so that normals are the same on every processor
// and for any number of workers.
package normals
