package surface

import "lockstep/render/internal/kernel/array"

// A Shader lights the pixels of one worker, one after the other.
type Shader struct {
	scene  *Scene
	facets [facetSlots]facet
}

// facetSlots is how many triangles a Shader keeps prepared: neighbours in a pixel, in a
// row of cells and in the rows of a tile. They stay in the second-level cache.
const facetSlots = 256

// Begin prepares for a frame.
func (s *Shader) Begin(scene *Scene) {
	s.scene = scene
	for i := range s.facets {
		s.facets[i].set = false
	}
}

// facet returns a triangle, prepared.
func (s *Shader) facet(t uint32) *facet {
	f := &s.facets[t%facetSlots]
	s.scene.load(f, t)
	return f
}

// A Pixel is the light of the samples of one pixel, linear.
type Pixel struct {
	R, G, B float32 // summed over the covered samples
	Covered int32
}

// Samples lights a pixel whose grid x grid samples have keys that lie stride apart, by
// row: every triangle once, at the middle of those samples that show it. The pixel's
// centre lies at (x, y) from that of the picture. open is the part of the sky that is
// seen from there.
func (s *Shader) Samples(keys []uint64, stride, grid int, x, y, open float32) (p Pixel) {
	if grid == 1 {
		if keys[0] != 0 {
			p.add(s.light(array.Payload(keys[0]), x, y, open), 1)
		}
		return p
	}
	if k := keys[0]; grid == 2 && k != 0 && uint32(k) == uint32(keys[1]) && uint32(k) == uint32(keys[stride]) && uint32(k) == uint32(keys[stride+1]) &&
		keys[1] != 0 && keys[stride] != 0 && keys[stride+1] != 0 {
		p.add(s.light(array.Payload(k), x, y, open), 4) // the common case of what follows
		return p
	}
	var seen [16]uint32
	var count, sumX, sumY [16]int32
	n := 0
	for row := range grid {
		for col, key := range keys[row*stride : row*stride+grid] {
			if key == 0 {
				continue
			}
			t := array.Payload(key)
			i := 0
			for i < n && seen[i] != t {
				i++
			}
			if i == n {
				n++
				seen[i] = t
			}
			count[i]++
			sumX[i] += int32(2*col + 1 - grid)
			sumY[i] += int32(2*row + 1 - grid)
		}
	}
	for i := range n {
		per := 1 / float32(2*int32(grid)*count[i])
		p.add(s.light(seen[i], x+float32(float32(sumX[i])*per), y-float32(float32(sumY[i])*per), open), count[i])
	}
	return p
}

func (p *Pixel) add(c vec, samples int32) {
	w := float32(samples)
	p.R += float32(c.x * w)
	p.G += float32(c.y * w)
	p.B += float32(c.z * w)
	p.Covered += samples
}

// light returns the linear colour of a triangle at a point of the picture.
func (s *Shader) light(t uint32, x, y, open float32) vec {
	f := s.facet(t)
	p := s.scene.at(f, x, y)
	l := s.scene.Lights.at(p.normal, p.toEye, open)
	c := s.scene.color(f, &p, x, y)
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
func (c *Colors) step(x float32) uint32 {
	i := int32(float32(x*(steps-1)) + 0.5)
	return uint32(c.encode[min(max(i, 0), steps-1)])
}
