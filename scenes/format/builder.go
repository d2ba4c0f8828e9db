package format

import (
	"fmt"

	"lockstep/scenes"
	"lockstep/scenes/internal/extent"
)

// A Builder collects the triangles of a mesh of unknown size. It fills blocks of growing length, called parts. At the
// end, it copies the parts into one block. Memory never exceeds 72 bytes per triangle, plus the unused rest of the
// last part, which is never touched. The builder checks the limits of its input.
type Builder struct {
	// Extra is the number of bytes per triangle that the reader itself holds until Finish returns. They count towards
	// the memory limit.
	Extra int64

	in       *Input
	parts    []scenes.Block
	capacity int          // capacity of all parts together, in triangles
	last     scenes.Block // last element of parts
	used     int          // number of filled triangles in last
	n        int          // number of filled triangles in all parts
}

// minPart and maxPart limit the capacity, in triangles, of a new part. Within these limits, a new part has room for a
// quarter of the triangles collected so far. So there are few parts, and little memory stays unused.
const (
	minPart = scenes.BlockSize
	maxPart = 1 << 18
)

// NewBuilder returns a builder without triangles.
func (in *Input) NewBuilder() *Builder { return &Builder{in: in} }

// Len returns the number of triangles that were added by Commit.
func (b *Builder) Len() int { return b.n }

// Grow returns a block in which n triangles are free, from index `at` on; 0 < n <= scenes.BlockSize. The caller fills
// them and calls Commit. The error is a *scenes.LimitError.
func (b *Builder) Grow(n int) (block *scenes.Block, at int, err error) {
	if b.last.Len()-b.used < n {
		b.shortenLast()
		more := min(max(b.n/4, minPart), maxPart)
		if err := b.allow(b.n+n, b.capacity+more); err != nil {
			return nil, 0, err
		}
		b.last = scenes.MakeBlock(more)
		b.parts = append(b.parts, b.last)
		b.capacity += more
	} else if most := b.in.Options.MaxTriangles; most > 0 && int64(b.n+n) > most {
		return nil, 0, b.in.Allow(int64(b.n+n), 0)
	}
	return &b.last, b.used, nil
}

// allow checks the limits for memory. It counts a final block of n triangles, and parts with a capacity of `held`
// triangles that exist at the same time.
func (b *Builder) allow(n, held int) error {
	return b.in.Allow(int64(n), scenes.TriangleBytes*(int64(held)+int64(n))+b.Extra*int64(n))
}

// Commit adds the first n of the free triangles that the last call of Grow returned.
func (b *Builder) Commit(n int) {
	b.used += n
	b.n += n
}

// Add adds a triangle. The error is a *scenes.LimitError.
func (b *Builder) Add(corners [3][3]float32) error {
	block, at, err := b.Grow(1)
	if err != nil {
		return err
	}
	block.Set(at, corners)
	b.Commit(1)
	return nil
}

// shortenLast shortens the last part to the triangles that were added.
func (b *Builder) shortenLast() {
	if len(b.parts) > 0 {
		b.parts[len(b.parts)-1] = b.last.Slice(0, b.used)
	}
	b.last, b.used = scenes.Block{}, 0
}

// Finish returns all triangles in one block and empties b. The error is a
// *scenes.LimitError.
func (b *Builder) Finish() (scenes.Block, error) {
	b.shortenLast()
	if err := b.allow(b.n, b.capacity); err != nil {
		return scenes.Block{}, err
	}
	all := scenes.MakeBlock(b.n)
	lo := 0
	for i := range b.parts {
		all.CopyAt(lo, &b.parts[i])
		lo += b.parts[i].Len()
		b.parts[i] = scenes.Block{}
	}
	*b = Builder{in: b.in, Extra: b.Extra}
	return all, nil
}

// Mesh completes the read of a file that contains only triangles. It returns a mesh of all triangles of b, and a report
// for the format called name. It makes one pass over the triangles, and adds a warning if some are not finite.
//
// If there are no triangles, the error is the first damage. Without damage, Mesh adds a warning that there are no
// triangles. Other errors are a *scenes.LimitError, or come from warnings. Like Finish, Mesh empties b.
func (b *Builder) Mesh(name string, warnings *Warnings) (*scenes.Mesh, *scenes.Report, error) {
	if b.n == 0 {
		if err := warnings.First(); err != nil {
			return nil, nil, err
		}
		if err := warnings.Add("its triangles", "there are none"); err != nil {
			return nil, nil, err
		}
	}
	block, err := b.Finish()
	if err != nil {
		return nil, nil, err
	}
	found := extent.Tally{Extent: extent.Empty()}
	for t := range block.Len() {
		finite := true
		for _, p := range block.Triangle(t) {
			finite = found.Add(p[0], p[1], p[2]) && finite
		}
		if !finite {
			found.AddBad(t, false)
		}
	}
	if err := warnings.NotFinite(fmt.Sprintf("triangle %d", found.FirstBad), found.Bad, 0); err != nil {
		return nil, nil, err
	}
	return &scenes.Mesh{Block: block}, &scenes.Report{
		Format: name, Bytes: b.in.Done(),
		Triangles: block.Len(), BadTriangles: found.Bad, Bounds: scenes.BoxOf(found.Lo, found.Hi),
		Warnings: warnings.Lines(),
	}, nil
}
