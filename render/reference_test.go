package render_test

import (
	"image/color"
	"math"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
)

// This file has a second renderer, written from the rules of the picture alone, to be as simple as possible: float64
// everywhere, one triangle after the other, coverage by edge functions in int64. It shares no code with the renderer
// except the types of meshes and options.

// vec is a point or direction in mesh units.
type vec [3]float64

func (a vec) add(b vec) vec       { return vec{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func (a vec) sub(b vec) vec       { return vec{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }
func (a vec) scale(s float64) vec { return vec{a[0] * s, a[1] * s, a[2] * s} }
func (a vec) dot(b vec) float64   { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func (a vec) length() float64     { return math.Sqrt(a.dot(a)) }
func (a vec) unit() vec           { return a.scale(1 / a.length()) }
func (a vec) cross(b vec) vec {
	return vec{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// refView is the view of the reference. A point at distance z along forward and at height y above the axis appears
// y/(z*half) half picture heights above the centre, or y/half in an orthographic view.
type refView struct {
	eye, right, up, forward vec
	half                    float64
	ortho                   bool
	near                    float64
}

// refFront has the directions to the viewer and to the right in the front view, by up axis.
var refFront = map[scenes.Axis][2]vec{
	scenes.PlusZ:  {{0, -1, 0}, {1, 0, 0}},
	scenes.PlusY:  {{0, 0, 1}, {1, 0, 0}},
	scenes.MinusZ: {{0, 1, 0}, {1, 0, 0}},
	scenes.MinusY: {{0, 0, -1}, {1, 0, 0}},
	scenes.PlusX:  {{0, 0, -1}, {0, 1, 0}},
	scenes.MinusX: {{0, 0, 1}, {0, 1, 0}},
}

// refFit finds the view by bisection: the smallest distance (or scale) at which the box's corners project within the
// central 90 %.
func refFit(box scenes.Box, width, height int, o camera.Options) refView {
	u := vec(o.Up.Vector())
	front, right := refFront[o.Up][0], refFront[o.Up][1]
	az, el := o.Azimuth*math.Pi/180, o.Elevation*math.Pi/180
	around := front.scale(math.Cos(az)).add(right.scale(math.Sin(az)))
	toEye := around.scale(math.Cos(el)).add(u.scale(math.Sin(el)))
	v := refView{forward: toEye.scale(-1), ortho: o.Orthographic}
	switch o.Elevation {
	case 90:
		v.up = around.scale(-1)
	case -90:
		v.up = around
	default:
		v.up = u.sub(toEye.scale(u.dot(toEye))).unit()
	}
	v.right = v.forward.cross(v.up)

	fov, zoom := o.FieldOfView, o.Zoom
	if fov == 0 {
		fov = 30
	}
	if zoom == 0 {
		zoom = 1
	}
	tan := math.Tan(fov * math.Pi / 360)
	var target vec
	for c := range target {
		target[c] = (box.Min[c] + box.Max[c]) / 2
	}
	aspect := float64(width) / float64(height)
	fits := func(size float64) bool {
		for i := range 8 {
			var p vec
			for c := range p {
				p[c] = box.Min[c]
				if i&(1<<c) != 0 {
					p[c] = box.Max[c]
				}
			}
			p = p.sub(target)
			half := size
			if !o.Orthographic {
				z := size + p.dot(v.forward)
				if z <= 0 {
					return false
				}
				half = z * tan
			}
			if math.Abs(p.dot(v.right)) > 0.9*half*aspect || math.Abs(p.dot(v.up)) > 0.9*half {
				return false
			}
		}
		return true
	}
	size := bisect(fits, box)
	if o.Orthographic {
		v.half = size / zoom
		v.eye = target.sub(v.forward.scale(2 * diagonal(box)))
	} else {
		v.half = tan / zoom
		v.eye = target.sub(v.forward.scale(size))
	}
	return v
}

func diagonal(box scenes.Box) float64 { return vec(box.Max).sub(vec(box.Min)).length() }

// bisect returns the smallest size for which fits returns true.
func bisect(fits func(float64) bool, box scenes.Box) float64 {
	lo, hi := 0.0, diagonal(box)
	for !fits(hi) {
		hi *= 2
	}
	for {
		mid := lo + (hi-lo)/2
		if mid <= lo || mid >= hi {
			return hi
		}
		if fits(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
}

// refPicture holds the values of the nearest triangle at each sample.
type refPicture struct {
	width, height int // size in samples
	hit           []bool
	nearness      []float64 // larger is nearer
	depth         []float64 // distance along the viewing direction from the eye
	color         []uint32  // 0xRRGGBB
	payload       []uint32
	hits          int64 // number of times that samples were covered
}

func newRefPicture(width, height int) *refPicture {
	n := width * height
	return &refPicture{
		width: width, height: height,
		hit: make([]bool, n), nearness: make([]float64, n), depth: make([]float64, n),
		color: make([]uint32, n), payload: make([]uint32, n),
	}
}

// refPoint is a corner in the axes of the camera.
type refPoint struct{ x, y, z float64 }

// refCorner is a snapped corner, in subpixels, with its nearness.
type refCorner struct {
	x, y     int64
	nearness float64
}

const (
	refSub   = 256
	refGuard = 1 << 14 // pixels
)

// draw draws the mesh. base is the colour of triangles without a colour.
func (v *refView) draw(mesh *scenes.Mesh, p *refPicture, cull render.Cull, base color.Color) {
	for t := range mesh.Len() {
		corners := mesh.Triangle(t)
		var q [3]vec
		finite := true
		for k, c := range corners {
			q[k] = vec{float64(c[0]), float64(c[1]), float64(c[2])}
			for _, x := range q[k] {
				finite = finite && !math.IsNaN(x) && !math.IsInf(x, 0)
			}
		}
		if !finite {
			continue
		}
		color := uint32(render.DefaultColor)
		if mesh.Colors != nil {
			color = mesh.Colors[t]
		}
		if base != nil {
			color = uint32(base.(render.RGB))
		}
		v.triangle(p, q, cull, refShade(v, q, color))
	}
}

// triangle clips, snaps and draws one triangle.
func (v *refView) triangle(p *refPicture, q [3]vec, cull render.Cull, color uint32) {
	poly := make([]refPoint, 0, 8)
	for _, c := range q {
		d := c.sub(v.eye)
		poly = append(poly, refPoint{d.dot(v.right), d.dot(v.up), d.dot(v.forward)})
	}
	if !v.ortho {
		poly = refClip(poly, func(c refPoint) float64 { return c.z - v.near })
	}
	perPixel := v.half * 2 / float64(p.height)
	for _, side := range [4][2]float64{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
		poly = refClip(poly, func(c refPoint) float64 {
			reach := refGuard * perPixel
			if !v.ortho {
				reach *= c.z
			}
			return reach + side[0]*c.x + side[1]*c.y
		})
	}
	snapped := make([]refCorner, len(poly))
	for k, c := range poly {
		unit, nearness := perPixel, -c.z
		if !v.ortho {
			unit, nearness = perPixel*c.z, 1/c.z
		}
		snapped[k] = refCorner{
			x:        int64(math.RoundToEven((float64(p.width)/2 + c.x/unit) * refSub)),
			y:        int64(math.RoundToEven((float64(p.height)/2 - c.y/unit) * refSub)),
			nearness: nearness,
		}
	}
	for k := 2; k < len(snapped); k++ {
		v.fill(p, [3]refCorner{snapped[0], snapped[k-1], snapped[k]}, cull, color)
	}
}

// refClip returns the part of a polygon in which inside is at least 0.
func refClip(poly []refPoint, inside func(refPoint) float64) []refPoint {
	var kept []refPoint
	for k, a := range poly {
		b := poly[(k+1)%len(poly)]
		da, db := inside(a), inside(b)
		if da >= 0 {
			kept = append(kept, a)
		}
		if (da >= 0) != (db >= 0) {
			s := da / (da - db)
			kept = append(kept, refPoint{a.x + s*(b.x-a.x), a.y + s*(b.y-a.y), a.z + s*(b.z-a.z)})
		}
	}
	return kept
}

// refEdge is positive if (x, y) lies on the inner side of the edge from a to b. The triangle must be clockwise on the
// screen, with y down.
func refEdge(a, b refCorner, x, y int64) int64 {
	return (b.x-a.x)*(y-a.y) - (b.y-a.y)*(x-a.x)
}

// refOwns reports whether points on the edge from a to b belong to the triangle, by the top-left rule. In a clockwise
// triangle a left edge runs up, and a top edge to the right.
func refOwns(a, b refCorner) bool { return b.y < a.y || b.y == a.y && b.x > a.x }

// fill covers the pixels whose centres lie in a snapped triangle.
func (v *refView) fill(p *refPicture, c [3]refCorner, cull render.Cull, color uint32) {
	area := refEdge(c[0], c[1], c[2].x, c[2].y)
	// Because y points down, a front face, which is counter-clockwise in the world, has a negative area.
	if area == 0 || area < 0 && cull == render.CullFront || area > 0 && cull == render.CullBack {
		return
	}
	if area < 0 {
		c[1], c[2] = c[2], c[1]
		area = -area
	}
	i0 := max(0, min(c[0].x, c[1].x, c[2].x)/refSub-1)
	i1 := min(int64(p.width)-1, max(c[0].x, c[1].x, c[2].x)/refSub+1)
	j0 := max(0, min(c[0].y, c[1].y, c[2].y)/refSub-1)
	j1 := min(int64(p.height)-1, max(c[0].y, c[1].y, c[2].y)/refSub+1)
	for j := j0; j <= j1; j++ {
		for i := i0; i <= i1; i++ {
			x, y := i*refSub+refSub/2, j*refSub+refSub/2
			var f [3]int64
			inside := true
			for k := range f {
				a, b := c[(k+1)%3], c[(k+2)%3]
				f[k] = refEdge(a, b, x, y)
				inside = inside && (f[k] > 0 || f[k] == 0 && refOwns(a, b))
			}
			if inside {
				n := (float64(f[0])*c[0].nearness + float64(f[1])*c[1].nearness + float64(f[2])*c[2].nearness) / float64(area)
				v.put(p, int(j)*p.width+int(i), n, color)
			}
		}
	}
}

// put tests the depth of a sample and stores the nearest triangle. If triangles are equally near, it stores the one
// with the smallest payload.
func (v *refView) put(p *refPicture, at int, nearness float64, color uint32) {
	p.hits++
	payload := 0xff<<24 | color&255<<16 | color&0xff00 | color>>16&255
	if p.hit[at] && (nearness < p.nearness[at] || nearness == p.nearness[at] && payload >= p.payload[at]) {
		return
	}
	p.hit[at], p.nearness[at], p.color[at], p.payload[at] = true, nearness, color, payload
	p.depth[at] = -nearness
	if !v.ortho {
		p.depth[at] = 1 / nearness
	}
}

// refShade lights a triangle from the eye.
func refShade(v *refView, q [3]vec, color uint32) uint32 {
	// Lengths are divided by the triangle's size, so that squares neither vanish nor overflow.
	size := 0.0
	for _, c := range q {
		size = max(size, c.sub(q[0]).length())
	}
	if size == 0 {
		return color
	}
	normal := q[1].sub(q[0]).scale(1 / size).cross(q[2].sub(q[0]).scale(1 / size))
	toEye := v.forward.scale(-1)
	if !v.ortho {
		toEye = v.eye.sub(q[0].add(q[1]).add(q[2]).scale(1. / 3)).unit()
	}
	cos := 0.0
	if l := normal.length(); l > 0 {
		cos = math.Abs(normal.dot(toEye)) / l
	}
	return lit(color, 0.15+0.85*cos)
}

// lit multiplies an sRGB colour by an intensity in linear light.
func lit(color uint32, intensity float64) uint32 {
	var out uint32
	for shift := 0; shift < 24; shift += 8 {
		light := toLinear(float64(color>>shift&255)/255) * intensity
		out |= uint32(math.Round(255*toSRGB(light))) << shift
	}
	return out
}

// toSRGB is the sRGB transfer function of IEC 61966-2-1.
func toSRGB(linear float64) float64 {
	if linear <= 0.0031308 {
		return 12.92 * linear
	}
	return 1.055*math.Pow(linear, 1/2.4) - 0.055
}

func toLinear(s float64) float64 {
	if s <= 0.04045 {
		return s / 12.92
	}
	return math.Pow((s+0.055)/1.055, 2.4)
}

// pixels averages grid x grid samples per pixel in linear light, with straight alpha, over a background if there is
// one. The depth of a pixel is that of its nearest sample, or +Inf if there is none.
func (p *refPicture) pixels(grid int, background color.Color) (pix []byte, depth []float64) {
	width, height := p.width/grid, p.height/grid
	for j := range height {
		for i := range width {
			var light [3]float64
			hits, nearest := 0, math.Inf(1)
			for s := range grid * grid {
				at := (j*grid+s/grid)*p.width + i*grid + s%grid
				color := p.color[at]
				if p.hit[at] {
					hits++
					nearest = min(nearest, p.depth[at])
				} else if background != nil {
					color = uint32(background.(render.RGB))
				} else {
					continue
				}
				for c := range light {
					light[c] += toLinear(float64(color>>(16-8*c)&255) / 255)
				}
			}
			all, alpha := float64(grid*grid), byte(255)
			if background == nil {
				alpha = byte(math.Round(255 * float64(hits) / all))
				all = math.Max(1, float64(hits))
			}
			for _, l := range light {
				pix = append(pix, byte(math.Round(255*toSRGB(l/all))))
			}
			pix = append(pix, alpha)
			depth = append(depth, nearest)
		}
	}
	return pix, depth
}
