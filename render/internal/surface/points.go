package surface

import (
	"math"

	"lockstep/render/internal/float3"
	"lockstep/render/internal/kernel/light"
	"lockstep/render/internal/visible"
)

// records are those of triangles of a mesh that has none, without normals, made for the points of a batch. A
// triangle has its place by its number. One that is not there yet gets a place behind the slots,
// for the points of the batch, and moves to its own when these are lit.
type records struct {
	all     [recordSlots + light.Capacity]light.Record
	number  [recordSlots]uint32    // by place
	from    [light.Capacity]uint32 // by point: its record
	missing []uint32               // triangles behind the slots
}

// recordSlots is how many triangles are kept: those of some rows of tiles. They take 0.2 MB of a
// second-level cache.
const recordSlots = 4096

// begin forgets all triangles.
func (r *records) begin() {
	for at := range r.number {
		r.number[at] = uint32(at) + 1 // a triangle that has another place
	}
	if r.missing == nil {
		r.missing = make([]uint32, 0, light.Capacity)
	}
	r.missing = r.missing[:0]
}

// find returns the numbers of the records of triangles, of which there are no more than a batch
// holds.
func (r *records) find(s *Scene, stored *chunkCache, triangles []uint32) []uint32 {
	r.missing = r.missing[:0]
	from := r.from[:len(triangles)]
	for i, t := range triangles {
		at := t % recordSlots
		if r.number[at] != t {
			at = r.addMissing(s, stored, t)
		}
		from[i] = at
	}
	return from
}

// addMissing returns the place of a triangle that has none of its own. Points side by side often show
// the same.
func (r *records) addMissing(s *Scene, stored *chunkCache, t uint32) uint32 {
	n := len(r.missing)
	if n == 0 || r.missing[n-1] != t {
		r.missing = append(r.missing, t)
		b, to := &s.Block, &r.all[recordSlots+n]
		if s.Stored != nil {
			stored.record(t, to)
			return uint32(recordSlots + n)
		}
		*to = light.Record{}
		for k := range 3 {
			to[3*k], to[3*k+1], to[3*k+2] = math.Float32bits(b.X[k][t]), math.Float32bits(b.Y[k][t]), math.Float32bits(b.Z[k][t])
		}
	}
	return uint32(recordSlots + len(r.missing) - 1)
}

// keep moves the records that find made to their places, where others may have been that the
// points did want.
func (r *records) keep() {
	for i, t := range r.missing {
		at := t % recordSlots
		r.number[at], r.all[at] = t, r.all[recordSlots+i]
	}
}

// pointsOf are triangles and places as loops want them. Where the scene has no records they hold
// until done.
func (s *Shader) pointsOf(triangles, places []uint32, runs *light.Runs) light.Points {
	if s.scene.Records == nil {
		triangles, runs = s.records.find(s.scene, &s.pages, triangles), nil
	}
	return light.Points{Triangles: triangles, Places: places, Runs: runs}
}

func (s *Shader) releaseRecords() {
	if s.scene.Records == nil {
		s.records.keep()
	}
}

// batches is Row by vectors.
func (s *Shader) batches(r *Row) {
	tables, behind := s.scene.Tables, r.Background
	linear := &tables.linear
	p := &s.pixels
	p.SetGrid(int32(r.Grid))
	p.Left, p.Top, p.Opaque, p.Encode = r.X, r.Y, behind>>24 == 255, &tables.encode
	p.Background = [3]float32{linear[behind&255], linear[behind>>8&255], linear[behind>>16&255]}
	triangles, places := r.Triangles, r.Places
	ahead := s.scene.Records != nil // others find a batch's triangles when it is lit
	end, k, own := batchOf(places), 0, r.Own
	if ahead {
		s.loops.Seek(&s.triangles, light.Points{Triangles: triangles[:end]}, &s.runs[k])
	}
	for len(triangles) > 0 {
		next := batchOf(places[end:])
		if ahead {
			s.loops.Seek(&s.triangles, light.Points{Triangles: triangles[end : end+next]}, &s.runs[1-k])
		}
		s.lightBatch(triangles[:end], visible.Words(places[:end]), r.Open, &s.runs[k])
		if s.scene.hasSpecial() {
			s.lightSpecials(r, len(r.Places)-len(places), end)
		}
		own = s.relightOwnSkies(r, own, len(r.Places)-len(places), end)
		s.loops.Blend(&s.pixels, &s.batch, r.Pix)
		triangles, places = triangles[end:], places[end:]
		end, k = next, 1-k
	}
}

// batchOf returns how many points the next batch takes: whole pixels.
func batchOf(places []visible.Place) int {
	end := min(len(places), light.Capacity)
	for end < len(places) && places[end].Pixel() == places[end-1].Pixel() {
		end--
	}
	return end
}

// lightBatch lights points, no more than a batch holds.
func (s *Shader) lightBatch(triangles, places []uint32, open []float32, runs *light.Runs) {
	scene := s.scene
	points := s.pointsOf(triangles, places, runs)
	defer s.releaseRecords()
	if scene.Facing != nil || scene.Field != nil || scene.Paint != nil || scene.Finish != nil {
		s.loops.Aim(&s.triangles, &s.view, &s.pixels, points, open, &s.batch, scene.Paint != nil && scene.Paint.hasTextures)
		s.paint(triangles)
		return
	}
	if scene.Colors != nil {
		s.setColors(triangles)
	}
	s.loops.Light(&s.triangles, &s.view, &s.pixels, points, open, &s.batch)
}

// paint finds the colours of the points of a batch one by one, and lights them.
func (s *Shader) paint(triangles []uint32) {
	scene, b := s.scene, &s.batch
	c := &b.Columns
	unlit := false
	s.fetches.begin(s, triangles)
	for i, t := range triangles {
		base := float3.Vector{}
		switch {
		case scene.Facing != nil:
			base = scene.side(math.Signbit(float64(b.Sides[i])))
		case scene.Field != nil && scene.Field.has(t):
			base = scene.Field.color(t, weightsOf(b, 0, i).Array())
		default:
			base = s.paintedOf(t, i)
			unlit = unlit || s.facet(t).coat.unlit
		}
		c[light.Base][i], c[light.Base+1][i], c[light.Base+2][i] = base.X, base.Y, base.Z
	}
	s.loops.Shine(&s.view, b)
	if unlit {
		s.setUnlit(triangles)
	}
}

// paintedOf is the colour of a triangle at point i of the batch.
func (s *Shader) paintedOf(t uint32, i int) float3.Vector {
	f := s.facet(t)
	if !f.coat.colored && f.coat.texture == nil {
		return f.base
	}
	at := s.spotOf(f, i)
	return f.painted(&at)
}

// spotOf is Scene.spot at point i of the batch.
func (s *Shader) spotOf(f *facet, i int) spot {
	w := weightsOf(&s.batch, 0, i)
	if !f.coat.hasTextures {
		return spot{weights: w}
	}
	return spot{weights: w, batch: s, coat: &f.coat, point: i}
}

// weightsOf reads the weights of a point, or of one beside it.
func weightsOf(b *light.Batch, place, i int) float3.Vector {
	w := &b.Weights[place]
	return float3.New(w[0][i], w[1][i], w[2][i])
}

// setUnlit gives the points of triangles that no light changes their own colours.
func (s *Shader) setUnlit(triangles []uint32) {
	c := &s.batch.Columns
	for i, t := range triangles {
		if !s.scene.unlit(s.facet(t)) {
			continue
		}
		for a := range 3 {
			c[light.Color+a][i] = float32(min(c[light.Base+a][i], maxLight) * c[light.Weight][i])
		}
	}
}

// setColors sets the colours of the points of a batch.
func (s *Shader) setColors(triangles []uint32) {
	c := &s.batch.Columns
	last, base := triangles[0], s.scene.base(triangles[0])
	for i, t := range triangles {
		if t != last { // neighbours often show the same
			last, base = t, s.scene.base(t)
		}
		c[light.Base][i], c[light.Base+1][i], c[light.Base+2][i] = base.X, base.Y, base.Z
	}
}
