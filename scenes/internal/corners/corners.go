// Package corners builds shapes for package assembly from polygons. Their corners have separate indices for position,
// normal, colour and texture coordinate, as in Collada and FBX. Corners with the same four indices become one vertex.
package corners

import (
	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/polygon"
	"lockstep/scenes/internal/vector"
)

// Lists holds the data to which the indices of corners refer. A list is nil if no corner refers to it.
type Lists struct {
	Positions [][3]float64
	Normals   [][3]float64 // normals may have any length
	Colors    []scenes.RGBA
	TexCoords [][2]float64 // measured from the upper left corner of the picture
}

// A Corner holds an index into each list of Lists, or None.
type Corner struct{ Position, Normal, Color, TexCoord int32 }

// None is the index of a corner that has no entry in a list.
const None = -1

// MaxPolygon is the greatest number of corners of a polygon, the same as in the other readers.
const MaxPolygon = 1 << 16

// A Builder collects the polygons of one geometry.
type Builder struct {
	Lists
	in   *format.Input
	held *int64 // bytes that the reader holds, including those of the builder

	first      []int32 // for each position, its newest vertex; -1: none
	next       []int32 // for each vertex, the previous vertex at the same position; -1: none
	points     []Corner
	slots      []slot
	cutter     polygon.Cutter
	positions  [][3]float64 // positions of the corners of the current polygon
	of         []uint32
	all        []Corner
	bridgeWork int64 // number of pairs of corners that were compared to join holes

	// Dropped counts the polygons that are left out because a corner has no position, or because they have too few or
	// too many corners. Invalid counts corners whose index of a normal, colour or texture coordinate is out of range.
	// Such a corner loses that value.
	Dropped, Invalid int
}

// A slot is the list of triangles of one material.
type slot struct {
	key       int32
	triangles [][3]uint32
}

// New returns a builder without polygons.
func New(in *format.Input, lists Lists, held *int64) (*Builder, error) {
	return new(Scratch).New(in, lists, held)
}

// A Scratch holds memory that several builders use one after the other. Many builders may share a long list of
// positions, although each builder uses only a few positions. With a Scratch, a builder takes memory and time only
// for the positions that it uses.
type Scratch struct {
	first []int32 // entries for Builder.first; all -1 between builders
}

// New returns a builder without polygons. Release must have been called for the builder before.
func (s *Scratch) New(in *format.Input, lists Lists, held *int64) (*Builder, error) {
	b := &Builder{Lists: lists, in: in, held: held}
	n := len(lists.Positions)
	if n > len(s.first) {
		if err := b.reserveMemory(4 * int64(n-len(s.first))); err != nil {
			return nil, err
		}
		s.first = make([]int32, n)
		for i := range s.first {
			s.first[i] = -1
		}
	}
	b.first = s.first[:n]
	return b, nil
}

// Release returns the memory for positions to the Scratch. The builder keeps its triangles, but must not get more
// triangles.
func (b *Builder) Release() {
	for _, c := range b.points {
		b.first[c.Position] = -1
	}
	b.first = nil
}

// reserveMemory adds n to the bytes that the reader holds. It must be called before the memory is allocated. It fails
// if the sum exceeds the limit.
func (b *Builder) reserveMemory(n int64) error {
	if err := b.in.Allow(0, *b.held+n); err != nil {
		return err
	}
	*b.held += n
	return nil
}

// appendCounted appends v to a list whose elements have `size` bytes. It adds new capacity to the bytes that the reader
// holds.
func appendCounted[T any](b *Builder, list *[]T, v T, size int64) error {
	if len(*list) == cap(*list) {
		if err := b.in.Context().Err(); err != nil {
			return err
		}
		more := int64(max(4, cap(*list)))
		if err := b.reserveMemory(size * more); err != nil {
			return err
		}
		grown := make([]T, len(*list), int64(cap(*list))+more)
		copy(grown, *list)
		*list = grown
	}
	*list = append(*list, v)
	return nil
}

// Slot returns the index of the list in which Add collects the triangles of the material with this key.
func (b *Builder) Slot(key int32) int {
	for i := range b.slots {
		if b.slots[i].key == key {
			return i
		}
	}
	b.slots = append(b.slots, slot{key: key})
	return len(b.slots) - 1
}

// Add appends the triangles of a polygon to the list with the index `to`, see Slot.
func (b *Builder) Add(to int, corners []Corner) error {
	if len(corners) < 3 || len(corners) > MaxPolygon {
		b.Dropped++
		return nil
	}
	for _, c := range corners {
		if c.Position < 0 || int(c.Position) >= len(b.Positions) {
			b.Dropped++
			return nil
		}
	}
	b.of, b.positions = b.of[:0], b.positions[:0]
	for _, c := range corners {
		v, err := b.vertex(b.validCorner(c))
		if err != nil {
			return err
		}
		b.of = append(b.of, v)
		b.positions = append(b.positions, b.Positions[c.Position])
	}
	var err error
	b.cutter.Cut(b.positions, func(i, j, k int) {
		if err == nil {
			err = appendCounted(b, &b.slots[to].triangles, [3]uint32{b.of[i], b.of[j], b.of[k]}, 12)
		}
	})
	return err
}

// validCorner returns c with None in place of indices that are out of range.
func (b *Builder) validCorner(c Corner) Corner {
	strange := false
	check := func(i *int32, n int) {
		if *i < 0 {
			*i = None
		} else if int(*i) >= n {
			*i, strange = None, true
		}
	}
	check(&c.Normal, len(b.Normals))
	check(&c.Color, len(b.Colors))
	check(&c.TexCoord, len(b.TexCoords))
	if strange {
		b.Invalid++
	}
	return c
}

// maxChain is the greatest number of vertices at one position with which a corner is compared. Only damaged files have
// more vertices at a position.
const maxChain = 64

// vertex returns the vertex of a corner. It makes the vertex if it does not exist.
func (b *Builder) vertex(c Corner) (uint32, error) {
	tries := 0
	for i := b.first[c.Position]; i >= 0 && tries < maxChain; i = b.next[i] {
		if b.points[i] == c {
			return uint32(i), nil
		}
		tries++
	}
	i := int32(len(b.points))
	if err := appendCounted(b, &b.points, c, 16); err != nil {
		return 0, err
	}
	if err := appendCounted(b, &b.next, b.first[c.Position], 4); err != nil {
		return 0, err
	}
	b.first[c.Position] = i
	return uint32(i), nil
}

// Len returns the number of triangles.
func (b *Builder) Len() (n int) {
	for i := range b.slots {
		n += len(b.slots[i].triangles)
	}
	return n
}

// Shapes returns one shape for each material that has triangles. The function material maps a key of Slot to the index
// of a material, or to -1 for no material. If maps is not nil, it holds a transform for each position. The transform
// moves the position and turns its normals.
func (b *Builder) Shapes(material func(key int32) int32, maps []scenes.Affine) (all []*assembly.Shape) {
	points := b.sharedPoints()
	if maps != nil {
		b.transformPoints(points, maps)
	}
	for i := range b.slots {
		s := &b.slots[i]
		if len(s.triangles) == 0 {
			continue
		}
		all = append(all, &assembly.Shape{
			Points:   points,
			N:        len(s.triangles),
			Corners:  func(lo, hi int, to [][3]uint32) { copy(to, s.triangles[lo:hi]) },
			Material: material(s.key),
		})
	}
	return all
}

// sharedPoints returns the points that all shapes share.
func (b *Builder) sharedPoints() *assembly.Points {
	p := &assembly.Points{N: len(b.points)}
	p.Positions = func(lo, _ int, to [][3]float64) {
		for i := range to {
			to[i] = b.Positions[b.points[lo+i].Position]
		}
	}
	if len(b.Normals) > 0 {
		p.Normals = func(lo, _ int, to [][3]float64) {
			for i := range to {
				to[i] = [3]float64{}
				if n := b.points[lo+i].Normal; n >= 0 {
					to[i] = b.Normals[n]
				}
			}
		}
	}
	if len(b.Colors) > 0 {
		p.Colors = func(lo, _ int, to []scenes.RGBA) {
			for i := range to {
				to[i] = scenes.Opaque(0xffffff)
				if n := b.points[lo+i].Color; n >= 0 {
					to[i] = b.Colors[n]
				}
			}
		}
	}
	if len(b.TexCoords) > 0 {
		p.TexCoords = func(lo, _ int, to [][2]float64) {
			for i := range to {
				to[i] = [2]float64{}
				if n := b.points[lo+i].TexCoord; n >= 0 {
					to[i] = b.TexCoords[n]
				}
			}
		}
	}
	return p
}

// transformPoints makes the functions of p transform positions and normals. Each position, and each normal there, is
// transformed by the entry of maps for this position.
func (b *Builder) transformPoints(p *assembly.Points, maps []scenes.Affine) {
	positions, normals := p.Positions, p.Normals
	p.Positions = func(lo, hi int, to [][3]float64) {
		positions(lo, hi, to)
		for i := range to {
			to[i] = maps[b.points[lo+i].Position].Point(to[i])
		}
	}
	if normals == nil {
		return
	}
	p.Normals = func(lo, hi int, to [][3]float64) {
		normals(lo, hi, to)
		for i := range to {
			m := &maps[b.points[lo+i].Position]
			n, sign := m.Cofactors(), 1.0
			if m.Det() < 0 {
				sign = -1
			}
			to[i] = vector.Scale(sign, n.Point(to[i]))
		}
	}
}
