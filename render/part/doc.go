// Package part draws parts of frames: for the nodes of a cluster, which share a frame, and for pictures that are too
// large for memory or for one render.Renderer.
//
// # Parts for several machines
//
// Each machine draws the blocks of the mesh that it owns into a [Layer], see [DrawLayer], and [Light] lights some rows of
// the picture from what all layers hold there. The pictures are those of Renderer.Frame, bit for bit, whoever owns which
// blocks and rows: merging keeps the nearest key of each sample, in whatever order layers come.
//
// # Pictures larger than memory
//
// [Bands] draws a picture in bands of rows, of which one is held at a time. Up to render.MaxPixels samples each way the
// bands are those of one picture, the same bits for any height of bands, as [DrawRows] gives them. Larger pictures are
// also cut into pages of a fixed size, each with a view of its own. Where pages meet, a corner's places in the two may lie
// a sixty-fourth of a pixel apart, because float32 is no finer at such a distance from the middle. The size of pages does
// not depend on memory, so a picture has the same bits for any BandOptions.Memory.
package part
