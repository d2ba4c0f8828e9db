// Package part draws parts of frames: for the nodes of a cluster, which share a frame, and for pictures that are too
// large for memory or for one render.Renderer.
//
// # Parts for several machines
//
// Each machine draws the blocks of the mesh that it owns into a [Layer], see [DrawLayer]. [Light] then lights some rows
// of the picture from what all layers hold there. The pictures are those of Renderer.Frame, bit for bit, whoever owns
// which blocks and rows: merging keeps the nearest key of each sample, in whatever order the layers come.
//
// # Pictures larger than memory
//
// [Bands] draws a picture in bands of rows and holds one band at a time. If the picture has at most render.MaxPixels
// samples each way, the bands are parts of one picture, whose bits do not depend on the height of the bands, see
// [DrawRows]. Larger pictures are also cut into pages of a fixed size, each with a view of its own. At the border of
// two pages, the places of a corner in the two views may differ by a sixty-fourth of a pixel, because float32 is not
// more precise so far from the middle. The size of pages does not depend on memory, so a picture has the same bits for
// any BandOptions.Memory.
package part
