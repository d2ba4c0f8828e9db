// Package framebuffer has the keys of a frame: private buffers of the workers, scan conversion into them and into what else
// takes spans, and the stage that merges them by rows of tiles.
package framebuffer
