package surface

import (
	"encoding/binary"

	"lockstep/render/internal/float3"
	"lockstep/render/internal/kernel/light"
	"lockstep/render/internal/kernel/texel"
	"lockstep/render/internal/visible"
)

// A Shader lights the pixels of one worker, point by point, or in batches if it has vector loops.
type Shader struct {
	scene         *Scene
	facets        [facetSlots]facet
	loops         *light.Loops // nil if points are lit one by one
	fetches       fetches
	view          light.View
	batch         light.Batch
	runs          [2]light.Runs // runs of the current batch and of the next batch
	pixels        light.Pixels
	cellPixels    light.Pixels
	triangles     light.Triangles
	records       records      // cache of records, used if the scene has no Records
	chunks        chunkCache   // chunks of records that stay in a file
	normals       [3][]float32 // memory to which the loops write the normals of cells
	stored        light.Record // scratch memory for the record of the triangle that is being prepared
	litPoints     []litPoint
	mirrorPoints  []int32                     // points of the batch that lightMirrors lights
	glass         []glassPoint                // points of the batch that let light through
	glassFinishes [light.Capacity]pointFinish // finishes of points in glass whose finish is not the same everywhere
	samples       sampleBatch                 // samples of glass that are not tested yet
	edgePoints    []int32                     // points of the batch that lie at edges
	environment   *environment                // nil in scenes without special surfaces
}

// A litPoint is the colour of one of the triangles that a pixel shows. It also has the number of the pixel's samples
// that show the triangle.
type litPoint struct {
	pixel   int32 // number of the pixel in its row
	samples int32
	color   float3.Vector
}

// facetSlots is the number of prepared triangles that a Shader caches. Neighbouring pixels and cells of a tile row
// show the same triangles. The prepared triangles have 0.2 MB and stay in the second-level cache.
const facetSlots = 1024

// Begin prepares for a frame. If loops is nil, points are lit one by one. If texels is nil, textures are read for one
// point at a time.
func (s *Shader) Begin(scene *Scene, loops *light.Loops, texels *texel.Loops) {
	s.scene, s.loops, s.fetches.loops = scene, loops, texels
	s.samples.count = 0 // a frame that failed may have left samples
	s.chunks.begin(scene.Stored)
	if scene.hasSpecial() {
		s.environment = environmentOf()
	}
	if s.loops != nil {
		s.beginBatches()
	}
	if s.litPoints == nil {
		s.litPoints = make([]litPoint, 0, light.Capacity)
		s.glass = make([]glassPoint, 0, light.Capacity)
	}
	lens, lights := &scene.Lens, &scene.Lights
	s.view = light.View{
		Origin: lens.Origin, OriginX: lens.OriginX, OriginY: lens.OriginY,
		Forward: lens.Forward, ForwardX: lens.ForwardX, ForwardY: lens.ForwardY,
		Key: lights.key.Array(), Fill: lights.fill.Array(), Rim: lights.rim.Array(), Up: lights.up.Array(),
	}
	for i := range s.facets {
		s.facets[i].loaded = false
	}
}

// beginBatches prepares the values that are the same for all batches of a frame.
func (s *Shader) beginBatches() {
	scene := s.scene
	s.triangles = light.Triangles{Records: scene.Records, Pivot: scene.Lens.Pivot, Scale: scene.Lens.Scale}
	if scene.Records == nil {
		s.records.begin()
		s.triangles.Records = s.records.records[:]
	}
	base := float3.Of(scene.Base)
	c := &s.batch.Columns
	for i := range light.Capacity {
		c[light.Base][i], c[light.Base+1][i], c[light.Base+2][i] = base.X, base.Y, base.Z
	}
}

// facet returns triangle t, prepared for lighting.
func (s *Shader) facet(t uint32) *facet {
	f := &s.facets[t%facetSlots]
	if !f.loaded || f.number != t {
		var stored *light.Record
		if s.scene.Stored != nil {
			stored = &s.stored
			s.chunks.record(t, stored)
		} else if s.scene.Cloud != nil {
			stored = &s.stored
			s.scene.Cloud.record(t, stored)
		}
		s.scene.load(f, t, stored)
	}
	return f
}

// A Pixel sums the light of the samples of one pixel, in linear light.
type Pixel struct {
	R, G, B float32 // sums over the covered samples
	Covered int32
}

// A Row is a row of pixels to be lit. A point stands for all samples of a pixel that show the same triangle.
type Row struct {
	Pix        []byte          // result: the values of the pixels
	Triangles  []uint32        // number of the triangle of each point, see visible.Rows
	Places     []visible.Place // place of each point
	Open       []float32       // open share of the sky above each pixel
	Edges      []Edge          // edges of the row, from left to right; points at edges get open shares of their own
	Occlusion  *Occlusion      // holds the cells around edges
	Line       int             // number of the row in the picture
	Grid       int             // samples along the side of a pixel
	Background uint32          // pixel value behind all surfaces
	X, Y       float32         // centre of pixel 0, relative to the picture's centre
}

// LightRow lights the points of a row of pixels and writes the pixels. Each point is lit once, at the middle of the
// samples of its pixel that show its triangle.
func (s *Shader) LightRow(r *Row) {
	if s.loops != nil {
		s.lightRowInBatches(r)
		return
	}
	all := int32(r.Grid * r.Grid)
	last, edges := int32(-1), r.Edges
	for i, t := range r.Triangles {
		p := r.Places[i]
		pixel, count := p.Pixel(), p.Count()
		if pixel != last && len(s.litPoints) > light.Capacity-visible.MaxPerPixel {
			s.Resolve(r.Pix, all, r.Background)
		}
		last = pixel
		px, py := r.position(p)
		open, f := r.Open[pixel], s.facet(t)
		if atEdge(&edges, int(pixel)) {
			z := s.scene.Lens.distance(r.Occlusion, f.corner, f.normal, px, py)
			open = r.ownSky(int(pixel), z, s.scene.pointAt(f, px, py).normal)
		}
		s.litPoints = append(s.litPoints, litPoint{pixel, count, s.lightPoint(f, px, py, sideOf(count, all), open)})
	}
	s.Resolve(r.Pix, all, r.Background)
}

// Resolve writes the pixels of all points in s.litPoints, and then removes the points. all is the number of samples of
// a pixel, and background the value of a pixel that shows nothing, see Colors.Encode.
func (s *Shader) Resolve(pix []byte, all int32, background uint32) {
	for i := 0; i < len(s.litPoints); {
		pixel := s.litPoints[i].pixel
		var p Pixel
		for ; i < len(s.litPoints) && s.litPoints[i].pixel == pixel; i++ {
			p.add(s.litPoints[i].color, s.litPoints[i].samples)
		}
		binary.LittleEndian.PutUint32(pix[4*pixel:], s.scene.Tables.Encode(p, all, background))
	}
	s.litPoints = s.litPoints[:0]
}

func (p *Pixel) add(c float3.Vector, samples int32) {
	w := float32(samples)
	p.R += float32(c.X * w)
	p.G += float32(c.Y * w)
	p.B += float32(c.Z * w)
	p.Covered += samples
}

// sideOf returns the side, in pixels, of a square with the area of count samples. A pixel has the area of all
// samples.
func sideOf(count, all int32) float32 { return float3.Sqrt(float32(count) / float32(all)) }

// lightPoint returns the linear colour of a triangle at the point (x, y) of the picture. The point stands for a square
// with the given side, in pixels.
func (s *Shader) lightPoint(f *facet, x, y, side, open float32) float3.Vector {
	p := s.scene.pointAt(f, x, y)
	at := s.scene.spot(f, x, y, side)
	c := s.scene.color(f, &p, &at)
	if s.scene.isUnlit(f) {
		return c.AtMost(maxLight)
	}
	if s.scene.isSpecial(f) {
		return s.scene.lightSpecial(f, &p, &at, c, open)
	}
	return s.scene.Lights.at(p.normal, p.toEye, open).reflect(c)
}

// lightSpecial is the last step of Shader.lightPoint for triangles that emit light or have a finish. c is the base
// colour.
func (s *Scene) lightSpecial(f *facet, p *point, at *spot, c float3.Vector, open float32) (lit float3.Vector) {
	switch {
	case f.paint.finish == nil:
		lit = s.Lights.at(p.normal, p.toEye, open).reflect(c)
	case f.paint.translucency != nil && f.paint.translucency.passes:
		// Some samples of the surface are left out to show what is behind it. The other samples must be brighter, so
		// that the mean is right.
		under := s.lightFinished(f, p, at, c, open)
		all := under
		if open != 1 {
			all = s.lightFinished(f, p, at, c, 1)
		}
		lit = under.perCoverage(&all)
	default:
		lit = s.lightFinished(f, p, at, c, open).light.AtMost(maxLight)
	}
	if f.paint.glows {
		lit = lit.Add(f.emitted(at)).AtMost(maxLight)
	}
	return lit
}

// reflect returns the colour of a surface with base colour c in this light.
func (l Light) reflect(c float3.Vector) float3.Vector {
	return float3.New(float32(c.X*l.Diffuse)+l.Specular, float32(c.Y*l.Diffuse)+l.Specular, float32(c.Z*l.Diffuse)+l.Specular).AtMost(maxLight)
}

// maxLight is the largest light of a sample, which is the brightest light that a picture can show. If samples could
// be brighter, averaging samples would remove edges within a highlight.
const maxLight = 1

// Encode returns the mean of the samples of a pixel, in sRGB with R in the lowest byte. all is the number of samples.
// Samples that are not covered show the background if it is opaque. If the background is not opaque, the result has
// straight alpha.
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

// step returns the encoded value of linear light x.
func (c *Colors) step(x float32) uint32 { return uint32(c.encode[stepOf(x)%steps]) }

// stepOf returns the step of linear light x, see steps.
func stepOf(x float32) uint32 {
	i := int32(float32(x*(steps-1)) + 0.5)
	return uint32(min(max(i, 0), steps-1))
}
