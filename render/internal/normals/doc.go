// Package normals finds the normals of smooth surfaces, packed into 32 bits each. The normal at a corner is an average
// over the triangles that meet there on its side of a crease.
//
// Floating-point operations are rounded one by one, in the order written. So normals are the same on every processor
// and for any number of workers.
package normals
