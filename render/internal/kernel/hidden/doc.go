// Package hidden finds the deferred polygons that may be visible in front of what a tile row of a frame shows.
//
// Half of the triangles of a closed surface face away from the eye, and nearly all of them are hidden. If spans are
// stored and both faces are drawn, the geometry loop defers small back faces (array.Deferred): up to 64 samples wide
// and high, in at most four tile rows. For every tile row that such a face touches, the loop writes one box with a
// bound of the face's nearness (array.NearestBound has the proof). The span store stores boxes like spans.
//
// A tile row is first drawn without the deferred faces. Then a [Table] holds the least nearness of all samples in each
// cell of 8 x 8 samples, and in windows of 2, 4 and 8 cells, so that any box takes two look-ups. If a box may be nearer
// than that somewhere, it is compared with the samples. If it may still be nearer, its triangle goes through geometry,
// scan conversion and z-buffer for this tile row only. Equal nearness does not hide a face, because then the smaller
// number wins.
//
// The picture is the same as without deferral, because keys merge by maximum. The counts do not depend on the number of
// workers, because everything else is drawn first, and the triangles found are sorted by number. A deferred triangle
// counts as drawn, whether it is visible or not; spans, pixels and iterations of loops count only the rows in which it
// was really drawn.
//
// Other polygons are deferred if the frame before shows that they are probably hidden. A [Grid] keeps its tables, and
// [Taking.Take] compares the polygons of a block with them between geometry and scan conversion. Polygons behind the
// farthest samples of all their cells become boxes; the others stay. If the camera stands still hardly any of these
// boxes is visible in the end. If the camera has moved or the mesh is another, some are: that costs time, but no pixel.
//
// Groups of triangles are deferred in the same way, see package frame. The boxes of a group enclose all of its
// triangles, and are not compared with samples.
//
// Meshes with sheer materials, traced frames, timed blocks, parts of frames and meshes above two million triangles draw
// all polygons at once. From half a million triangles on, only back faces in fewer tile rows are deferred, and from a
// quarter of a million on only other polygons in fewer, so that the boxes of a worker take at most 32 MiB of address
// space.
package hidden
