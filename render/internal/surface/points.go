package surface

import (
	"encoding/binary"
	"math"

	"lockstep/render/internal/kernel/light"
	"lockstep/render/internal/visible"
)

// points are the triangles prepared for the points of batches. A triangle has its place by
// its number. One that is not there yet gets a place behind the slots, for the points that are
// looked for together, and moves to its own when these are lit.
type points struct {
	facets [pointSlots + light.Most]light.Facet
	number [pointSlots]uint32 // by place
	from   [light.Most]uint32 // by point: where its facet begins
	need   light.Need         // triangles that have no facets yet
}

// pointSlots is how many triangles points keep: those of some rows of tiles. They take 0.4 MB
// of a second-level cache.
const pointSlots = 4096

const facetBytes = 4 * light.FacetFloats

// begin forgets all triangles.
func (p *points) begin() {
	for at := range p.number {
		p.number[at] = uint32(at) + 1 // a triangle that has another place
	}
	p.need.N = 0
}

// find finds where the facets of triangles begin, once prepare was called.
func (p *points) find(triangles []uint32) {
	from := p.from[:len(triangles)]
	for i, t := range triangles {
		at := t % pointSlots
		if p.number[at] != t {
			at = p.miss(t)
		}
		from[i] = at * facetBytes
	}
}

// miss returns the place of a triangle that has none of its own. Points side by side often show
// the same.
func (p *points) miss(t uint32) uint32 {
	n := &p.need
	if n.N == 0 || n.Triangles[n.N-1] != t {
		n.Add(t, uint32(pointSlots+n.N)*facetBytes)
	}
	return uint32(pointSlots + n.N - 1)
}

// prepare makes the facets that find asked for.
func (s *Shader) prepare() {
	need := &s.points.need
	if need.N == 0 {
		return
	}
	smooth := s.scene.Records != nil
	if smooth {
		s.loops.Prepare(&s.scene.triangles, s.points.facets[:], need)
	}
	if !smooth || s.scene.Colors != nil {
		for i, t := range need.Triangles[:need.N] {
			if to := &s.points.facets[need.To[i]/facetBytes]; smooth {
				s.scene.base(t).in(to, light.Base)
			} else {
				s.scene.facet(to, t)
			}
		}
	}
}

// keep moves the facets that prepare made to their places, where others may have been that
// the points did want.
func (p *points) keep() {
	for i, t := range p.need.Triangles[:p.need.N] {
		at := t % pointSlots
		p.number[at], p.facets[at] = t, p.facets[pointSlots+i]
	}
	p.need.N = 0
}

// batches is Row by vectors.
func (s *Shader) batches(pix []byte, triangles []uint32, places []visible.Place, open []float32, grid int, x, y float32, background uint32) {
	linear := &s.scene.Tables.linear
	s.pixels = light.Pixels{ // a variable of its own would escape
		Left: x, Top: y, Grid: int32(grid), Opaque: background>>24 == 255,
		Background: [3]float32{linear[background&255], linear[background>>8&255], linear[background>>16&255]},
	}
	b, p := &s.batch, &s.points
	for len(triangles) > 0 {
		n := min(len(triangles), light.Most)
		p.find(triangles[:n])
		s.prepare()
		done := 0
		for done < n {
			end := min(n, done+light.Capacity)
			for end > done && end < len(places) && places[end].Pixel() == places[end-1].Pixel() {
				end-- // not within a pixel
			}
			if end == done {
				break // the rest of the pixel was not looked for
			}
			copy(b.From[:], p.from[done:end])
			s.loops.Place(&s.pixels, visible.Words(places[done:end]), open, b)
			s.loops.Gather(p.facets[:], b)
			s.loops.Light(&s.view, b)
			s.loops.Blend(&s.pixels, b)
			s.write(pix)
			done = end
		}
		p.keep()
		triangles, places = triangles[done:], places[done:]
	}
	b.N = 0
}

// write writes the pixels of a batch that is blended. What stands in the columns for other
// points than the first of a pixel is written before that.
func (s *Shader) write(pix []byte) {
	encode, c := &s.scene.Tables.encode, &s.batch.Columns
	for i := s.batch.N - 1; i >= 0; i-- {
		i := i & (light.Capacity - 1)
		r, g, b := math.Float32bits(c[light.Step][i]), math.Float32bits(c[light.Step+1][i]), math.Float32bits(c[light.Step+2][i])
		word := uint32(encode[r%steps]) | uint32(encode[g%steps])<<8 | uint32(encode[b%steps])<<16 | math.Float32bits(c[light.Alpha][i])<<24
		binary.LittleEndian.PutUint32(pix[4*math.Float32bits(c[light.Pixel][i]):], word)
	}
}

// facet makes the columns' part of a triangle, of a scene without coats: what the loop Prepare
// does, but for what is behind the normal of a flat one.
func (s *Scene) facet(to *light.Facet, t uint32) {
	var f shell
	s.loadShell(&f, t)
	f.corner.in(to, light.Corner)
	f.e1.in(to, light.Edge1)
	f.e2.in(to, light.Edge2)
	f.normal.in(to, light.Plane)
	s.base(t).in(to, light.Base)
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
