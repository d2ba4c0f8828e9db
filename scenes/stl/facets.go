package stl

import (
	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/origin"
	"lockstep/scenes/internal/vector"
)

// A facetCollector collects the triangles of a text in float64, and rounds them to float32 relative to an origin. The
// first triangles determine the origin (see package origin). So the result does not depend on how the text is divided
// into chunks.
type facetCollector struct {
	head   []facet // first triangles, kept until the origin is chosen
	origin [3]float64
	ready  bool
	mesh   *format.Builder
	n      int // number of triangles in head and mesh
	tally  tally
}

// A facet is one of the first triangles, and the number of the line where it starts.
type facet struct {
	corners [3][3]float64
	line    int
}

func (f *facetCollector) init(in *format.Input) {
	f.mesh = in.NewBuilder()
	f.head = make([]facet, 0, origin.SampleSize)
	f.tally = newTally()
}

// add adds a triangle that starts at the given line.
func (f *facetCollector) add(corners *[3][3]float64, line int) error {
	f.n++
	if f.ready {
		return f.store(corners, line)
	}
	f.head = append(f.head, facet{*corners, line})
	if len(f.head) == origin.SampleSize {
		return f.flush()
	}
	return nil
}

// flush chooses the origin, and moves the first triangles to the mesh.
func (f *facetCollector) flush() error {
	if f.ready {
		return nil
	}
	f.origin = origin.Choose(func(yield func([3]float64) bool) {
		for i := range f.head {
			for _, c := range f.head[i].corners {
				if !yield(c) {
					return
				}
			}
		}
	})
	f.ready = true
	for i := range f.head {
		if err := f.store(&f.head[i].corners, f.head[i].line); err != nil {
			return err
		}
	}
	f.head = nil
	return nil
}

// store rounds a triangle and adds it to the mesh. For the first bad triangle, the tally gets the number of its line in
// place of its index.
func (f *facetCollector) store(corners *[3][3]float64, line int) error {
	b, at, err := f.mesh.Grow(1)
	if err != nil {
		return err
	}
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
	return nil
}

// finish returns the mesh and the tally of its vertices.
func (f *facetCollector) finish() (*scenes.Mesh, *tally, error) {
	if err := f.flush(); err != nil {
		return nil, nil, err
	}
	block, err := f.mesh.Finish()
	return &scenes.Mesh{Block: block, Origin: f.origin}, &f.tally, err
}
