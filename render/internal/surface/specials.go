package surface

import (
	"math"

	"lockstep/render/internal/float3"
	"lockstep/render/internal/kernel/light"
)

// lightSpecials lights points of a batch again if they emit light or have a finish. The batch has n points of row r,
// starting with point number `from`.
func (s *Shader) lightSpecials(r *Row, from, n int) {
	s.mirrorPoints = s.mirrorPoints[:0]
	last := r.Triangles[from]
	f := s.facet(last)
	special := s.scene.isSpecial(f)
	for i, t := range r.Triangles[from : from+n] {
		if t != last { // prepare the triangle only if it changes, because neighbouring points often show the same triangle
			last, f = t, s.facet(t)
			special = s.scene.isSpecial(f)
		}
		switch {
		case !special:
		case f.paint.finish != nil && f.paint.finish.onlyMirrors():
			s.addMirror(f, i, s.batch.Open(i))
		default:
			at := s.spotOf(f, i)
			p := s.pointAt(i)
			p.x, p.y = r.position(r.Places[from+i])
			c := s.scene.lightSpecial(f, &p, &at, f.baseColor(&at), s.batch.Open(i))
			s.setPoint(i, c, r.Places[from+i].Count())
		}
	}
	if len(s.mirrorPoints) > 0 {
		s.lightMirrors()
	}
}

// lightMirrors lights the points that addMirror has recorded.
func (s *Shader) lightMirrors() {
	b := &s.batch
	s.loops.Mirror(&s.view, &s.environment.Environment, b)
	for a := range 3 {
		to, from := &b.Columns[light.Color+a], &b.Mirrored[a]
		for _, i := range s.mirrorPoints {
			to[i] = from[i]
		}
	}
}

// pointAt returns point i of the batch, with the results of loops.Aim.
func (s *Shader) pointAt(i int) point {
	normal, forward := s.batch.Aimed(i)
	return point{normal: float3.Of(normal), toEye: float3.Of(forward).Scale(-1), back: math.Signbit(float64(s.batch.Sides[i]))}
}

// addMirror records point i of the batch and its finish for lightMirrors.
func (s *Shader) addMirror(f *facet, i int, open float32) {
	fin, b := f.paint.finish, &s.batch
	c := &b.Finishes
	c[light.Metallic][i], c[light.Roughness][i], c[light.Edge][i] = fin.Metallic, fin.Roughness, fin.grazing
	c[light.Specular][i], c[light.Specular+1][i], c[light.Specular+2][i] = fin.specular.X, fin.specular.Y, fin.specular.Z
	glow := float3.Vector{}
	if f.paint.glows {
		at := s.spotOf(f, i)
		glow = f.emitted(&at)
	}
	c[light.Glow][i], c[light.Glow+1][i], c[light.Glow+2][i] = glow.X, glow.Y, glow.Z
	if fin.textured {
		at, p := s.spotOf(f, i), s.pointAt(i)
		g := f.finishAt(&p, &at)
		c[light.Metallic][i], c[light.Roughness][i], c[light.Edge][i] = g.metallic, g.roughness, g.grazing
		c[light.Specular][i], c[light.Specular+1][i], c[light.Specular+2][i] = g.specular.X, g.specular.Y, g.specular.Z
		b.SetNormal(i, g.normal.Array())
		b.SetOpen(i, float32(open*g.open))
	}
	s.mirrorPoints = append(s.mirrorPoints, int32(i))
}
