package view

import (
	"context"
	"encoding/json"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/recipe"
	"lockstep/scenes"
	"lockstep/scenes/distance"
)

// A pickAnswer describes the point of the mesh under a pixel.
type pickAnswer struct {
	Kind     string     `json:"kind"` // always pick
	Seq      uint32     `json:"seq"`
	Hit      bool       `json:"hit"`
	Point    [3]float64 `json:"point"` // point in coordinates of the file
	Normal   [3]float64 `json:"normal"`
	Triangle int        `json:"triangle"` // index in the mesh as shown, after cuts and without hidden parts
	Part     string     `json:"part"`
	// Corner is the corner of the triangle that is nearest to the pixel. Beside is the distance between this corner and
	// the pixel, in pixels.
	Corner [3]float64 `json:"corner"`
	Beside float64    `json:"beside"`
	Field  *float64   `json:"field"` // value of the field that is shown; nil without a field
	Rim    *pickedRim `json:"rim"`   // nil if no rim is near
}

// answerPick describes the point of the mesh at the pixel r.At. It draws the view of the request to find the triangle
// of each pixel.
func (s *session) answerPick(ctx context.Context, r *request) ([]byte, error) {
	answer := pickAnswer{Kind: "pick", Seq: r.Seq}
	p := withoutShadow(s.picture(r))
	p.Look.Shading, p.Look.Occlusion, p.Look.Samples, p.Look.Light = "flat", "off", 1, "studio"
	d := s.server.options.Drawer
	o := p.RenderOptions()
	o.OneSided = s.picture(r).RenderOptions().OneSided // same as in the picture on the page
	o.Triangles, o.Depth, o.Workers, o.ISA = true, true, d.Workers, d.ISA
	in, err := s.inputForGeometry(ctx, s.picture(r))
	if err != nil {
		return nil, err
	}
	renderer, err := render.New(o)
	if err != nil {
		return nil, err
	}
	defer renderer.Close()
	cam, err := p.Fit(ctx, in)
	if err != nil {
		return nil, err
	}
	var pic render.Picture
	if _, err := renderer.Frame(ctx, in.Source, cam, &pic); err != nil {
		return nil, err
	}
	x, y := int(r.At[0]), int(r.At[1])
	if x < 0 || y < 0 || x >= pic.Width || y >= pic.Height || pic.Triangles[y*pic.Width+x] == render.NoTriangle {
		return json.Marshal(answer)
	}
	t := int(pic.Triangles[y*pic.Width+x])
	origin := in.Source.Info().Origin
	corners, err := cornersOf(in, t)
	if err != nil {
		return nil, err
	}
	plane := newPlane(corners)
	answer.Hit, answer.Triangle, answer.Normal = true, t, plane.normal
	point := plane.intersect(&cam, r.At[0], r.At[1], float64(pic.Depth[y*pic.Width+x]), pic.Width, pic.Height)
	depth := float64(pic.Depth[y*pic.Width+x])
	if answer.Rim, err = s.rimNear(ctx, s.picture(r), in, point, pixelLength(&cam, depth, pic.Width, pic.Height)); err != nil {
		return nil, err
	}
	answer.setNearestCorner(corners, func(v mgl64.Vec3) float64 {
		cx, cy, _ := cam.Project(v, pic.Width, pic.Height)
		return math.Hypot(cx-r.At[0], cy-r.At[1])
	})
	for axis, v := range answer.Corner {
		answer.Corner[axis] = v + origin[axis]
	}
	answer.Point = [3]float64{point[0] + origin[0], point[1] + origin[1], point[2] + origin[2]}
	answer.Part = partOf(in.Parts, t)
	answer.Field = valueAt(&p, in, t)
	return json.Marshal(answer)
}

// valueAt returns the value that triangle t has in the field of a recipe, or nil if the recipe shows no field.
func valueAt(p *recipe.Picture, in *recipe.Input, t int) *float64 {
	field, mesh := p.Look.Field, in.Mesh()
	if field == "" && len(p.Meshes) > 1 {
		field = distance.FieldName
	}
	if field == "" || mesh == nil {
		return nil
	}
	if f := mesh.Field(field); f != nil {
		if v, ok := fieldAt(mesh, f, t); ok {
			return &v
		}
	}
	return nil
}

// cornersOf returns the corners of triangle t of an input.
func cornersOf(in *recipe.Input, t int) ([3][3]float32, error) {
	if s, ok := in.Source.(*render.Stored); ok {
		return s.Triangle(t)
	}
	return in.Mesh().Triangle(t), nil
}

// setNearestCorner sets Corner to the corner with the smallest distance, and Beside to that distance.
func (a *pickAnswer) setNearestCorner(corners [3][3]float32, distance func(mgl64.Vec3) float64) {
	a.Beside = math.Inf(1)
	for _, c := range corners {
		v := mgl64.Vec3{float64(c[0]), float64(c[1]), float64(c[2])}
		if d := distance(v); d < a.Beside {
			a.Beside, a.Corner = d, v
		}
	}
}

// A plane is the plane of a triangle.
type plane struct {
	at     mgl64.Vec3
	normal [3]float64
}

func newPlane(c [3][3]float32) (p plane) {
	v := func(i int) mgl64.Vec3 { return mgl64.Vec3{float64(c[i][0]), float64(c[i][1]), float64(c[i][2])} }
	p.at = v(0)
	if n := v(1).Sub(v(0)).Cross(v(2).Sub(v(0))); n.Len() > 0 {
		p.normal = n.Normalize()
	}
	return p
}

// intersect returns the point where the ray through a pixel meets the plane. If the plane is seen nearly edge-on, it
// returns the point of the ray at the depth of the pixel.
func (p *plane) intersect(cam *render.Camera, x, y, depth float64, width, height int) mgl64.Vec3 {
	at := cam.Unproject(x, y, depth, width, height)
	ray := cam.Forward
	if !cam.Orthographic {
		ray = at.Sub(cam.Eye)
	}
	n := mgl64.Vec3(p.normal)
	along := ray.Dot(n)
	if math.Abs(along) < 1e-3*ray.Len() {
		return at
	}
	return at.Add(ray.Mul(p.at.Sub(at).Dot(n) / along))
}

// partOf returns the name of the part that triangle t belongs to, or "".
func partOf(parts []scenes.Part, t int) string {
	for i := range parts {
		if p := &parts[i]; t >= p.First && t < p.First+p.Count {
			return p.Name
		}
	}
	return ""
}

// fieldAt returns the field's value of a triangle. For a field of vertices, this is the mean over the triangle's
// corners. ok is false if the value is not finite.
func fieldAt(mesh *scenes.Mesh, f *scenes.Field, t int) (float64, bool) {
	if f.OfTriangles {
		if t >= len(f.Values) {
			return 0, false
		}
		v := float64(f.Values[t])
		return v, isFinite(v)
	}
	sum := 0.0
	for k := range 3 {
		sum += float64(f.Values[mesh.Attributes.Index[k][t]])
	}
	return sum / 3, isFinite(sum)
}

// areaOf returns the total area of `count` consecutive triangles, beginning with triangle `first`.
func areaOf(mesh *scenes.Mesh, first, count int) (sum float64) {
	for t := first; t < first+count; t++ {
		c := mesh.Triangle(t)
		var u, v mgl64.Vec3
		for d := range 3 {
			u[d], v[d] = float64(c[1][d])-float64(c[0][d]), float64(c[2][d])-float64(c[0][d])
		}
		if a := u.Cross(v).Len() / 2; isFinite(a) {
			sum += a
		}
	}
	return sum
}
