package cells

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"lockstep/scenes/internal/parallel"
)

var nan = float32(math.NaN())

// faceBits is the number of lower bits in the uint64 that identifies a face of a volume. The upper bits hold the
// number of the cell. The lower bits hold the number of the face within the cell. For a polyhedron, the lower bits
// hold the offset of the face in Grid.Faces.
const faceBits = 32

// faceRange returns the range of Grid.Faces that belongs to cell c.
func (g *Grid) faceRange(c int) (lo, hi uint32) {
	if c >= len(g.FaceEnds) {
		return 0, 0
	}
	if c > 0 {
		lo = g.FaceEnds[c-1]
	}
	return lo, g.FaceEnds[c]
}

// hasWholeFaces reports whether the faces of a polyhedron are complete and all their corners exist.
func (g *Grid) hasWholeFaces(c int) bool {
	lo, hi := g.faceRange(c)
	if lo == hi {
		return false
	}
	rest := g.Faces[lo+1 : hi]
	for range g.Faces[lo] {
		if len(rest) == 0 || rest[0] < 3 || uint64(rest[0]) >= uint64(len(rest)) {
			return false
		}
		for _, v := range rest[1 : 1+rest[0]] {
			if uint64(v) >= uint64(g.N) {
				return false
			}
		}
		rest = rest[1+rest[0]:]
	}
	return true
}

// volumeCorners returns the corners of a volume. Corners of a polyhedron occur once for each face.
func (g *Grid) volumeCorners(c int) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		if g.Types[c] == Polyhedron {
			for _, of := range g.polyhedronFaces(c) {
				for _, v := range of {
					if !yield(v) {
						return
					}
				}
			}
			return
		}
		for _, v := range g.cellCorners(c)[:kinds[g.Types[c]].corners] {
			if !yield(v) {
				return
			}
		}
	}
}

// polyhedronFaces returns the faces of a polyhedron: the offset in Grid.Faces, and the corners.
func (g *Grid) polyhedronFaces(c int) iter.Seq2[uint32, []uint32] {
	return func(yield func(uint32, []uint32) bool) {
		at, _ := g.faceRange(c)
		n := g.Faces[at]
		at++
		for range n {
			end := at + 1 + g.Faces[at]
			if !yield(at, g.Faces[at+1:end:end]) {
				return
			}
			at = end
		}
	}
}

// faceCorners returns the corners of a face of a volume, appended to `to`.
func (g *Grid) faceCorners(face uint64, to []uint32) []uint32 {
	c, at := int(face>>faceBits), uint32(face)
	if g.Types[c] == Polyhedron {
		return append(to, g.Faces[at+1:at+1+g.Faces[at]]...)
	}
	of := g.cellCorners(c)
	for _, at := range kinds[g.Types[c]].faces[at] {
		to = append(to, of[at])
	}
	return to
}

// visitFaces calls `do` with each face of each volume and with the least number of a point of that face.
func (g *Grid) visitFaces(do func(face uint64, least uint32)) {
	for c, t := range g.Types {
		k := &kinds[t]
		if k.dimension != 3 {
			continue
		}
		if t == Polyhedron {
			for at, of := range g.polyhedronFaces(c) {
				do(uint64(c)<<faceBits|uint64(at), slices.Min(of))
			}
			continue
		}
		of := g.cellCorners(c)
		for i, face := range k.faces {
			least := of[face[0]]
			for _, at := range face[1:] {
				least = min(least, of[at])
			}
			do(uint64(c)<<faceBits|uint64(i), least)
		}
	}
}

// A key identifies a face by its four corners with the lowest numbers, in ascending order. For a triangle, the fourth
// number is math.MaxUint32. Two faces with more than four corners count as equal if these four corners are equal.
type key [4]uint32

func (g *Grid) faceKey(face uint64, room []uint32) (k key) {
	of := g.faceCorners(face, room)
	slices.Sort(of)
	k[3] = math.MaxUint32
	copy(k[:], of)
	return k
}

// outerFaces returns the faces that belong to only one volume, in the order of the cells. It sorts all faces by their
// lowest corner. Then it compares only faces with the same lowest corner.
func (b *builder) outerFaces() ([]uint64, error) {
	g := b.g
	faces := int64(0)
	g.visitFaces(func(uint64, uint32) { faces++ })
	if faces == 0 {
		return nil, nil
	}
	if err := b.In.Allow(0, b.mesh.Held()+faceBytes*faces+8*int64(g.N)); err != nil {
		return nil, err
	}
	ends := make([]int, g.N+1) // for each point, where its faces end in list
	g.visitFaces(func(_ uint64, least uint32) { ends[least]++ })
	sum := 0
	for i, n := range ends {
		ends[i] = sum
		sum += n
	}
	list := make([]uint64, faces)
	g.visitFaces(func(face uint64, least uint32) {
		list[ends[least]] = face
		ends[least]++
	})
	const piece = 1 << 14 // number of points that a goroutine handles at once
	pieces := (g.N + piece - 1) / piece
	found := make([][]uint64, pieces)
	err := parallel.For(b.In.Context(), parallel.Workers(b.In.Options.Workers, pieces), pieces, func(_, i int) error {
		lo := 0
		if i > 0 {
			lo = ends[i*piece-1]
		}
		var s uniqueFaces
		for v := i * piece; v < min(g.N, (i+1)*piece); v++ {
			s.add(g, list[lo:ends[v]])
			lo = ends[v]
		}
		found[i] = s.list
		return nil
	})
	if err != nil {
		return nil, err
	}
	outer := slices.Concat(found...)
	slices.Sort(outer)
	return outer, nil
}

// uniqueFaces collects the faces that occur only once.
type uniqueFaces struct {
	list []uint64
	keys []keyedFace
	room [16]uint32
}

type keyedFace struct {
	key  key
	face uint64
}

// add adds those of the given faces that occur only once among them. All given faces must have the same lowest
// corner.
func (s *uniqueFaces) add(g *Grid, faces []uint64) {
	s.keys = s.keys[:0]
	for _, f := range faces {
		s.keys = append(s.keys, keyedFace{g.faceKey(f, s.room[:0]), f})
	}
	slices.SortFunc(s.keys, func(a, b keyedFace) int {
		return cmp.Or(slices.Compare(a.key[:], b.key[:]), cmp.Compare(a.face, b.face))
	})
	for i := 0; i < len(s.keys); {
		j := i + 1
		for j < len(s.keys) && s.keys[j].key == s.keys[i].key {
			j++
		}
		if j == i+1 {
			s.list = append(s.list, s.keys[i].face)
		}
		i = j
	}
}
