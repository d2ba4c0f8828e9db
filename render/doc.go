// Package render turns meshes into pictures on the processor's vector lanes
// and cores.
//
// Conventions. Pixel (i, j) counts from the top left and has its centre at
// (i+1/2, j+1/2). Screen coordinates are fixed point with 8 fractional bits.
// A pixel belongs to a triangle when its centre lies inside the snapped
// triangle by the top-left rule, decided exactly. Nearness e grows towards
// the eye; the nearest polygon wins a pixel, at equal nearness the one with
// the smaller payload. Colours are sRGB outside and linear light inside.
//
// A picture depends on the mesh, the camera and the options that name what is
// drawn (size, samples, shading, culling, colours) and on nothing else: the
// number of workers, the instruction set, the balancing policy and the block
// size leave every bit of it alone.
package render
