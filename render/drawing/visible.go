package drawing

import (
	"context"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/internal/edges"
	"lockstep/scenes"
)

// A viewer determines which parts of edges are visible.
type viewer struct {
	mesh          *scenes.Mesh
	set           *edges.Set
	pic           *render.Picture
	cam           *render.Camera
	scale         float64 // pixels of pic per unit of the page
	unitsPerPixel float64 // mesh units per pixel; for a perspective camera, at depth 1
}

func newViewer(mesh *scenes.Mesh, set *edges.Set, pic *render.Picture, cam *render.Camera, width int) *viewer {
	return &viewer{
		mesh: mesh, set: set, pic: pic, cam: cam,
		scale: float64(pic.Width / width), unitsPerPixel: 1 / float64(cam.Magnification*float64(pic.Height)),
	}
}

// edgesPerTask is the number of edges that one task handles.
const edgesPerTask = 4096

// A piece is a part of an edge. Its ends a and b are in pixels of the picture.
type piece struct {
	a, b         Point
	from, to     uint32 // vertices of the edge at a and b; edges.None if the piece ends before the vertex
	wire, hidden bool
}

// findLines computes the lines of d.
func (v *viewer) findLines(ctx context.Context, d *Drawing, o Options) error {
	tasks := (len(v.set.Edges) + edgesPerTask - 1) / edgesPerTask
	found := make([][]piece, tasks)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), tasks) {
		wg.Go(func() {
			for task := int(next.Add(1)) - 1; task < tasks && ctx.Err() == nil; task = int(next.Add(1)) - 1 {
				for i := task * edgesPerTask; i < min((task+1)*edgesPerTask, len(v.set.Edges)); i++ {
					found[task] = v.appendEdge(found[task], i, o)
				}
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var visible, hidden, wires []piece
	for _, part := range found {
		for _, p := range part {
			switch {
			case p.hidden:
				hidden = append(hidden, p)
			case p.wire:
				wires = append(wires, p)
			default:
				visible = append(visible, p)
			}
		}
	}
	d.Visible, d.Hidden, d.Wires = joinPieces(visible, v.scale), joinPieces(hidden, v.scale), joinPieces(wires, v.scale)
	return nil
}

// appendEdge appends the pieces of edge i that are drawn.
func (v *viewer) appendEdge(to []piece, i int, o Options) []piece {
	e := &v.set.Edges[i]
	a, b := v.set.Corner(e.A), v.set.Corner(e.B)
	view := v.cam.Forward
	if !v.cam.Orthographic {
		view = a.Sub(v.cam.Eye)
	}
	contour := !e.Feature && v.set.IsSilhouette(i, view)
	culling := edges.Culling{Backs: o.Cull == render.CullBack, Fronts: o.Cull == render.CullFront, OneSided: o.OneSided}
	if !e.Feature && !contour && !o.Wires || v.set.IsCulled(i, view, culling) {
		return to
	}
	s, ok := v.project(a, b)
	if !ok {
		return to
	}
	wire := !e.Feature && !contour
	small := v.hasSmallTriangle(e)
	seen := func(t float64) bool { return v.isVisible(&s, t, e, small, contour) }
	whole := piece{from: e.A, to: e.B, wire: wire}
	return splitByVisibility(to, &s, whole, seen, o.Hidden && e.Feature)
}

// splitByVisibility appends the visible pieces of s to the slice `to`. If hidden is true, it also appends the hidden
// pieces. The function seen(t) reports whether the point at t, from 0 to 1, is visible. `whole` holds the fields that
// are the same in all pieces.
func splitByVisibility(to []piece, s *segment, whole piece, seen func(t float64) bool, hidden bool) []piece {
	steps := max(1, int(math.Ceil(s.length())))
	add := func(lo, hi int, visible bool) {
		if !visible && !hidden {
			return
		}
		p := piece{a: s.at(float64(lo) / float64(steps)), b: s.at(float64(hi) / float64(steps)), from: edges.None, to: edges.None, wire: whole.wire, hidden: !visible}
		if lo == 0 && !s.clippedA {
			p.from = whole.from
		}
		if hi == steps && !s.clippedB {
			p.to = whole.to
		}
		to = append(to, p)
	}
	began, was := 0, seen(0.5/float64(steps))
	for k := 1; k < steps; k++ {
		if is := seen((float64(k) + 0.5) / float64(steps)); is != was {
			add(began, k, was)
			began, was = k, is
		}
	}
	add(began, steps, was)
	return to
}

// isVisible reports whether the point at t, from 0 to 1, of segment s of edge e is visible. small says that the edge
// has a small triangle (see hasSmallTriangle). contour says that the edge is a silhouette.
func (v *viewer) isVisible(s *segment, t float64, e *edges.Edge, small, contour bool) bool {
	at := s.at(t)
	x, y := int(math.Floor(at.X)), int(math.Floor(at.Y))
	w, h := v.pic.Width, v.pic.Height
	nearest, farthest := float32(math.Inf(1)), float32(0)
	for j := max(y-1, 0); j <= min(y+1, h-1); j++ {
		for i := max(x-1, 0); i <= min(x+1, w-1); i++ {
			n := j*w + i
			if shown := v.pic.Triangles[n]; shown == e.Left || e.Right != edges.None && shown == e.Right {
				return true
			}
			nearest, farthest = min(nearest, v.pic.Depth[n]), max(farthest, v.pic.Depth[n])
		}
	}
	depth := s.depth(t, v.cam.Orthographic)
	if !small {
		if depth <= float64(nearest) {
			return true
		}
		if !v.isNarrow(e, at) {
			return false
		}
	}
	return v.clearsSurface(depth, float64(nearest), float64(farthest), contour)
}

// isNarrow reports whether a triangle of edge e is narrow beside the point `at` of the edge. Only triangles that face
// the eye count. Pixels may miss a narrow part of a triangle. Even a large triangle is narrow near the ends of its
// sides.
func (v *viewer) isNarrow(e *edges.Edge, at Point) bool {
	return v.widthAt(e, e.Left, at) < missed || e.Right != edges.None && v.widthAt(e, e.Right, at) < missed
}

// widthAt returns the width, in pixels, of triangle t of edge e in the picture. The width is measured from the point
// `at` of the edge, at right angles to the edge. It is 0 if a corner lies behind the eye. It is infinite if the
// triangle does not face the eye.
func (v *viewer) widthAt(e *edges.Edge, t uint32, at Point) float64 {
	var p [5]Point // the ends of the edge, and the corners of the triangle
	for k, corner := range [5]uint32{e.A, e.B, 3 * t, 3*t + 1, 3*t + 2} {
		x, y, depth := v.cam.Project(v.set.Corner(corner), v.pic.Width, v.pic.Height)
		if !v.cam.Orthographic && depth <= 0 {
			return 0
		}
		p[k] = Point{x, y}
	}
	if float64((p[3].X-p[2].X)*(p[4].Y-p[2].Y)) >= float64((p[3].Y-p[2].Y)*(p[4].X-p[2].X)) {
		return math.Inf(1) // the corners are clockwise on the page, where y points down
	}
	length := math.Hypot(p[1].X-p[0].X, p[1].Y-p[0].Y)
	ux, uy := (p[1].X-p[0].X)/length, (p[1].Y-p[0].Y)/length
	along := func(q Point) float64 { return float64((q.X-p[0].X)*ux) + float64((q.Y-p[0].Y)*uy) }
	height, foot := 0.0, 0.0 // third corner of the triangle: distance from the edge, and position along it
	for _, q := range p[2:] {
		if h := math.Abs(float64((q.Y-p[0].Y)*ux) - float64((q.X-p[0].X)*uy)); h > height {
			height, foot = h, along(q)
		}
	}
	// Opposite the third corner, the width equals height. From there the width decreases to 0 at the ends of the
	// edge.
	part, here := 1.0, along(at)
	if foot > 0 {
		part = min(part, here/foot)
	}
	if foot < length {
		part = min(part, (length-here)/(length-foot))
	}
	return height * part
}

// clearsSurface reports whether a point at this depth lies on the surface or in front of it. nearest and farthest are
// the least and the greatest depth of the pixels around the point. The surface may be sloped. So a point on the
// surface may lie behind farthest by up to farthest-nearest. At most the slope maxSlope is taken into account.
func (v *viewer) clearsSurface(depth, nearest, farthest float64, contour bool) bool {
	if math.IsInf(farthest, 0) || nearest > farthest {
		return true // the point is at an edge of the surface
	}
	perPixel := v.unitsPerPixel
	if !v.cam.Orthographic {
		perPixel *= depth
	}
	if contour && farthest-depth < minSilhouetteStep*perPixel {
		return false // the edge of a single facet that faces away from the eye, not a silhouette of the mesh
	}
	return depth <= farthest+min(farthest-nearest, maxSlope*perPixel)+0.25*perPixel
}

// minSilhouetteStep is the least depth between a silhouette of small triangles and the surface behind the silhouette.
// Its unit is the width of a pixel. maxSlope limits the slope that clearsSurface takes into account. Its unit is the
// width of a pixel per pixel. Package annotate has the same values.
const (
	minSilhouetteStep = 4
	maxSlope          = 6
)

// missed is a width in pixels. Pixels may miss a part of a triangle that is narrower than this, because isVisible
// examines three columns and three rows of pixels.
const missed = 3

// hasSmallTriangle reports whether a triangle of an edge is so small in the picture, or seen so nearly edge-on, that
// pixels may miss it.
func (v *viewer) hasSmallTriangle(e *edges.Edge) bool {
	return v.isSmallTriangle(e.Left) || e.Right != edges.None && v.isSmallTriangle(e.Right)
}

// isSmallTriangle reports whether the least height of a triangle in the picture is so small that pixels may miss the
// triangle. This height is twice the area divided by the longest side.
func (v *viewer) isSmallTriangle(t uint32) bool {
	var p [3]Point
	for k := range p {
		x, y, depth := v.cam.Project(v.set.Corner(3*t+uint32(k)), v.pic.Width, v.pic.Height)
		if !v.cam.Orthographic && depth <= 0 {
			return true
		}
		p[k] = Point{x, y}
	}
	area, longest := 0.0, 0.0
	for k := range p {
		q := p[(k+1)%3]
		area += float64(p[k].X*q.Y) - float64(p[k].Y*q.X)
		longest = max(longest, math.Hypot(q.X-p[k].X, q.Y-p[k].Y))
	}
	return math.Abs(area) < missed*longest
}

// A segment is an edge in the picture, from a to b, in pixels. For an orthographic camera, qa and qb are the depths
// of the ends. For a perspective camera, qa and qb are 1/depth of the ends. In both cases the quantity is linear
// along the segment.
type segment struct {
	a, b               Point
	qa, qb             float64
	clippedA, clippedB bool // set if a or b is not an end of the edge
}

func (s *segment) at(t float64) Point {
	return Point{s.a.X + float64(t*(s.b.X-s.a.X)), s.a.Y + float64(t*(s.b.Y-s.a.Y))}
}

func (s *segment) depth(t float64, orthographic bool) float64 {
	q := s.qa + float64(t*(s.qb-s.qa))
	if orthographic {
		return q
	}
	return 1 / q
}

func (s *segment) length() float64 { return math.Hypot(s.b.X-s.a.X, s.b.Y-s.a.Y) }

// project returns the part of the edge from a to b that lies in front of the eye and inside the picture. ok is false if
// there is no such part.
func (v *viewer) project(a, b mgl64.Vec3) (s segment, ok bool) {
	da, db := v.depth(a), v.depth(b)
	if near := v.cam.Near; !v.cam.Orthographic {
		switch {
		case da < near && db < near:
			return s, false
		case da < near:
			a, s.clippedA = b.Add(a.Sub(b).Mul((db-near)/(db-da))), true
		case db < near:
			b, s.clippedB = a.Add(b.Sub(a).Mul((da-near)/(da-db))), true
		}
	}
	s.a, s.qa = v.projectPoint(a)
	s.b, s.qb = v.projectPoint(b)
	return s, s.clip(float64(v.pic.Width), float64(v.pic.Height))
}

func (v *viewer) depth(p mgl64.Vec3) float64 { return p.Sub(v.cam.Eye).Dot(v.cam.Forward) }

func (v *viewer) projectPoint(p mgl64.Vec3) (Point, float64) {
	x, y, depth := v.cam.Project(p, v.pic.Width, v.pic.Height)
	if !v.cam.Orthographic {
		depth = 1 / depth
	}
	return Point{x, y}, depth
}

// clip cuts a segment to the picture, and reports whether any part of it remains.
func (s *segment) clip(width, height float64) bool {
	lo, hi := 0.0, 1.0
	for _, side := range [4][2]float64{ // distances of both ends from a side of the picture, positive inside
		{s.a.X, s.b.X}, {width - s.a.X, width - s.b.X}, {s.a.Y, s.b.Y}, {height - s.a.Y, height - s.b.Y},
	} {
		a, b := side[0], side[1]
		switch {
		case a < 0 && b < 0, a-b != a-b: // outside, or not finite
			return false
		case a < 0:
			lo = max(lo, a/(a-b))
		case b < 0:
			hi = min(hi, a/(a-b))
		}
	}
	if !(lo < hi) {
		return false
	}
	was := *s
	if lo > 0 {
		s.a, s.qa, s.clippedA = was.at(lo), was.qa+lo*(was.qb-was.qa), true
	}
	if hi < 1 {
		s.b, s.qb, s.clippedB = was.at(hi), was.qa+hi*(was.qb-was.qa), true
	}
	return true
}
