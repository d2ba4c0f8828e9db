package surface

import (
	"math"

	"lockstep/render/internal/kernel/light"
)

// points are the triangles prepared for the points of batches. A triangle has its place by
// its number; one that would drive out another of the same batch takes a place behind all
// of these, and is not kept.
type points struct {
	facets [facetSlots + light.Capacity]light.Facet
	number [facetSlots]uint32 // by place
	used   [facetSlots]uint32 // by place: the last batch that has it
	batch  uint32
}

const facetBytes = 4 * light.FacetFloats

// begin forgets all triangles.
func (p *points) begin() {
	for at := range p.number {
		p.number[at] = uint32(at) + 1 // a triangle that has another place
		p.used[at] = 0
	}
	p.batch = 1
}

// put adds a point to the batch.
func (s *Shader) put(t uint32, x, y, open float32) (slot int) {
	b, p := &s.batch, &s.points
	slot = b.N & (light.Capacity - 1)
	if slot == 0 {
		p.batch++
	}
	b.N++
	c := &b.Columns
	c[light.X][slot], c[light.Y][slot], c[light.Open][slot] = x, y, open
	at := t % facetSlots
	if p.number[at] != t {
		if p.used[at] == p.batch {
			at = facetSlots + uint32(slot)
			s.scene.prepare(&p.facets[at], t)
			b.From[slot] = at * facetBytes
			return slot
		}
		p.number[at] = t
		s.scene.prepare(&p.facets[at], t)
	}
	p.used[at] = p.batch
	b.From[slot] = at * facetBytes
	return slot
}

// prepare makes the columns' part of a triangle.
func (s *Scene) prepare(to *light.Facet, t uint32) {
	var f facet
	s.load(&f, t)
	f.corner.in(to, light.Corner)
	f.e1.in(to, light.Edge1)
	f.e2.in(to, light.Edge2)
	f.normal.in(to, light.Plane)
	f.base.in(to, light.Base)
	if !f.smooth {
		n := f.normals[0]
		if n == (vec{}) {
			n = f.normal.unit()
		}
		n.in(to, light.Normal0)
		to[light.Normal1-light.Corner] = float32(math.NaN())
		return
	}
	f.normals[0].in(to, light.Normal0)
	f.normals[1].in(to, light.Normal1)
	f.normals[2].in(to, light.Normal2)
}

// in writes a vector to a facet.
func (a vec) in(to *light.Facet, column int) {
	v := (*[3]float32)(to[column-light.Corner:])
	v[0], v[1], v[2] = a.x, a.y, a.z
}
