// Package part draws parts of frames, for nodes that share a frame and for pictures that are too large for one
// renderer.
//
// # Parts for several machines
//
// Each machine draws the blocks of the mesh that it owns into a [Layer], see [DrawLayer]. [Light] then lights some rows
// of the picture from the same rows of all layers. The pictures are the same as those of Renderer.Frame, bit for bit,
// whichever machine owns which blocks and rows. Each sample shows the nearest surface of all layers, and the order of
// the layers does not change which surface that is.
//
// # Pictures larger than memory
//
// [Bands] draws a picture in bands of rows and holds one band at a time. A picture of at most render.MaxPixels samples
// horizontally and vertically has one view. The bits of such a picture do not depend on the height of the bands, see
// [DrawRows].
//
// Larger pictures are also cut into pages of a fixed size, each with its own view. A triangle at the border of two
// pages is drawn in both views, so each of its corners has two positions. The two positions may differ by a
// sixty-fourth of a pixel, because float32 has no more precision so far from the centre. The size of pages does not
// depend on memory, so a picture has the same bits for any BandOptions.Memory.
package part
