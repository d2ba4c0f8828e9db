// Package hidden finds the back faces that were deferred and may be visible in front of what a row of tiles of a frame shows.
//
// Of a closed surface half of the triangles face away from the eye, and nearly all of them are hidden. Where spans are
// kept and both faces are drawn, the geometry loop defers small back faces (array.Deferred): up to 64 samples wide and
// high, in at most four rows of tiles. For every row of tiles that such a face touches, the loop writes one box with a
// bound of its nearness (array.NearestBound has the proof). The store of spans keeps boxes as it keeps spans.
//
// A row of tiles is first drawn without the faces that were deferred. Then a [Table] says how near at least everything
// in a cell of 8 x 8 samples is, and the same for windows of 2, 4 and 8 cells, so that any box takes two look-ups. A box
// that may be nearer somewhere is compared with its samples. If it may still be nearer, its triangle goes through
// geometry, scan conversion and z-buffer for this row of tiles alone. Equal nearness hides nothing, since the smaller
// number wins.
//
// The picture is the same as without this, because keys merge by maximum. The counts are the same for any number of
// workers, because everything else is drawn before, and the triangles that were found are ordered by their rows. A
// triangle that was deferred counts as drawn, whether it is visible or not; spans, pixels and iterations of loops count
// only the rows in which it was really drawn.
//
// Groups of triangles are deferred in the same way, see package frame: their boxes are those of all of their triangles, and are
// not compared with samples.
//
// Meshes with sheer materials, traced frames, timed blocks, parts of frames and meshes above two million triangles draw
// back faces with the others. From half a million triangles on, only faces in fewer rows of tiles are deferred, so that
// the boxes of a worker take at most 32 MiB of address space.
package hidden
