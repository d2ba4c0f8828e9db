// Package framebuffer holds the keys of a frame: each sample's depth and payload, in 64 bits. Each worker draws into a
// buffer of its own. Package framebuffer has these buffers, the scan conversion that fills them, and the stage that
// merges them, one row of tiles at a time.
package framebuffer
