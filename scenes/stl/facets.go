package stl

import (
	"lockstep/scenes"
	"lockstep/scenes/internal/vector"
)

// facets collects the triangles of a text in float64 and rounds them to
// float32 around an origin.
//
// Single precision has 24 bits. Where coordinates are much larger than the
// mesh, as in maps and plans of buildings, most of them are spent on the
// distance. The origin is chosen once, by the first triangles of the file, so
// that the result does not depend on how it was read: an axis keeps origin
// zero, and thus coordinates equal to float32 of what the file says, unless
// the largest coordinate is more than farAway times the extent of those
// triangles; then its origin is the middle of their extent.
type facets struct {
	head   []facet // the first triangles, until the origin is known
	origin [3]float64
	ready  bool
	mesh   scenes.Builder
	n      int // triangles in head and mesh
	tally  tally
}

// facet is a triangle of the head and the line where it starts.
type facet struct {
	corners [3][3]float64
	line    int
}

const (
	// headSize is how many triangles decide about the origin. Enough that
	// they span more than a detail, and still less than 100 KB.
	headSize = 1024
	// farAway is 2^5: rounding to float32 then costs at most 2^-20 of the
	// extent (2^-25 of the coordinate), 1/256 of a pixel at 4096 pixels, the
	// resolution to which vertices are snapped in a picture that large.
	farAway = 32
)

func (f *facets) init() {
	f.head = make([]facet, 0, headSize)
	f.tally = newTally()
}

// add appends the triangle that starts at the given line.
func (f *facets) add(corners *[3][3]float64, line int) {
	f.n++
	if f.ready {
		f.store(corners, line)
		return
	}
	f.head = append(f.head, facet{*corners, line})
	if len(f.head) == headSize {
		f.flush()
	}
}

// flush chooses the origin and rounds the head.
func (f *facets) flush() {
	if f.ready {
		return
	}
	f.origin = chooseOrigin(f.head)
	f.ready = true
	for i := range f.head {
		f.store(&f.head[i].corners, f.head[i].line)
	}
	f.head = nil
}

// store rounds a triangle. A bad one is tallied with its line for an index.
func (f *facets) store(corners *[3][3]float64, line int) {
	b, at := f.mesh.Grow(1)
	ok := true
	for k := range corners {
		x := float32(corners[k][0] - f.origin[0])
		y := float32(corners[k][1] - f.origin[1])
		z := float32(corners[k][2] - f.origin[2])
		b.X[k][at], b.Y[k][at], b.Z[k][at] = x, y, z
		if !f.tally.Holds(x, y, z) {
			ok = f.tally.Add(x, y, z) && ok
		}
	}
	f.mesh.Commit(1)
	if !ok {
		f.tally.addBad(line)
		if vector.Finite(corners[0]) && vector.Finite(corners[1]) && vector.Finite(corners[2]) {
			f.tally.large++
		}
	}
}

// finish returns the mesh and what is known about it.
func (f *facets) finish() (*scenes.Mesh, *tally) {
	f.flush()
	return &scenes.Mesh{Block: f.mesh.Finish(), Origin: f.origin}, &f.tally
}

// chooseOrigin applies the rule of facets.
func chooseOrigin(head []facet) (origin [3]float64) {
	box := scenes.EmptyBox()
	for i := range head {
		for _, c := range head[i].corners {
			if vector.Finite(vector.Scale(4, c)) { // so that the size is, too
				box = box.Extend(c)
			}
		}
	}
	size := box.Size()
	extent := max(size[0], size[1], size[2])
	if !(extent > 0) {
		return origin
	}
	for c := range origin {
		if max(-box.Min[c], box.Max[c]) > farAway*extent {
			origin[c] = box.Min[c]/2 + box.Max[c]/2
		}
	}
	return origin
}
