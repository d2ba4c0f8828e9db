// Package surface lights surfaces. It has the studio lights, the materials and their reflections, ambient occlusion,
// and the computation of the colours of pixels whose triangles the z-buffer has found.
//
// As in package kernel, the arithmetic is part of the specification: floating-point operations are rounded one by one,
// in the order written, so that a picture is the same on every processor and for any number of workers.
package surface
