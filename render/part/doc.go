// Package part draws parts of frames: for the nodes of a cluster, which share a frame, and for pictures that are too
// large for memory or for one render.Renderer.
//
// # Parts for several machines
//
// Each machine draws the blocks of the mesh that it owns into a [Layer], see [DrawLayer]. [Light] then lights some
// rows of the picture from the same rows of all layers. The pictures are the same as those of Renderer.Frame, bit for
// bit. They do not depend on who owns which blocks and rows, because merging selects the nearest key of each sample,
// in any order of the layers.
//
// # Pictures larger than memory
//
// [Bands] draws a picture in bands of rows and holds one band at a time. A picture of at most render.MaxPixels samples
// horizontally and vertically has one view. Its bits do not depend on the height of the bands, see [DrawRows].
//
// Larger pictures are also cut into pages of a fixed size, each with its own view. At the border of two pages, the
// positions of a corner in the two views may differ by a sixty-fourth of a pixel; float32 has no more precision so far
// from the centre. The size of pages does not depend on memory, so a picture has the same bits for any
// BandOptions.Memory.
package part
