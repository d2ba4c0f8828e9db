package surface

import (
	"math"

	"lockstep/render/internal/float3"
	"lockstep/render/internal/kernel/light"
	"lockstep/render/internal/visible"
)

// records caches records for a scene without Scene.Records. A record holds the corners of a triangle, and its normals
// if it has normals. Triangle t belongs in slot t % recordSlots. If a batch of points needs a triangle whose record
// is not in its slot, the record is made behind the slots. It is moved to its slot after the batch has been lit.
type records struct {
	records [recordSlots + light.Capacity]light.Record
	number  [recordSlots]uint32    // number of the triangle in each slot
	indices [light.Capacity]uint32 // index in records of each point's record, for the points of the batch
	missing []uint32               // numbers of the triangles whose records are behind the slots
}

// recordSlots is the number of triangles in the cache. A few tile rows show about as many triangles. The records have
// 0.2 MB in a second-level cache.
const recordSlots = 4096

// begin empties the cache.
func (r *records) begin() {
	for at := range r.number {
		r.number[at] = uint32(at) + 1 // this triangle belongs in another slot, so this slot counts as empty
	}
	if r.missing == nil {
		r.missing = make([]uint32, 0, light.Capacity)
	}
	r.missing = r.missing[:0]
}

// findOrMake returns the indices of the records of triangles, and makes missing records. There must not be more
// triangles than points in a batch.
func (r *records) findOrMake(s *Scene, stored *chunkCache, triangles []uint32) []uint32 {
	r.missing = r.missing[:0]
	indices := r.indices[:len(triangles)]
	for i, t := range triangles {
		at := t % recordSlots
		if r.number[at] != t {
			at = r.addMissing(s, stored, t)
		}
		indices[i] = at
	}
	return indices
}

// addMissing makes the record of triangle t behind the slots, and returns its index. If the previous triangle was the
// same, which is frequent, it does not make the record again.
func (r *records) addMissing(s *Scene, stored *chunkCache, t uint32) uint32 {
	n := len(r.missing)
	if n == 0 || r.missing[n-1] != t {
		r.missing = append(r.missing, t)
		b, dst := &s.Block, &r.records[recordSlots+n]
		if s.Stored != nil {
			stored.record(t, dst)
			return uint32(recordSlots + n)
		}
		if s.Cloud != nil {
			s.Cloud.record(t, dst)
			return uint32(recordSlots + n)
		}
		*dst = light.Record{}
		for k := range 3 {
			dst[3*k], dst[3*k+1], dst[3*k+2] = math.Float32bits(b.X[k][t]), math.Float32bits(b.Y[k][t]), math.Float32bits(b.Z[k][t])
		}
	}
	return uint32(recordSlots + len(r.missing) - 1)
}

// moveToSlots moves the records that addMissing has made to their slots. addMissing itself must not overwrite these
// slots, because the batch may use the records in them.
func (r *records) moveToSlots() {
	for i, t := range r.missing {
		at := t % recordSlots
		r.number[at], r.records[at] = t, r.records[recordSlots+i]
	}
}

// pointsOf returns triangles and places in the form that the loops read. If the scene has no records, the result is
// valid until releaseRecords is called.
func (s *Shader) pointsOf(triangles, places []uint32, runs *light.Runs) light.Points {
	if s.scene.Records == nil {
		triangles, runs = s.records.findOrMake(s.scene, &s.chunks, triangles), nil
	}
	return light.Points{Triangles: triangles, Places: places, Runs: runs}
}

// releaseRecords allows the next call of pointsOf to overwrite the records of this call.
func (s *Shader) releaseRecords() {
	if s.scene.Records == nil {
		s.records.moveToSlots()
	}
}

// lightRowInBatches is LightRow for the vector loops, which light the points in batches.
func (s *Shader) lightRowInBatches(r *Row) {
	tables, behind := s.scene.Tables, r.Background
	linear := &tables.linear
	p := &s.pixels
	p.SetGrid(int32(r.Grid))
	p.Left, p.Top, p.Opaque, p.Encode = r.X, r.Y, behind>>24 == 255, &tables.encode
	p.Background = [3]float32{linear[behind&255], linear[behind>>8&255], linear[behind>>16&255]}
	triangles, places := r.Triangles, r.Places
	ahead := s.scene.Records != nil // all records exist already, so Seek can prefetch those of the next batch
	end, k, from, edges := batchOf(places), 0, 0, r.Edges
	if ahead {
		s.loops.Seek(&s.triangles, light.Points{Triangles: triangles[:end]}, &s.runs[k])
	}
	for len(triangles) > 0 {
		next := batchOf(places[end:])
		if ahead {
			s.loops.Seek(&s.triangles, light.Points{Triangles: triangles[end : end+next]}, &s.runs[1-k])
		}
		edges = s.findEdgePoints(edges, places[:end])
		s.lightBatch(r, from, end, &s.runs[k])
		if s.scene.hasSpecial() {
			s.lightSpecials(r, from, end)
		}
		s.loops.Blend(&s.pixels, &s.batch, r.Pix)
		triangles, places = triangles[end:], places[end:]
		end, k, from = next, 1-k, from+end
	}
}

// batchOf returns the number of points in the next batch. A batch consists of whole pixels.
func batchOf(places []visible.Place) int {
	end := min(len(places), light.Capacity)
	for end < len(places) && places[end].Pixel() == places[end-1].Pixel() {
		end--
	}
	return end
}

// lightBatch lights n points of row r, beginning with point number `from`. Points in s.edgePoints may get an open share
// of the sky that differs from their pixel's share.
func (s *Shader) lightBatch(r *Row, from, n int, runs *light.Runs) {
	scene, triangles := s.scene, r.Triangles[from:from+n]
	points := s.pointsOf(triangles, visible.Words(r.Places[from:from+n]), runs)
	defer s.releaseRecords()
	painted := scene.Facing != nil || scene.Field != nil || scene.Paint != nil || scene.Finish != nil
	if !painted && scene.Colors != nil {
		s.setColors(triangles)
	}
	if !painted && len(s.edgePoints) == 0 {
		s.loops.Light(&s.triangles, &s.view, &s.pixels, points, r.Open, &s.batch)
		return
	}
	s.loops.Aim(&s.triangles, &s.view, &s.pixels, points, r.Open, &s.batch, scene.Paint != nil && scene.Paint.hasTextures)
	s.setOwnSkies(r, from, points.Runs)
	if painted {
		s.lightPainted(triangles)
		return
	}
	s.loops.Shine(&s.view, &s.batch)
}

// lightPainted computes the base colours of the points of a batch one by one, and then lights all points.
func (s *Shader) lightPainted(triangles []uint32) {
	scene, b := s.scene, &s.batch
	c := &b.Columns
	unlit := false
	s.fetches.begin(s, triangles)
	for i, t := range triangles {
		base := float3.Vector{}
		switch {
		case scene.Facing != nil:
			base = scene.facingColor(math.Signbit(float64(b.Sides[i])))
		case scene.Field != nil && scene.Field.has(t):
			base = scene.Field.color(t, weightsOf(b, 0, i).Array())
		default:
			base = s.baseColorAt(t, i)
			unlit = unlit || s.facet(t).paint.unlit
		}
		c[light.Base][i], c[light.Base+1][i], c[light.Base+2][i] = base.X, base.Y, base.Z
	}
	s.loops.Shine(&s.view, b)
	if unlit {
		s.setUnlit(triangles)
	}
}

// baseColorAt returns the base colour of triangle t at point i of the batch.
func (s *Shader) baseColorAt(t uint32, i int) float3.Vector {
	f := s.facet(t)
	if !f.paint.colored && f.paint.texture == nil {
		return f.base
	}
	at := s.spotOf(f, i)
	return f.baseColor(&at)
}

// spotOf is Scene.spot for point i of the batch.
func (s *Shader) spotOf(f *facet, i int) spot {
	w := weightsOf(&s.batch, 0, i)
	if !f.paint.hasTextures {
		return spot{weights: w}
	}
	return spot{weights: w, batch: s, paint: &f.paint, point: i}
}

// weightsOf returns the weights of the corners at point i. If place is 1, it returns the weights one pixel to the
// right of the point; if place is 2, one pixel above.
func weightsOf(b *light.Batch, place, i int) float3.Vector {
	w := &b.Weights[place]
	return float3.New(w[0][i], w[1][i], w[2][i])
}

// setUnlit sets the colours of points of unlit triangles to their base colours.
func (s *Shader) setUnlit(triangles []uint32) {
	c := &s.batch.Columns
	for i, t := range triangles {
		if !s.scene.isUnlit(s.facet(t)) {
			continue
		}
		for a := range 3 {
			c[light.Color+a][i] = float32(min(c[light.Base+a][i], maxLight) * c[light.Weight][i])
		}
	}
}

// setColors sets the base colours of the points of a batch to those of their triangles.
func (s *Shader) setColors(triangles []uint32) {
	c := &s.batch.Columns
	last, base := triangles[0], s.scene.base(triangles[0])
	for i, t := range triangles {
		if t != last { // read the colour only once for neighbouring points of the same triangle
			last, base = t, s.scene.base(t)
		}
		c[light.Base][i], c[light.Base+1][i], c[light.Base+2][i] = base.X, base.Y, base.Z
	}
}
