// Package framebuffer holds the keys of a frame: each sample's depth and payload, in 64 bits. It has the workers'
// private buffers, scan conversion into these and into other targets of spans, and the stage that merges the buffers
// tile row by tile row.
package framebuffer
