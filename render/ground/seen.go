package ground

import (
	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/internal/vector"
)

// A shadowView is the shadow in the pictures of one camera. The line of sight of a pixel meets the ground at position
// (u/w, v/w) of the map. u, v and w are linear functions of the pixel's coordinates.
type shadowView struct {
	ground  *Ground
	u, v, w linearFunc
}

// A linearFunc is the function x*l[0] + y*l[1] + l[2] of the centre (x, y) of a pixel.
type linearFunc [3]float64

// atRow returns l as a function of x alone, for the row whose centre is at y.
func (l *linearFunc) atRow(y float64) linearFunc { return linearFunc{l[0], 0, float64(y*l[1]) + l[2]} }

// Below reports whether the ground lies below the eye of cam, so that pictures of cam may show the shadow.
func (g *Ground) Below(cam *render.Camera) bool {
	if cam.Orthographic {
		return vector.Dot(cam.Forward, g.up) < 0
	}
	return g.heightOf(cam.Eye) > 0
}

// viewFor returns the view of the shadow in pictures of cam with width by height pixels. It returns nil if the ground
// does not lie below the eye.
func (g *Ground) viewFor(cam *render.Camera, width, height int) *shadowView {
	if !g.Below(cam) {
		return nil
	}
	s := &shadowView{ground: g}
	// Directions are computed with the eye at the origin, because a distant eye would cause large rounding errors.
	origin := *cam
	origin.Eye = mgl64.Vec3{}
	// A pixel's line of sight consists of the points `from` + t*`along`, for all numbers t. One of the two vectors is
	// the same for all pixels. The other vector is linear in the pixel's coordinates. The values of the vectors at
	// three pixels therefore determine their values at all pixels.
	var places [3]struct{ from, along mgl64.Vec3 }
	for i, at := range [3][2]float64{{0, 0}, {float64(width), 0}, {0, float64(height)}} {
		p := &places[i]
		p.from, p.along = cam.Eye, origin.Unproject(at[0], at[1], 1, width, height)
		if cam.Orthographic {
			p.from, p.along = cam.Unproject(at[0], at[1], 0, width, height), cam.Forward
		}
	}
	texels := float64(g.texels)
	perUnit := g.camera.Magnification * texels
	var values [3][3]float64 // values of u, v and w at the three pixels
	for i, p := range places {
		// The line of sight meets the ground at t = above/fall. fall is the descent of the line of sight per unit of t.
		fall, above := -vector.Dot(p.along, g.up), g.heightOf(p.from)
		coordinate := func(axis mgl64.Vec3, sign float64) float64 {
			from := texels/2 + float64(sign*perUnit*vector.Dot(p.from.Sub(g.camera.Eye), axis))
			return float64(from*fall) + float64(float64(sign*perUnit*vector.Dot(p.along, axis))*above)
		}
		values[0][i], values[1][i], values[2][i] = coordinate(g.camera.Right, 1), coordinate(g.camera.Up, -1), fall
	}
	for i, l := range []*linearFunc{&s.u, &s.v, &s.w} {
		f := values[i]
		*l = linearFunc{(f[1] - f[0]) / float64(width), (f[2] - f[0]) / float64(height), f[0]}
	}
	return s
}

// A shadowRow is the shadow along a row of pixels. Only pixels lo to hi-1 may show a shadow.
type shadowRow struct {
	lo, hi  int
	u, v, w linearFunc // functions of x; element 2 holds their values at x = 0
}

// row returns the shadow along the row with number `line`, which has `width` pixels.
func (s *shadowView) row(line, width int) shadowRow {
	y := float64(line) + 0.5
	r := shadowRow{u: s.u.atRow(y), v: s.v.atRow(y), w: s.w.atRow(y)}
	// Interpolation between texels makes the shadow extend half a texel beyond the area.
	a := &s.ground.area
	left, right, top, bottom := float64(a.left)-0.5, float64(a.right)+0.5, float64(a.top)-0.5, float64(a.bottom)+0.5
	first, last := 0.5, float64(width)-0.5
	// A pixel shows the ground below the eye where w >= 0. It shows the inside of the area where left*w <= u <=
	// right*w and top*w <= v <= bottom*w. Along a row, each condition holds on one side of some position.
	for _, half := range [5]linearFunc{r.w, r.u.minusScaled(left, &r.w), r.u.scaledMinus(right, &r.w), r.v.minusScaled(top, &r.w), r.v.scaledMinus(bottom, &r.w)} {
		switch a, b := half[2], half[0]; { // the condition is a + b*x >= 0
		case b > 0:
			first = max(first, -a/b-1) // subtract one pixel more, because of rounding
		case b < 0:
			last = min(last, -a/b+1)
		case a < 0:
			return r
		}
	}
	if first <= last {
		r.lo, r.hi = int(max(first-0.5, 0)), int(min(last+0.5, float64(width)))
	}
	return r
}

// minusScaled returns l - at*w along a row, and scaledMinus returns at*w - l.
func (l *linearFunc) minusScaled(at float64, w *linearFunc) linearFunc {
	return linearFunc{l[0] - float64(at*w[0]), 0, l[2] - float64(at*w[2])}
}

func (l *linearFunc) scaledMinus(at float64, w *linearFunc) linearFunc {
	return linearFunc{float64(at*w[0]) - l[0], 0, float64(at*w[2]) - l[2]}
}

// shade returns the fraction of the light that is missing on the ground at a pixel of row r.
func (g *Ground) shade(r *shadowRow, pixel int) float32 {
	x := float64(pixel) + 0.5
	under := r.w[2] + float64(x*r.w[0])
	if !(under > 0) {
		return 0
	}
	return g.at((r.u[2]+float64(x*r.u[0]))/under-0.5, (r.v[2]+float64(x*r.v[0]))/under-0.5)
}

// at returns the shadow at position (x, y) of the map, interpolated between the four texels around it. Texel (i, j)
// lies at (i, j).
func (g *Ground) at(x, y float64) float32 {
	most := float64(g.texels - 1)
	if !(x >= 0 && y >= 0 && x < most && y < most) {
		return 0
	}
	i, j := int(x), int(y)
	fx, fy := float32(x-float64(i)), float32(y-float64(j))
	t := g.shadow[j*g.texels+i:]
	top := t[0] + float32(fx*(t[1]-t[0]))
	bottom := t[g.texels] + float32(fx*(t[g.texels+1]-t[g.texels]))
	return top + float32(fy*(bottom-top))
}
