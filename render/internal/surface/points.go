package surface

import (
	"encoding/binary"
	"math"

	"lockstep/render/internal/kernel/light"
	"lockstep/render/internal/visible"
)

// points are the triangles prepared for the points of batches. A triangle has its place by
// its number; one that would drive out another of the same batch takes a place behind the
// slots, and is not kept.
type points struct {
	facets [pointSlots + light.Capacity]light.Facet
	number [pointSlots]uint32 // by place
	used   [pointSlots]uint32 // by place: the last batch that has it
	batch  uint32
}

// pointSlots is how many triangles points keep: those of some rows of tiles. They take 0.4 MB
// of a second-level cache.
const pointSlots = 4096

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
func (s *Shader) put(t uint32, x, y, open float32) {
	b := &s.batch
	slot := b.N & (light.Capacity - 1)
	if slot == 0 {
		s.points.batch++
	}
	b.N++
	c := &b.Columns
	c[light.X][slot], c[light.Y][slot], c[light.Open][slot] = x, y, open
	b.From[slot] = s.points.find(s.scene, t, slot)
}

// find returns where the facet of a triangle begins, for a point of the batch.
func (p *points) find(scene *Scene, t uint32, slot int) uint32 {
	at := t % pointSlots
	if p.number[at] != t {
		if p.used[at] == p.batch {
			at = pointSlots + uint32(slot)
			scene.prepare(&p.facets[at], t)
			return at * facetBytes
		}
		p.number[at] = t
		scene.prepare(&p.facets[at], t)
	}
	p.used[at] = p.batch
	return at * facetBytes
}

// batches is Row by vectors.
func (s *Shader) batches(pix []byte, triangles []uint32, places []visible.Place, open []float32, grid int, x, y float32, background uint32) {
	all := int32(grid * grid)
	var per [visible.MostOfPixel + 1]float32
	for count := range per[1:] {
		per[count+1] = 1 / float32(2*int32(grid)*int32(count+1))
	}
	for len(triangles) > 0 {
		n := min(len(triangles), light.Capacity)
		for n < len(triangles) && places[n].Pixel() == places[n-1].Pixel() {
			n-- // not within a pixel
		}
		b, c := &s.batch, &s.batch.Columns
		s.points.batch++
		for i, t := range triangles[:n] {
			p := places[i]
			pixel := p.Pixel()
			sumX, sumY := p.Sums()
			part := per[p.Count()]
			slot := i & (light.Capacity - 1)
			c[light.X][slot] = x + float32(pixel) + float32(float32(sumX)*part)
			c[light.Y][slot] = y - float32(float32(sumY)*part)
			c[light.Open][slot] = open[pixel]
			b.From[slot] = s.points.find(s.scene, t, slot)
		}
		b.N = n
		s.loops.Gather(s.points.facets[:], b)
		s.loops.Light(&s.view, b)
		b.N = 0
		s.write(pix, places[:n], all, background)
		triangles, places = triangles[n:], places[n:]
	}
}

// write writes the pixels of a batch that is lit.
func (s *Shader) write(pix []byte, places []visible.Place, all int32, background uint32) {
	colors, c := s.scene.Tables, &s.batch.Columns
	for i := 0; i < len(places); {
		pixel := places[i].Pixel()
		out := pix[4*pixel : 4*pixel+4]
		if places[i].Count() == all {
			// One triangle in all samples, a power of two of them: their mean is its colour, exactly.
			slot := i & (light.Capacity - 1)
			r, g, b := math.Float32bits(c[light.Step][slot]), math.Float32bits(c[light.Step+1][slot]), math.Float32bits(c[light.Step+2][slot])
			binary.LittleEndian.PutUint32(out, uint32(colors.encode[r%steps])|uint32(colors.encode[g%steps])<<8|uint32(colors.encode[b%steps])<<16|0xff<<24)
			i++
			continue
		}
		var p Pixel
		for ; i < len(places) && places[i].Pixel() == pixel; i++ {
			p.add(from(&s.batch, light.Color, i&(light.Capacity-1)), places[i].Count())
		}
		binary.LittleEndian.PutUint32(out, colors.Encode(p, all, background))
	}
}

// prepare makes the columns' part of a triangle, of a scene without coats.
func (s *Scene) prepare(to *light.Facet, t uint32) {
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
