// Package hidden finds the deferred polygons that may be visible in a tile row of a frame, because they are not behind
// the samples that are drawn there.
//
// A tile row is a row of tiles (see package tile). A deferred polygon is drawn after the others, or not at all. Three
// kinds are deferred: back faces, other polygons that are predicted to be hidden, and groups of triangles.
//
// # Back faces
//
// Half of the triangles of a closed surface face away from the eye, and nearly all of them are hidden. If spans are
// stored and both faces are drawn, the geometry loop defers small back faces (array.Deferred): up to 64 samples wide
// and high, in at most four tile rows. For every tile row that such a face touches, the loop writes one box with a
// bound of the face's nearness (array.NearestBound has the proof). The span store stores boxes like spans.
//
// A tile row is first drawn without the deferred faces. Then a [Table] holds the farthest depth in each cell of 8 x 8
// samples, and in windows of 2, 4 and 8 cells. Two look-ups are enough for any box. A box that may be nearer than
// these depths is compared with the samples. If it may be nearer than one of them, its triangle goes through geometry,
// scan conversion and z-buffer for this tile row only. A sample of equal nearness does not hide a face, because the
// key with the smaller number wins then.
//
// The picture is the same as without deferral, because keys merge by maximum. The counts do not depend on the number
// of workers, because everything else is drawn first, and the triangles found are sorted by number. A deferred
// triangle counts as drawn, whether it is visible or not. Spans, pixels and iterations of loops count only the rows in
// which it was really drawn.
//
// # Other polygons and groups
//
// Other polygons are deferred if the frame before shows that they are probably hidden. A [Grid] keeps that frame's
// tables, and [Taking.Take] compares the polygons of a block with them between geometry and scan conversion. Polygons
// behind the farthest samples of all their cells become boxes; the others stay. If the camera stands still, hardly any
// of these boxes turns out to be visible. If the camera or the mesh has changed, some do, which costs time but changes
// no pixel.
//
// Groups of triangles are deferred in the same way, see package frame. The boxes of a group enclose all of its
// triangles, and are not compared with samples.
//
// # Limits
//
// All polygons are drawn at once in these cases:
//
//   - The mesh has translucent materials or more than two million triangles.
//   - The frame is traced, or its blocks are timed.
//   - Only a part of the frame is drawn.
//
// The boxes of a worker take at most 32 MiB of address space. For that, a deferred back face must lie in fewer than
// four tile rows if the mesh has more than half a million triangles. Any other deferred polygon must lie in fewer than
// eight tile rows if the mesh has more than a quarter of a million triangles.
package hidden
