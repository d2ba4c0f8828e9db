package surface

import (
	"lockstep/render/internal/float3"
	"lockstep/render/internal/kernel/light"
	"lockstep/render/internal/kernel/texel"
	"lockstep/scenes"
)

// fetches holds the values of textures at the points of a batch. Vector instructions light these points together.
// When a point needs a texture that has not been read, the texture is read for that point and all points after it.
type fetches struct {
	loops      *texel.Loops // nil if textures are read for one point at a time
	triangles  []uint32     // triangles of the points of the batch
	places     [3]fetchPlaces
	count      int              // number of elements in use of each of the next three arrays
	textures   [8]*texture      // textures that are read for a whole batch; further textures are read for one point at a time
	firstPoint [8]int           // first point for which each texture was read
	values     [8]texel.Fetched // values that were read from each texture
}

// fetchPlaces holds the positions of the points of a batch in all textures with the same uvSet. fetches has a few such
// objects. If a batch needs more, the textures with further uvSets are read for one point at a time.
type fetchPlaces struct {
	points texel.Points
	set    *uvSet // texture coordinates; nil means the mesh's first set, used without a placement
	begun  bool   // points holds the texture coordinates of the batch's triangles
	placed bool   // points also holds the positions of the points
}

// texel returns the value of a texture at a spot of the batch, like texture.texel. If the value was read for the
// batch, texel returns that value. Otherwise it reads the texture for this point alone.
func (s *Shader) texel(t *texture, at *spot) float3.Vector {
	r, i := &s.fetches, at.point
	if t.lanes != nil && r.loops != nil {
		if k := r.findOrRead(s, t, i); k >= 0 && r.values[k].Missed[i] == 0 {
			v := &r.values[k].Values
			return float3.New(v[0][i], v[1][i], v[2][i])
		}
	}
	b := &s.batch
	count, all := int32(b.Columns[light.Weight][i]), s.pixels.Grid*s.pixels.Grid
	alone := at.paint.spot(at.weights, weightsOf(b, 1, i), weightsOf(b, 2, i), sideOf(count, all))
	return t.texel(&alone)
}

// findOrRead returns the index of texture t in r.textures. If t has not been read for point i, findOrRead reads it for
// that point and later points. It returns -1 if r.textures is full.
func (r *fetches) findOrRead(s *Shader, t *texture, i int) int {
	k := 0
	for k < r.count && r.textures[k] != t {
		k++
	}
	if k == len(r.textures) {
		return -1
	}
	if k == r.count || r.firstPoint[k] > i {
		p := r.placesIn(s, t.uvs)
		if p == nil {
			return -1
		}
		const lanes = 16 // number of lanes of the widest vectors
		first := i / lanes * lanes
		r.loops.Fetch(t.lanes, p, &r.values[k], first, s.batch.N)
		r.textures[k], r.firstPoint[k], r.count = t, first, max(r.count, k+1)
	}
	return k
}

// begin prepares for a batch, and stores the texture coordinates of its triangles in the first set.
func (r *fetches) begin(s *Shader, triangles []uint32) {
	r.triangles, r.count = triangles, 0
	for i := range r.places {
		r.places[i].begun, r.places[i].placed = false, false
	}
	if r.loops == nil || s.scene.Paint == nil || !s.scene.Paint.hasTextures {
		return
	}
	p := &r.places[0]
	p.set, p.begun = nil, true
	for i, t := range triangles {
		if c := &s.facet(t).paint; c.hasTextures {
			p.setCorners(i, &c.uv, c.extent)
		}
	}
}

// placesIn returns the positions of the batch's points in textures that use the given set. It returns nil if r.places
// is full.
func (r *fetches) placesIn(s *Shader, set *uvSet) *texel.Points {
	for i := range r.places {
		p := &r.places[i]
		if p.begun && p.set != set {
			continue
		}
		if !p.begun {
			p.set, p.begun = set, true
			for at, t := range r.triangles { // not s.facet, because that would overwrite the caller's facet
				uv := set.corners(t)
				p.setCorners(at, &uv, extentOf(&uv))
			}
		}
		if !p.placed {
			all := float32(s.pixels.Grid * s.pixels.Grid)
			r.loops.Place(&p.points, &s.batch.Weights, &s.batch.Columns[light.Weight], all, 0, s.batch.N)
			p.placed = true
		}
		return &p.points
	}
	return nil
}

// setCorners stores the texture coordinates of the corners of the triangle that point i shows.
func (p *fetchPlaces) setCorners(i int, uv *[3][2]float32, extent [2]float32) {
	to := &p.points
	for k := range uv {
		to.Corners[2*k][i], to.Corners[2*k+1][i] = uv[k][0], uv[k][1]
	}
	to.Extent[0][i], to.Extent[1][i] = extent[0], extent[1]
}

// forLoops returns the texture in the form that the vector loops read, or nil if they cannot read such a texture.
func (t *texture) forLoops() *texel.Texture {
	if t.nearest || t.minify != scenes.MinifyMean || len(t.levels) > texel.Levels {
		return nil
	}
	l := &texel.Texture{
		Picture: t.levels[0].pix, Smaller: t.smaller, Last: len(t.levels) - 1, Linear: &t.tables.linear,
		WrapU: wrapOf(t.wrapU), WrapV: wrapOf(t.wrapV), HasAlpha: t.hasAlpha,
	}
	pixels := 0
	for k, level := range t.levels {
		l.Widths[k], l.Heights[k] = float32(level.width), float32(level.height)
		if k > 0 {
			l.Starts[k] = int32(pixels)
			pixels += level.width * level.height
		}
	}
	if len(l.Picture) == 0 || uint64(len(l.Picture)+len(l.Smaller)) > 4*texel.MaxPixels {
		return nil
	}
	return l
}

func wrapOf(w scenes.Wrap) texel.Wrap {
	switch w {
	case scenes.Clamp:
		return texel.Clamp
	case scenes.Mirror:
		return texel.Mirror
	}
	return texel.Repeat
}
