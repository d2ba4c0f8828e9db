package surface

import (
	"lockstep/render/internal/float3"
	"lockstep/render/internal/kernel/light"
	"lockstep/render/internal/kernel/texel"
	"lockstep/scenes"
)

// fetches holds what textures show at the points of a batch. Each texture is read at all of them at once, from the first
// point that asks for it on.
type fetches struct {
	loops  *texel.Loops // nil: points read their textures one by one
	points texel.Points
	placed bool             // whether points lies in textures
	count  int              // of textures
	of     [8]*texture      // further textures are read point by point: each costs the work of a whole batch
	from   [8]int           // the first point that was read, by texture
	to     [8]texel.Fetched // what was read, by texture
}

// texel does the work of texture.texel for a spot of the batch. It looks the value up in what was read for all points,
// and reads the texture for this point alone if it is not there.
func (s *Shader) texel(t *texture, at *spot) float3.Vector {
	r, i := &s.fetches, at.point
	if t.lanes != nil && r.loops != nil {
		if k := r.find(s, t, i); k >= 0 && r.to[k].Missed[i] == 0 {
			v := &r.to[k].Values
			return float3.New(v[0][i], v[1][i], v[2][i])
		}
	}
	b := &s.batch
	count, all := int32(b.Columns[light.Weight][i]), s.pixels.Grid*s.pixels.Grid
	alone := at.coat.spot(at.weights, weightsOf(b, 1, i), weightsOf(b, 2, i), sideOf(count, all))
	return t.texel(&alone)
}

// find returns the place of a texture that is read at point i, -1 if there is no place left.
func (r *fetches) find(s *Shader, t *texture, i int) int {
	k := 0
	for k < r.count && r.of[k] != t {
		k++
	}
	if k == len(r.of) {
		return -1
	}
	if k == r.count || r.from[k] > i {
		if !r.placed {
			all := float32(s.pixels.Grid * s.pixels.Grid)
			r.loops.Place(&r.points, &s.batch.Weights, &s.batch.Columns[light.Weight], all, 0, s.batch.N)
			r.placed = true
		}
		const lanes = 16 // of the widest vectors
		first := i / lanes * lanes
		r.loops.Fetch(t.lanes, &r.points, &r.to[k], first, s.batch.N)
		r.of[k], r.from[k], r.count = t, first, max(r.count, k+1)
	}
	return k
}

// begin stores the texture coordinates of the triangles of a batch, which Place needs.
func (r *fetches) begin(s *Shader, triangles []uint32) {
	r.placed, r.count = false, 0
	if r.loops == nil || s.scene.Paint == nil || !s.scene.Paint.hasTextures {
		return
	}
	p := &r.points
	for i, t := range triangles {
		c := &s.facet(t).coat
		if !c.hasTextures {
			continue
		}
		for k, uv := range c.uv {
			p.Corners[2*k][i], p.Corners[2*k+1][i] = uv[0], uv[1]
		}
		p.Extent[0][i], p.Extent[1][i] = c.extent[0], c.extent[1]
	}
}

// forLoops returns the texture as loops read it, nil if they do not know how.
func (t *texture) forLoops() *texel.Texture {
	if t.nearest || t.minify != scenes.MinifyMean || len(t.levels) > texel.Levels {
		return nil
	}
	l := &texel.Texture{
		Picture: t.levels[0].pix, Smaller: t.smaller, Last: len(t.levels) - 1, Linear: &t.tables.linear,
		WrapU: wrapOf(t.wrapU), WrapV: wrapOf(t.wrapV), Holes: t.hasAlpha,
	}
	pixels := 0
	for k, level := range t.levels {
		l.Widths[k], l.Heights[k] = float32(level.width), float32(level.height)
		if k > 0 {
			l.Starts[k] = int32(pixels)
			pixels += level.width * level.height
		}
	}
	if len(l.Picture) == 0 || uint64(len(l.Picture)+len(l.Smaller)) > 4*texel.MostPixels {
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
