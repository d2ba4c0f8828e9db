package groups

import (
	"math"
	"math/bits"

	"lockstep/render/internal/kernel/geometry"
	"lockstep/scenes"
	"lockstep/scenes/leaves"
	"lockstep/vp/isa"
)

// A Sieve collects the triangles of packed groups, except those that are so small that they cover no sample, see
// geometry.Small. A Sieve is for one worker.
type Sieve struct {
	Block   scenes.Block // the collected triangles, in its first Len triangles
	Numbers []uint32     // numbers of the collected triangles in the mesh; undefined if numbered was false in Begin
	Read    int          // number of triangles that were examined since Begin
	Kept    int          // number of examined triangles that were collected

	small    geometry.Small
	groups   *Groups
	numbered bool
	n        int
	waiting  []int32      // groups that were added and are not examined yet
	scratch  scenes.Block // memory for a Stored
	part     scenes.Block // a part of Block; a field, because a local variable would escape
	list     [maxRun + geometry.SmallAhead]leaves.Group
	covering [maxRun]uint64
	visit    func(run []int32, packed []leaves.Group)
}

// Begin prepares for a frame. numbered says whether the numbers of triangles are needed. The sieve gets room for the
// given number of triangles and for all groups that may be waiting. So Collect may be called as long as the sieve holds
// fewer triangles than the given number.
func (s *Sieve) Begin(level isa.Level, v *geometry.View, g *Groups, numbered bool, triangles int) {
	s.groups, s.numbered, s.n, s.Read, s.Kept = g, numbered, 0, 0, 0
	s.waiting = s.waiting[:0]
	s.small.Begin(level, v)
	triangles += maxWaiting * Size
	if s.Block.Len() < triangles {
		s.Block, s.Numbers = scenes.MakeBlock(triangles), make([]uint32, triangles)
	}
	if colored := g.hasColors(); colored && s.Block.Colors == nil {
		s.Block.Colors = make([]uint32, s.Block.Len())
	} else if !colored {
		s.Block.Colors = nil
	}
	if s.visit == nil {
		s.visit = s.add
	}
}

// End ends a frame and drops its mesh, so that the mesh can be garbage collected.
func (s *Sieve) End() {
	s.small.End()
	s.groups, s.part = nil, scenes.Block{}
	clear(s.list[:])
}

// hasColors reports whether triangles have colours.
func (g *Groups) hasColors() bool {
	if g.Stored != nil {
		return g.Stored.HasColors()
	}
	return g.Mesh.Colors != nil
}

// numTriangles returns the number of triangles.
func (g *Groups) numTriangles() int {
	if g.Stored != nil {
		return g.Stored.Len()
	}
	return g.Mesh.Len()
}

// Len returns the number of collected triangles.
func (s *Sieve) Len() int { return s.n }

// Reset drops the collected triangles.
func (s *Sieve) Reset() { s.n = 0 }

// Add adds groups, which must be in ascending order. If Collect must be called first, Add adds nothing and returns
// false. Right after Collect, Add always returns true.
func (s *Sieve) Add(groups []int32) bool {
	if n := len(s.waiting); n > 0 && len(groups) > 0 && (n+len(groups) > maxWaiting || groups[0] <= s.waiting[n-1]) {
		return false
	}
	s.waiting = append(s.waiting, groups...)
	return true
}

// Collect collects the triangles of the groups that were added since its last call. It returns an error if the groups
// cannot be read from their file.
func (s *Sieve) Collect() error {
	first, waiting := s.n, s.waiting
	s.waiting = s.waiting[:0]
	if err := s.groups.eachRun(waiting, s.list[:maxRun], &s.scratch, s.visit); err != nil {
		return err
	}
	s.Kept += s.n - first
	numbers := s.Numbers[first:s.n]
	if s.groups.Stored != nil {
		s.part = s.Block.Slice(first, s.n)
		return s.groups.Stored.Pick(&s.part, numbers, s.numbered, &s.scratch)
	}
	if colors := s.Block.Colors; colors != nil {
		for i, t := range numbers {
			colors[first+i] = s.groups.Mesh.Colors[t]
		}
	}
	if s.numbered && s.groups.Numbers != nil {
		for i, t := range numbers {
			numbers[i] = s.groups.Numbers[t]
		}
	}
	return nil
}

// add collects triangles of a run of groups. If the groups cannot be read, their triangles are collected with NaN
// coordinates, so that they are counted as dropped.
func (s *Sieve) add(run []int32, packed []leaves.Group) {
	s.small.Cover(packed, s.covering[:])
	for i, group := range run {
		size := min(Size, s.groups.numTriangles()-int(group)*Size)
		s.Read += size
		all := uint64(math.MaxUint64) >> (Size - size)
		end := s.n
		if packed == nil {
			end = s.addDropped(size)
		} else if all &= s.covering[i]; all != 0 {
			end = packed[i].Unpack(&s.Block, s.n, all)
		}
		for t := s.n; t < end; t++ {
			s.Numbers[t] = uint32(group)*Size + uint32(bits.TrailingZeros64(all))
			all &= all - 1
		}
		s.n = end
	}
}

// addDropped collects triangles with NaN coordinates.
func (s *Sieve) addDropped(triangles int) (end int) {
	none := float32(math.NaN())
	for t := range triangles {
		s.Block.Set(s.n+t, [3][3]float32{{none, none, none}, {none, none, none}, {none, none, none}})
	}
	return s.n + triangles
}
