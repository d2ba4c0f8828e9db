// Package surface lights surfaces: it has the studio lights, materials and what they mirror, ambient occlusion, and the
// colours of pixels whose triangles the z-buffer has found.
//
// As in package kernel, the arithmetic is part of the specification: floating-point operations are rounded one by one,
// in the order written, so that a picture is the same on every processor and for any number of workers.
package surface
