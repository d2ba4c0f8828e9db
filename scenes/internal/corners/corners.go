// Package corners makes shapes for package assembly of polygons whose corners name places, normals, colours and texture
// coordinates by numbers of their own, as Collada and FBX have them: corners that have all of these in common become one
// vertex.
package corners

import (
	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/polygon"
	"lockstep/scenes/internal/vector"
)

// Lists hold what corners name. A list that is nil is one that no corner has.
type Lists struct {
	Places    [][3]float64
	Normals   [][3]float64 // of any length
	Colors    []scenes.RGBA
	TexCoords [][2]float64 // from the upper left corner
}

// A Corner names an entry of each list; None where it has none.
type Corner struct{ Place, Normal, Color, TexCoord int32 }

// None is the number of no entry.
const None = -1

// MaxPolygon bounds the corners of a polygon, as the other readers do.
const MaxPolygon = 1 << 16

// A Builder collects the polygons of one geometry.
type Builder struct {
	Lists
	in   *format.Input
	held *int64 // bytes that the reader holds, these among them

	first  []int32 // the last vertex of a place that was made; -1: none
	next   []int32 // the one that was made before at the same place
	points []Corner
	slots  []slot
	cutter polygon.Cutter
	places [][3]float64 // of one polygon
	of     []uint32
	all    []Corner
	bridge int64 // pairs of corners of holes that were compared

	// Dropped counts polygons that name no places or have too few or too many corners, and Strange corners that name
	// other entries which are not there: those go without.
	Dropped, Strange int
}

// A slot is the triangles of one material.
type slot struct {
	key       int32
	triangles [][3]uint32
}

// New returns a builder without polygons.
func New(in *format.Input, lists Lists, held *int64) (*Builder, error) {
	b := &Builder{Lists: lists, in: in, held: held}
	if err := b.hold(4 * int64(len(lists.Places))); err != nil {
		return nil, err
	}
	b.first = make([]int32, len(lists.Places))
	for i := range b.first {
		b.first[i] = -1
	}
	return b, nil
}

// hold counts bytes that are held from now on, before they are.
func (b *Builder) hold(n int64) error {
	if err := b.in.Allow(0, *b.held+n); err != nil {
		return err
	}
	*b.held += n
	return nil
}

// grow appends to a list. While it is copied old and new are held at once.
func grow[T any](b *Builder, list *[]T, v T, size int64) error {
	if len(*list) == cap(*list) {
		if err := b.in.Context().Err(); err != nil {
			return err
		}
		more := int64(max(64, cap(*list)))
		if err := b.hold(size * more); err != nil {
			return err
		}
		grown := make([]T, len(*list), int64(cap(*list))+more)
		copy(grown, *list)
		*list = grown
	}
	*list = append(*list, v)
	return nil
}

// Slot returns the number of the triangles of a material, for Add.
func (b *Builder) Slot(key int32) int {
	for i := range b.slots {
		if b.slots[i].key == key {
			return i
		}
	}
	b.slots = append(b.slots, slot{key: key})
	return len(b.slots) - 1
}

// Add appends the triangles of a polygon.
func (b *Builder) Add(to int, corners []Corner) error {
	if len(corners) < 3 || len(corners) > MaxPolygon {
		b.Dropped++
		return nil
	}
	for _, c := range corners {
		if c.Place < 0 || int(c.Place) >= len(b.Places) {
			b.Dropped++
			return nil
		}
	}
	b.of, b.places = b.of[:0], b.places[:0]
	for _, c := range corners {
		v, err := b.vertex(b.known(c))
		if err != nil {
			return err
		}
		b.of = append(b.of, v)
		b.places = append(b.places, b.Places[c.Place])
	}
	var err error
	b.cutter.Cut(b.places, func(i, j, k int) {
		if err == nil {
			err = grow(b, &b.slots[to].triangles, [3]uint32{b.of[i], b.of[j], b.of[k]}, 12)
		}
	})
	return err
}

// known returns a corner without the entries that are not there.
func (b *Builder) known(c Corner) Corner {
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
		b.Strange++
	}
	return c
}

// maxChain is how many vertices of one place are compared: more are those of a damaged file.
const maxChain = 64

// vertex returns the vertex of a corner.
func (b *Builder) vertex(c Corner) (uint32, error) {
	tries := 0
	for i := b.first[c.Place]; i >= 0 && tries < maxChain; i = b.next[i] {
		if b.points[i] == c {
			return uint32(i), nil
		}
		tries++
	}
	i := int32(len(b.points))
	if err := grow(b, &b.points, c, 16); err != nil {
		return 0, err
	}
	if err := grow(b, &b.next, b.first[c.Place], 4); err != nil {
		return 0, err
	}
	b.first[c.Place] = i
	return uint32(i), nil
}

// Len returns the number of triangles.
func (b *Builder) Len() (n int) {
	for i := range b.slots {
		n += len(b.slots[i].triangles)
	}
	return n
}

// Shapes returns the triangles, those of each material as a shape. material returns the material of a key of Slot, -1 for
// none. Places and their normals are moved by maps, if there are any: one for each place.
func (b *Builder) Shapes(material func(key int32) int32, maps []scenes.Affine) (all []*assembly.Shape) {
	points := b.vertices()
	if maps != nil {
		b.bend(points, maps)
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

// vertices returns the points of all shapes.
func (b *Builder) vertices() *assembly.Points {
	p := &assembly.Points{N: len(b.points)}
	p.Positions = func(lo, _ int, to [][3]float64) {
		for i := range to {
			to[i] = b.Places[b.points[lo+i].Place]
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

// bend moves points and turns their normals.
func (b *Builder) bend(p *assembly.Points, maps []scenes.Affine) {
	positions, normals := p.Positions, p.Normals
	p.Positions = func(lo, hi int, to [][3]float64) {
		positions(lo, hi, to)
		for i := range to {
			to[i] = maps[b.points[lo+i].Place].Point(to[i])
		}
	}
	if normals == nil {
		return
	}
	p.Normals = func(lo, hi int, to [][3]float64) {
		normals(lo, hi, to)
		for i := range to {
			m := &maps[b.points[lo+i].Place]
			n, sign := m.Cofactors(), 1.0
			if m.Det() < 0 {
				sign = -1
			}
			to[i] = vector.Scale(sign, n.Point(to[i]))
		}
	}
}
