package render_test

import (
	"math"
	"slices"
	"testing"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
)

// A sharpEdge is an edge of a mesh between two faces. A face is a set of connected triangles in one plane.
type sharpEdge struct {
	from, to [3]float64
	faces    [2]int
}

// facesOf returns the number of the face of each triangle, and the edges between different faces.
func facesOf(mesh *scenes.Mesh) (faces []int, edges []sharpEdge) {
	faces = make([]int, mesh.Len())
	for t := range faces {
		faces[t] = t
	}
	face := func(t int) int {
		for faces[t] != t {
			t = faces[t]
		}
		return t
	}
	type side struct{ a, b [3]float32 }
	triangles := map[side]int{}
	type pair struct{ side, t, u int }
	var pairs []pair
	for t := range mesh.Len() {
		corners := mesh.Triangle(t)
		for k := range 3 {
			a, b := corners[k], corners[(k+1)%3]
			if u, ok := triangles[side{b, a}]; ok {
				pairs = append(pairs, pair{k, t, u})
			}
			triangles[side{a, b}] = t
		}
	}
	for _, p := range pairs {
		if planeOf(mesh, p.t).dot(planeOf(mesh, p.u)) > 0.9999 {
			faces[face(p.t)] = face(p.u)
		}
	}
	for t := range faces {
		faces[t] = face(t)
	}
	for _, p := range pairs {
		if faces[p.t] == faces[p.u] {
			continue
		}
		corners := mesh.Triangle(p.t)
		e := sharpEdge{faces: [2]int{faces[p.t], faces[p.u]}}
		for c := range 3 {
			e.from[c], e.to[c] = float64(corners[p.side][c]), float64(corners[(p.side+1)%3][c])
		}
		edges = append(edges, e)
	}
	return faces, edges
}

// planeOf returns the unit normal of triangle t.
func planeOf(mesh *scenes.Mesh, t int) vec {
	c := mesh.Triangle(t)
	at := func(k int) vec { return vec{float64(c[k][0]), float64(c[k][1]), float64(c[k][2])} }
	u, v := at(1).sub(at(0)), at(2).sub(at(0))
	n := vec{u[1]*v[2] - u[2]*v[1], u[2]*v[0] - u[0]*v[2], u[0]*v[1] - u[1]*v[0]}
	return n.scale(1 / math.Sqrt(n.dot(n)))
}

// A shownEdge is an edge in a picture. It has the pixels along the edge, the axis along which successive pixels differ
// by one, and the faces on both sides (-1: nothing).
type shownEdge struct {
	x, y  []int     // pixels along the edge
	past  []float64 // distance of the edge from the centre of each pixel, across the edge
	along int
	sides [2]int
}

// across returns the pixel that lies the given number of pixels beside pixel i of the edge.
func (e *shownEdge) across(i, aside int) (x, y int) {
	if e.along == 0 {
		return e.x[i], e.y[i] + aside
	}
	return e.x[i] + aside, e.y[i]
}

// besides are the distances from an edge, in pixels, at which the picture must show the faces on its two sides.
var besides = [...]int{2, 3}

// shown returns an edge as pic shows it. ok is false if the edge is short, horizontal or vertical. It is also false if
// the faces on its two sides change along the edge, or if none of them is a face of the edge.
func (e *sharpEdge) shown(pic *render.Picture, cam *render.Camera, faces []int) (s shownEdge, ok bool) {
	x0, y0, _ := cam.Project(e.from, pic.Width, pic.Height)
	x1, y1, _ := cam.Project(e.to, pic.Width, pic.Height)
	if math.Abs(y1-y0) > math.Abs(x1-x0) {
		s.along = 1
		x0, y0, x1, y1 = y0, x0, y1, x1
	}
	if x1 < x0 {
		x0, y0, x1, y1 = x1, y1, x0, y0
	}
	const shortest, trim = 40, 6 // pixels; near its ends, an edge meets other edges
	if x1-x0 < shortest+2*trim || math.Abs(y1-y0) < 3 {
		return s, false
	}
	for x := int(x0) + trim; x < int(x1)-trim; x++ {
		exact := y0 + (y1-y0)*(float64(x)+0.5-x0)/(x1-x0)
		y := int(math.Floor(exact))
		s.past = append(s.past, exact-float64(y)-0.5)
		if s.along == 0 {
			s.x, s.y = append(s.x, x), append(s.y, y)
		} else {
			s.x, s.y = append(s.x, y), append(s.y, x)
		}
	}
	for side := range 2 {
		for i := range s.x {
			for _, beside := range besides {
				x, y := s.across(i, beside*(2*side-1))
				if x < 0 || y < 0 || x >= pic.Width || y >= pic.Height {
					return s, false
				}
				face := -1
				if t := pic.Triangles[y*pic.Width+x]; t != render.NoTriangle {
					face = faces[t]
				}
				if i == 0 && beside == besides[0] {
					s.sides[side] = face
				}
				if face != s.sides[side] {
					return s, false
				}
			}
		}
	}
	return s, s.sides[0] != s.sides[1] && (slices.Contains(e.faces[:], s.sides[0]) || slices.Contains(e.faces[:], s.sides[1]))
}

// light returns the light at a distance beside pixel i of the edge, interpolated between the two nearest pixels.
func (e *shownEdge) light(pic *render.Picture, i int, aside float64) float64 {
	aside += e.past[i]
	first := math.Floor(aside)
	x0, y0 := e.across(i, int(first))
	x1, y1 := e.across(i, int(first)+1)
	return linear(at(pic, x0, y0)[1])*(first+1-aside) + linear(at(pic, x1, y1)[1])*(aside-first)
}

// bends returns the mean second difference of the light along three lines of points: on the edge and a pixel to each
// side. It also returns the mean difference of the light between the edge's two sides.
func (e *shownEdge) bends(pic *render.Picture) (bends, contrast float64) {
	n := 0
	for aside := -1.0; aside <= 1; aside++ {
		for i := 1; i+1 < len(e.x); i++ {
			bends += math.Abs(e.light(pic, i+1, aside) - 2*e.light(pic, i, aside) + e.light(pic, i-1, aside))
			n++
		}
	}
	for i := range e.x {
		contrast += math.Abs(e.light(pic, i, -2) - e.light(pic, i, 2))
	}
	return bends / float64(n), contrast / float64(len(e.x))
}

// linear returns the linear light of an sRGB byte.
func linear(b byte) float64 {
	v := float64(b) / 255
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

// turned returns a copy of m that is turned about the z axis by some degrees.
func turned(m *scenes.Mesh, degrees float64) *scenes.Mesh {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return mapped(m, func(p vec) vec { return vec{cos*p[0] - sin*p[1], sin*p[0] + cos*p[1], p[2]} })
}

// plateWith returns a plate with a rectangular hole down to a floor.
func plateWith(hole [4]float64, floor float64) *scenes.Mesh {
	x0, y0, x1, y1 := hole[0], hole[1], hole[2], hole[3]
	top := func(a, b, c, d float64) [][3]vec {
		return quad(vec{a, b, 0}, vec{c, b, 0}, vec{c, d, 0}, vec{a, d, 0})
	}
	tris := slices.Concat(top(-2, -1.5, 2, y0), top(-2, y1, 2, 1.5), top(-2, y0, x0, y1), top(x1, y0, 2, y1),
		quad(vec{x0, y0, floor}, vec{x1, y0, floor}, vec{x1, y1, floor}, vec{x0, y1, floor}),
		quad(vec{x0, y0, 0}, vec{x1, y0, 0}, vec{x1, y0, floor}, vec{x0, y0, floor}),
		quad(vec{x1, y0, 0}, vec{x1, y1, 0}, vec{x1, y1, floor}, vec{x1, y0, floor}),
		quad(vec{x1, y1, 0}, vec{x0, y1, 0}, vec{x0, y1, floor}, vec{x1, y1, floor}),
		quad(vec{x0, y1, 0}, vec{x0, y0, 0}, vec{x0, y0, floor}, vec{x0, y1, floor}))
	return meshOf(tris...)
}

// An edged is a mesh with edges in front of surfaces that occlusion makes darker or lighter.
type edged struct {
	name string
	mesh *scenes.Mesh
}

func edgedMeshes(t testing.TB) []edged {
	base := boxMesh(vec{-2, -2, -0.2}, vec{2, 2, 0})
	return []edged{
		{"gap", joined(base, boxMesh(vec{-0.8, -0.4, 0}, vec{0.8, -0.1, 0.7}), boxMesh(vec{-0.8, 0.04, 0}, vec{0.8, 0.4, 0.7}))},
		{"pocket", plateWith([4]float64{-1.2, -0.8, 1.2, 0.8}, -0.5)},
		{"gear", generated(t, "scene:gear?triangles=1000")},
		{"blocks", joined(base, turned(boxMesh(vec{-1.2, -0.5, 0}, vec{-0.2, 0.5, 1}), 20), turned(boxMesh(vec{0.2, -0.4, 0}, vec{1, 0.4, 0.5}), -30))},
		{"stairs", joined(base, boxMesh(vec{-1, -1, 0}, vec{1, 1, 0.4}), boxMesh(vec{-1, -0.5, 0.4}, vec{1, 1, 0.8}), boxMesh(vec{-1, 0, 0.8}, vec{1, 1, 1.2}))},
		{"slot", plateWith([4]float64{-1.6, -0.15, 1.6, 0.15}, -0.6)},
	}
}

// paintedFaces returns a copy of the mesh in which each face has a colour of its own.
func paintedFaces(mesh *scenes.Mesh, faces []int) *scenes.Mesh {
	painted := joined(mesh)
	painted.Colors = make([]uint32, mesh.Len())
	for t, face := range faces {
		painted.Colors[t] = 0x010101 * uint32(0x30+face*97%0xd0)
	}
	return painted
}

// An edgePictures holds three pictures from the same camera: without occlusion, with it, and without it in other
// colours.
type edgePictures struct {
	cam                      render.Camera
	plain, occluded, painted *render.Picture
}

func drawnEdges(t *testing.T, mesh *scenes.Mesh, faces []int, samples int, view [2]float64) (p edgePictures) {
	o := render.Options{Width: 560, Height: 420}.Studio()
	o.Samples, o.Occlusion, o.Triangles = samples, false, true
	p.cam = fitted(t, mesh, o, camera.Options{Azimuth: view[0], Elevation: view[1]})
	p.plain, _ = drawn(t, mesh, p.cam, o)
	p.painted, _ = drawn(t, paintedFaces(mesh, faces), p.cam, o)
	o.Occlusion = true
	p.occluded, _ = drawn(t, mesh, p.cam, o)
	return p
}

// lightGrey is the largest difference in light between two successive light greys of 8 bits. Rounding changes second
// differences by no more.
const lightGrey = 0.0075

// compare returns the mean second difference of the light along an edge with occlusion, as a multiple of the same
// difference without occlusion. Occlusion may increase the contrast of the two sides of the edge. Then the multiple is
// that of the second difference between two colours with as much contrast. ok is false if the second difference is
// small.
func (p *edgePictures) compare(e *shownEdge) (multiple float64, ok bool) {
	off, _ := e.bends(p.plain)
	on, sides := e.bends(p.occluded)
	between, differ := e.bends(p.painted)
	return on / max(off, between*sides/differ), on > lightGrey
}

// TestOcclusionLeavesEdgesSmooth looks along all long edges that some pictures show, between faces and in front of the
// background. Occlusion multiplies the light on each side of an edge by a factor that changes slowly along the edge, so
// the second difference of the light must be no greater than without occlusion. The factor is computed for cells of two
// by two pixels. Where it changes fast beside a slanted edge, steps of a few greys may remain, at no more than one edge
// in a hundred.
func TestOcclusionLeavesEdgesSmooth(t *testing.T) {
	const most = 1.2
	var pictures, inner, silhouettes, rough int
	worst := 0.0
	for _, m := range some(edgedMeshes(t)) {
		faces, edges := facesOf(m.mesh)
		for _, samples := range []int{4, 16} {
			for _, view := range some([][2]float64{{-21, 30}, {13, 50}, {37, 25}, {8, 15}}) {
				p := drawnEdges(t, m.mesh, faces, samples, view)
				pictures++
				for _, e := range edges {
					s, ok := e.shown(p.plain, &p.cam, faces)
					if !ok {
						continue
					}
					multiple, ok := p.compare(&s)
					if !ok {
						continue
					}
					if inner++; slices.Contains(s.sides[:], -1) {
						inner, silhouettes = inner-1, silhouettes+1
					}
					worst = max(worst, multiple)
					if multiple > most {
						rough++
						t.Logf("%s, %d samples, view %v, edge from %.2f to %.2f: the light along it bends %.2f times as much", m.name, samples, view, e.from, e.to, multiple)
					}
				}
			}
		}
	}
	t.Logf("%d edges between faces and %d before the background bend at most %.3f times as much", inner, silhouettes, worst)
	if rough > (inner+silhouettes)/100 || worst > 2 {
		t.Errorf("%d of them bend more than %g times as much", rough, most)
	}
	// -long and the race detector change the number of pictures, see some.
	if inner < 3*pictures/2 || silhouettes < 3*pictures/4 {
		t.Errorf("too few edges for %d pictures", pictures)
	}
}

// TestPlaneBesideAWall draws a floor in front of a wall that is turned against the rows of pixels. The wall hides a
// share of the sky that depends only on the distance from the wall. So greys must rise with the distance and be equal
// along the wall.
func TestPlaneBesideAWall(t *testing.T) {
	mesh := joined(boxMesh(vec{-3, -2, -0.2}, vec{3, 2, 0}), boxMesh(vec{-2, 0.5, 0}, vec{2, 1, 1.5}))
	for _, samples := range []int{4, 16} {
		for _, turn := range []float64{-36, -14, 9, 23, 41} {
			o := render.Options{Width: 640, Height: 400}.Studio()
			o.Samples = samples
			cam := fitted(t, mesh, o, camera.Options{Azimuth: turn, Elevation: 35, Orthographic: true})
			pic, _ := drawn(t, mesh, cam, o)
			before := 0.0
			for distance := 0.04; distance < 1.2; distance += 0.02 {
				mean, n, last := 0.0, 0, math.NaN()
				for along := -1.2; along <= 1.2; along += 0.01 {
					g := greyAt(pic, &cam, [3]float64{along, 0.5 - distance, 0})
					if math.Abs(g-last) > 3 {
						t.Errorf("%d samples, turned by %g: %.2f before the wall the grey %.1f is beside %.1f", samples, turn, distance, g, last)
					}
					mean, n, last = mean+g, n+1, g
				}
				if mean /= float64(n); mean < before-0.5 {
					t.Errorf("%d samples, turned by %g: %.2f before the wall the grey is %.1f, nearer %.1f", samples, turn, distance, mean, before)
				}
				before = mean
			}
		}
	}
}
