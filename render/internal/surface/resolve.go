package surface

import (
	"encoding/binary"
	"math"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/light"
)

// A Shader lights the pixels of one worker: triangle after triangle, or the smooth ones in
// batches.
type Shader struct {
	scene  *Scene
	facets [facetSlots]facet
	loop   light.Loop // nil: no batches
	view   light.View
	batch  light.Batch
	shown  []shown
}

// shown is what a pixel, or a cell, shows of one triangle.
type shown struct {
	place   int32 // of the pixel
	samples int32
	slot    int32 // of the batch; none: color is there
	color   vec
}

const none = -1

// facetSlots is how many triangles a Shader keeps prepared: neighbours in a pixel, in a
// row of cells and in the rows of a tile. They stay in the second-level cache, 0.2 MB.
const facetSlots = 1024

// Begin prepares for a frame. loop may be nil.
func (s *Shader) Begin(scene *Scene, loop light.Loop) {
	s.scene, s.loop = scene, loop
	if scene.Normals == nil || scene.Facing != nil || scene.Field != nil || scene.Paint != nil {
		s.loop = nil
	}
	if s.shown == nil {
		s.shown = make([]shown, 0, light.Capacity)
	}
	lens, lights := &scene.Lens, &scene.Lights
	s.view = light.View{
		Origin: lens.Origin, OriginX: lens.OriginX, OriginY: lens.OriginY,
		Forward: lens.Forward, ForwardX: lens.ForwardX, ForwardY: lens.ForwardY,
		Key: lights.key.array(), Fill: lights.fill.array(), Rim: lights.rim.array(), Up: lights.up.array(),
	}
	for i := range s.facets {
		s.facets[i].set = false
	}
}

// facet returns a triangle, prepared.
func (s *Shader) facet(t uint32) *facet {
	f := &s.facets[t%facetSlots]
	if !f.set || f.number != t {
		s.scene.load(f, t)
	}
	return f
}

// A Pixel is the light of the samples of one pixel, linear.
type Pixel struct {
	R, G, B float32 // summed over the covered samples
	Covered int32
}

// A part of a pixel is the samples that show one triangle, and the sum of their places.
type part struct {
	triangle          uint32
	count, sumX, sumY int32
}

// mostOfPixel is how many triangles a pixel may show.
const mostOfPixel = 16

// Samples takes in a pixel whose grid x grid samples have keys that lie stride apart, by
// row: every triangle is lit once, at the middle of those samples that show it. The pixel's
// centre lies at (x, y) from that of the picture. open is the part of the sky that is
// seen from there. It reports whether Resolve must come before the next pixel.
func (s *Shader) Samples(place int, keys []uint64, stride, grid int, x, y, open float32) (full bool) {
	at := int32(place)
	if grid == 1 {
		s.show(at, array.Payload(keys[0]), 1, x, y, open)
		return len(s.shown) > light.Capacity-mostOfPixel
	}
	if k := keys[0]; grid == 2 && k != 0 && uint32(k) == uint32(keys[1]) && uint32(k) == uint32(keys[stride]) && uint32(k) == uint32(keys[stride+1]) &&
		keys[1] != 0 && keys[stride] != 0 && keys[stride+1] != 0 {
		s.show(at, array.Payload(k), 4, x, y, open) // the common case of what follows
		return len(s.shown) > light.Capacity-mostOfPixel
	}
	if grid == 2 {
		var parts [4]part
		s.parts(parts[:], at, keys, stride, grid, x, y, open)
	} else {
		var parts [mostOfPixel]part
		s.parts(parts[:], at, keys, stride, grid, x, y, open)
	}
	return len(s.shown) > light.Capacity-mostOfPixel
}

// parts is Samples with room for all parts of the pixel.
func (s *Shader) parts(parts []part, at int32, keys []uint64, stride, grid int, x, y, open float32) {
	n := 0
	for row := range grid {
		for col, key := range keys[row*stride : row*stride+grid] {
			if key == 0 {
				continue
			}
			t := array.Payload(key)
			i := 0
			for i < n && parts[i].triangle != t {
				i++
			}
			p := &parts[i]
			if i == n {
				n++
				*p = part{triangle: t}
			}
			p.count++
			p.sumX += int32(2*col + 1 - grid)
			p.sumY += int32(2*row + 1 - grid)
		}
	}
	for i := range parts[:n] {
		p := &parts[i]
		per := 1 / float32(2*int32(grid)*p.count)
		s.show(at, p.triangle, p.count, x+float32(float32(p.sumX)*per), y-float32(float32(p.sumY)*per), open)
	}
}

// show takes in a triangle at a point of the picture.
func (s *Shader) show(place int32, t uint32, samples int32, x, y, open float32) {
	f := s.facet(t)
	if s.loop == nil || !f.smooth {
		s.shown = append(s.shown, shown{place, samples, none, s.light(f, x, y, open)})
		return
	}
	s.shown = append(s.shown, shown{place: place, samples: samples, slot: int32(s.put(f, x, y, open))})
}

// put adds a point to the batch.
func (s *Shader) put(f *facet, x, y, open float32) (slot int) {
	b := &s.batch
	slot = b.N & (light.Capacity - 1)
	b.N++
	c := &b.Columns
	c[light.X][slot], c[light.Y][slot], c[light.Open][slot] = x, y, open
	f.corner.to(b, light.Corner, slot)
	f.e1.to(b, light.Edge1, slot)
	f.e2.to(b, light.Edge2, slot)
	f.normal.to(b, light.Plane, slot)
	f.normals[0].to(b, light.Normal0, slot)
	f.normals[1].to(b, light.Normal1, slot)
	f.normals[2].to(b, light.Normal2, slot)
	f.base.to(b, light.Base, slot)
	return slot
}

// run lights the batch.
func (s *Shader) run() {
	if s.batch.N > 0 {
		s.loop(&s.view, &s.batch)
		s.batch.N = 0
	}
}

// Resolve writes every pixel taken in: from its samples, of which there are all, and the
// background, as Colors.Encode says.
func (s *Shader) Resolve(pix []byte, all int32, background uint32) {
	s.run()
	colors := s.scene.Tables
	for i := 0; i < len(s.shown); {
		e := &s.shown[i]
		place := e.place
		out := pix[4*place : 4*place+4]
		if e.samples == all && e.slot != none {
			// One triangle in all samples, a power of two of them: their mean is its colour, exactly.
			binary.LittleEndian.PutUint32(out, s.encoded(int(e.slot)))
			i++
			continue
		}
		var p Pixel
		for ; i < len(s.shown) && s.shown[i].place == place; i++ {
			e := &s.shown[i]
			if e.slot != none {
				e.color = from(&s.batch, light.Color, int(e.slot))
			}
			p.add(e.color, e.samples)
		}
		binary.LittleEndian.PutUint32(out, colors.Encode(p, all, background))
	}
	s.shown = s.shown[:0]
}

// encoded is the opaque pixel of a point that the batch has lit.
func (s *Shader) encoded(slot int) uint32 {
	c, encode := (*[3][light.Capacity]float32)(s.batch.Columns[light.Step:light.Step+3]), &s.scene.Tables.encode
	slot &= light.Capacity - 1
	r, g, b := math.Float32bits(c[0][slot]), math.Float32bits(c[1][slot]), math.Float32bits(c[2][slot])
	return uint32(encode[r%steps]) | uint32(encode[g%steps])<<8 | uint32(encode[b%steps])<<16 | 0xff<<24
}

func (p *Pixel) add(c vec, samples int32) {
	w := float32(samples)
	p.R += float32(c.x * w)
	p.G += float32(c.y * w)
	p.B += float32(c.z * w)
	p.Covered += samples
}

// light returns the linear colour of a triangle at a point of the picture.
func (s *Shader) light(f *facet, x, y, open float32) vec {
	p := s.scene.at(f, x, y)
	l := s.scene.Lights.at(p.normal, p.toEye, open)
	c := s.scene.color(f, &p, x, y)
	if f.coat.unlit && s.scene.Paint != nil && s.scene.Field == nil && s.scene.Facing == nil {
		return vec{bound(c.x), bound(c.y), bound(c.z)}
	}
	return vec{bound(float32(c.x*l.Diffuse) + l.Specular), bound(float32(c.y*l.Diffuse) + l.Specular), bound(float32(c.z*l.Diffuse) + l.Specular)}
}

// bound keeps light within what a picture can show, before samples are averaged: else a
// highlight would swallow the edges within it.
func bound(x float32) float32 { return min(x, 1) }

// Encode returns the pixel, R in its lowest byte, of the mean of its samples, of which
// there are all. background is the pixel that stands behind: opaque, or nothing where
// alpha is 0, which leaves straight alpha.
func (c *Colors) Encode(p Pixel, all int32, background uint32) uint32 {
	if p.Covered == 0 {
		return background
	}
	r, g, b, count, alpha := p.R, p.G, p.B, p.Covered, uint32((255*p.Covered+all/2)/all)
	if background>>24 == 255 && p.Covered < all {
		rest := float32(all - p.Covered)
		r += float32(rest * c.linear[background&255])
		g += float32(rest * c.linear[background>>8&255])
		b += float32(rest * c.linear[background>>16&255])
		count, alpha = all, 255
	}
	per := 1 / float32(count)
	return c.step(float32(r*per)) | c.step(float32(g*per))<<8 | c.step(float32(b*per))<<16 | alpha<<24
}

// step encodes linear light.
func (c *Colors) step(x float32) uint32 { return uint32(c.encode[stepOf(x)%steps]) }

// stepOf returns the step of linear light.
func stepOf(x float32) uint32 {
	i := int32(float32(x*(steps-1)) + 0.5)
	return uint32(min(max(i, 0), steps-1))
}
