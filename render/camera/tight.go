package camera

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/internal/extent"
	"lockstep/render/internal/kernel/cloud"
	"lockstep/render/internal/sources"
	"lockstep/render/internal/vector"
	"lockstep/scenes"
)

// FitTight returns a camera fitted to the projected vertices of a mesh, not to the corners of its box. The limiting
// side of the picture is the side that the vertices fill first. The vertices span the fraction Margin of the limiting
// side. They are centred in both directions. Zoom then magnifies about the centre.
//
// FitTight reads the whole mesh once, and then a few of its blocks a dozen times. box must be the box of the mesh. A
// cloud (scenes.Points) has discs instead of vertices. FitTight, FitTightTurn and FitAround then fit the discs.
func FitTight(ctx context.Context, source scenes.Source, box scenes.Box, width, height int, o Options) (render.Camera, error) {
	if err := sources.Check(ctx, source); err != nil {
		return render.Camera{}, fmt.Errorf("fit camera: %w", err)
	}
	o, err := o.withDefaults()
	if err != nil {
		return render.Camera{}, err
	}
	if err := checkFit(box, width, height, o, nil); err != nil {
		return render.Camera{}, err
	}
	f := tightFit{ctx: ctx, source: source, disc: discRadius(source), camera: newCamera(box, o)}
	f.camera.Aspect = float64(width) / float64(height)
	tan := math.Tan(o.FieldOfView / 2 * (math.Pi / 180))
	var across, up float64
	reach, err := f.fitExtra(o.Beside, func() (reach float64, err error) {
		if o.Orthographic {
			reach, across, up, err = f.fitOrthographic()
		} else {
			reach, across, up, err = f.fitPerspective(Margin*tan*f.camera.Aspect, Margin*tan)
		}
		return reach, err
	})
	if err != nil {
		return render.Camera{}, fmt.Errorf("fit camera: %w", err)
	}
	c := &f.camera
	c.Target = c.Target.Add(vector.Scaled(c.Right, across)).Add(vector.Scaled(c.Up, up))
	placeEye(c, box, reach, tan, o)
	return *c, nil
}

// FitTightTurn is like FitTight, for a turntable. It returns one camera for each element of turns. An element is the
// number of degrees that are added to the azimuth. The mesh turns about the axis through the centre of its box. All
// cameras have the same distance (perspective) or scale (orthographic). With this distance or scale, no vertex leaves
// the central part of the picture (see Fit) at any turn.
func FitTightTurn(ctx context.Context, source scenes.Source, box scenes.Box, width, height int, o Options, turns []float64) ([]render.Camera, error) {
	if err := sources.Check(ctx, source); err != nil {
		return nil, fmt.Errorf("fit cameras: %w", err)
	}
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := checkFit(box, width, height, o, turns); err != nil {
		return nil, err
	}
	aspect, tan := float64(width)/float64(height), math.Tan(o.FieldOfView/2*(math.Pi/180))
	f := tightFit{ctx: ctx, source: source, camera: newCamera(box, o)}
	f.camera.Aspect = aspect
	forms := turntableForms(o, Margin*tan*aspect, Margin*tan)
	of, err := extent.MaxForms(ctx, source, f.camera.Target, mgl64.Vec3(o.Up.Vector()), forms)
	if err != nil {
		return nil, fmt.Errorf("fit cameras: %w", err)
	}
	for i := range of {
		of[i] += discRadius(source) // a disc extends beyond its centre by its radius
	}
	up := 0.0
	reach, _ := f.fitExtra(o.Beside, func() (reach float64, err error) {
		reach, up = f.fitTurntable(o, of, forms, Margin*tan*aspect, Margin*tan)
		return reach, nil
	})
	cams := make([]render.Camera, len(turns))
	for i, turn := range turns {
		turned := o
		turned.Azimuth += turn
		c := newCamera(box, turned)
		c.Aspect = aspect
		c.Target = c.Target.Add(vector.Scaled(c.Up, up))
		placeEye(&c, box, reach, tan, o)
		cams[i] = c
	}
	return cams, nil
}

// FitAround returns one camera for each element of views. All cameras look at the centre of the box from the same
// distance (perspective) or with the same scale (orthographic). With this distance or scale, no vertex leaves the
// central part of the picture (see Fit) in any direction of view. The views may differ only in azimuth and elevation.
// If source is nil, the corners of the box are used as vertices.
func FitAround(ctx context.Context, source scenes.Source, box scenes.Box, width, height int, views []Options) ([]render.Camera, error) {
	if source != nil {
		if err := sources.Check(ctx, source); err != nil {
			return nil, fmt.Errorf("fit cameras: %w", err)
		}
	}
	cams := make([]render.Camera, len(views))
	radius := mgl64.Vec3(box.Size()).Len() / 2
	for i, o := range views {
		o, err := o.withDefaults()
		if err != nil {
			return nil, err
		}
		if err := checkFit(box, width, height, o, nil); err != nil {
			return nil, err
		}
		if i == 0 && source != nil {
			if radius, err = extent.FarthestDistance(ctx, source, mgl64.Vec3(box.Center())); err != nil {
				return nil, fmt.Errorf("fit cameras: %w", err)
			}
			radius += discRadius(source)
		}
		aspect, tan := float64(width)/float64(height), math.Tan(o.FieldOfView/2*(math.Pi/180))
		// side is half of the central part's shorter side. Its unit is half the picture's height.
		side := Margin * math.Min(1, aspect)
		reach := radius / side
		if !o.Orthographic {
			// A sphere around all vertices touches the sides of a cone with this slope.
			slope := side * tan
			reach = radius * math.Sqrt(1+1/float64(slope*slope))
		}
		cams[i] = newCamera(box, o)
		cams[i].Aspect = aspect
		placeEye(&cams[i], box, reach, tan, o)
	}
	return cams, nil
}

// A tightFit computes the position of a camera with known axes.
type tightFit struct {
	ctx    context.Context
	source scenes.Source
	finder *extent.Finder // finder for the source; nil until it is needed
	disc   float64        // radius of the discs of a cloud's points; 0 for meshes
	camera render.Camera  // camera with its eye at the target
	extra  []mgl64.Vec3   // points that must be visible, in addition to the vertices
}

// A support is the vertex that is farthest in a given direction. The field `at` holds the vertex's coordinates relative
// to the target, in the camera's axes right, up and forward.
type support struct {
	value float64
	at    mgl64.Vec3
}

// supports returns, for each direction in the camera's axes, the farthest vertex or point of f.extra in that direction.
func (f *tightFit) supports(directions ...mgl64.Vec3) ([]support, error) {
	c := &f.camera
	along := make([]mgl64.Vec3, len(directions))
	for i, d := range directions {
		along[i] = vector.Scaled(c.Right, d[0]).Add(vector.Scaled(c.Up, d[1])).Add(vector.Scaled(c.Forward, d[2]))
	}
	if f.finder == nil {
		f.finder = extent.NewFinder(f.source)
	}
	best, err := f.finder.Farthest(f.ctx, c.Target, along)
	if err != nil {
		return nil, err
	}
	found := make([]support, len(directions))
	for i, d := range directions {
		found[i] = f.support(best[i], d).extended(f.disc, d)
		for _, p := range f.extra {
			if other := f.support(p, d); other.value > found[i].value {
				found[i] = other
			}
		}
	}
	return found, nil
}

// support returns the given point and its distance along a direction. The direction is in the camera's axes.
func (f *tightFit) support(point, direction mgl64.Vec3) support {
	c := &f.camera
	p := point.Sub(c.Target)
	at := mgl64.Vec3{vector.Dot(p, c.Right), vector.Dot(p, c.Up), vector.Dot(p, c.Forward)}
	return support{vector.Dot(at, direction), at}
}

// extended returns the farthest point of a disc around the farthest vertex s. Discs face the eye. They all have the
// same radius, so no other disc extends farther.
func (s support) extended(radius float64, direction mgl64.Vec3) support {
	aside := math.Sqrt(float64(direction[0]*direction[0]) + float64(direction[1]*direction[1]))
	if radius == 0 || aside == 0 {
		return s
	}
	s.at[0] += float64(direction[0] / aside * radius)
	s.at[1] += float64(direction[1] / aside * radius)
	return support{vector.Dot(s.at, direction), s.at}
}

// discRadius returns the radius of the discs with which the points of a cloud are drawn. It returns 0 for a mesh.
func discRadius(source scenes.Source) float64 {
	if p, ok := source.(*scenes.Points); ok {
		return cloud.DiscRadius(p.Size)
	}
	return 0
}

// fitOrthographic returns half a picture height in mesh units (reach). It also returns the centre of the projected
// vertices: `across` to the right and `up` above the target.
func (f *tightFit) fitOrthographic() (reach, across, up float64, err error) {
	s, err := f.supports(mgl64.Vec3{1}, mgl64.Vec3{-1}, mgl64.Vec3{0, 1}, mgl64.Vec3{0, -1})
	if err != nil {
		return 0, 0, 0, err
	}
	width, height := s[0].value+s[1].value, s[2].value+s[3].value
	reach = math.Max(width/f.camera.Aspect, height) / 2 / Margin
	return reach, (s[0].value - s[1].value) / 2, (s[2].value - s[3].value) / 2, nil
}

// fitPerspective returns the distance of the eye from the target, and how far the eye is moved to the right (`across`)
// and upwards (`up`). x and y are half the width and height of the central part at distance 1.
//
// Let the eye be moved to the right by a and lie a distance d behind the target. Let (r, u, f) be the coordinates of
// a vertex to the right, upwards and forward. The vertex lies in the central part if r - x f <= a + x d and -r - x f
// <= -a + x d. The greatest values of the two left sides over all vertices give the least d, and a.
//
// The condition for y gives another least d. The larger of the two distances is used. In the direction with the
// smaller distance, the vertices then span less than the central part. To centre the vertices in that direction, the
// central part is made smaller until it just holds them at the distance d.
func (f *tightFit) fitPerspective(x, y float64) (distance, across, up float64, err error) {
	s, err := f.supports(mgl64.Vec3{1, 0, -x}, mgl64.Vec3{-1, 0, -x}, mgl64.Vec3{0, 1, -y}, mgl64.Vec3{0, -1, -y}, mgl64.Vec3{0, 0, -1}, mgl64.Vec3{0, 0, 1})
	if err != nil {
		return 0, 0, 0, err
	}
	dx, dy := (s[0].value+s[1].value)/(2*x), (s[2].value+s[3].value)/(2*y)
	distance = math.Max(dx, dy)
	// The eye must be in front of the mesh, also for a thin mesh that points at the eye.
	nearest, farthest := -s[4].value, s[5].value
	distance = math.Max(distance, float64(0.01*(farthest-nearest))-nearest)
	across, up = (s[0].value-s[1].value)/2, (s[2].value-s[3].value)/2
	if dx < distance {
		across, err = f.centreEye(0, distance, s[0], s[1])
	}
	if err == nil && dy < distance {
		up, err = f.centreEye(1, distance, s[2], s[3])
	}
	return distance, across, up, err
}

// turntableForms returns coefficients (a, b). For each pair, fitTurntable needs the greatest value of a*rho + b*z over
// the vertices. x and y are half the width and height of the central part at distance 1.
//
// Let rho be the distance of a vertex from the axis, z its height, and phi the angle of the turn. The vertex is then at
// r = rho cos phi to the right and t = rho sin phi towards the viewer. Seen from the elevation E, its coordinates are u
// = z cos E - t sin E (up) and f = -(t cos E + z sin E) (forward). The method fitPerspective maximizes linear functions
// of r, u and f. The maximum of each function over all angles phi has the form a*rho + b*z.
func turntableForms(o Options, x, y float64) [][2]float64 {
	sin, cos := vector.SinCosDegrees(o.Elevation)
	if o.Orthographic {
		return [][2]float64{{1, 0}, {math.Abs(sin), cos}, {math.Abs(sin), -cos}}
	}
	return [][2]float64{
		{math.Sqrt(1 + float64(float64(x*x)*float64(cos*cos))), x * sin},
		{math.Abs(float64(y*cos) - sin), cos + float64(y*sin)},
		{math.Abs(float64(y*cos) + sin), float64(y*sin) - cos},
	}
}

// fitTurntable returns the distance of the eye from the axis of a turntable (perspective), or half a picture height
// (orthographic). It also returns how far above the centre the eye looks. The slice `of` holds the greatest value of
// each form over the vertices.
func (f *tightFit) fitTurntable(o Options, of []float64, forms [][2]float64, x, y float64) (reach, up float64) {
	m, axis := slices.Clone(of), mgl64.Vec3(o.Up.Vector())
	for _, point := range f.extra {
		p := point.Sub(f.camera.Target)
		z := vector.Dot(p, axis)
		rho := math.Sqrt(math.Max(vector.Dot(p, p)-float64(z*z), 0))
		for i, form := range forms {
			m[i] = math.Max(m[i], float64(form[0]*rho)+float64(form[1]*z))
		}
	}
	up = (m[1] - m[2]) / 2
	if o.Orthographic {
		return math.Max(m[0]/f.camera.Aspect, (m[1]+m[2])/2) / Margin, up
	}
	return math.Max(m[0]/x, (m[1]+m[2])/(2*y)), up
}

// extraShare is the largest fraction of the picture's limiting side that points of f.extra may take. Such points are
// those of a shadow, for example. The rest of the picture belongs to the mesh.
const extraShare = 0.2

// fitExtra calls the function fit with the points in f.extra. It returns the result of fit: a distance, or half a
// picture height. If the points would take more of the picture than extraShare, fitExtra first moves them towards
// their centre (see Options.Beside).
func (f *tightFit) fitExtra(points []mgl64.Vec3, fit func() (reach float64, err error)) (reach float64, err error) {
	alone, err := fit()
	if err != nil || len(points) == 0 {
		return alone, err
	}
	const limit = Margin / (Margin - extraShare)
	var middle mgl64.Vec3
	for _, p := range points {
		middle = middle.Add(vector.Scaled(p, 1/float64(len(points))))
	}
	f.extra = make([]mgl64.Vec3, len(points))
	within := func(part float64) (bool, error) {
		for i, p := range points {
			f.extra[i] = middle.Add(vector.Scaled(p.Sub(middle), part))
		}
		reach, err = fit()
		return reach <= float64(limit*alone), err
	}
	if ok, err := within(1); ok || err != nil {
		return reach, err
	}
	const rounds = 12 // the last round changes the fraction by 1/4096
	most := 0.0       // largest known factor of the points' distances from their centre with which the points fit
	for step := 0.5; step > 1.0/(1<<(rounds+1)); step /= 2 {
		ok, err := within(most + step)
		if err != nil {
			return 0, err
		}
		if ok {
			most += step
		}
	}
	if ok, err := within(most); ok || err != nil {
		return reach, err
	}
	f.extra = nil // even their centre is too far away
	return fit()
}

// centreEye returns a position of the eye along an axis of the camera (0: right, 1: up). From this position the
// vertices extend equally far to both sides of the picture. high and low are vertices that appear far out on either
// side.
//
// Each round computes the position from which high and low appear equally far out. Vertices that appear farther out
// from this position replace high and low in the next round. So each round widens the part of the picture between
// high and low, and a few rounds suffice.
func (f *tightFit) centreEye(axis int, distance float64, high, low support) (at float64, err error) {
	const rounds = 16
	for round := range rounds {
		h, hf, l, lf := high.at[axis], high.at[2], low.at[axis], low.at[2]
		apart := h > l
		size := 0.0
		switch {
		case apart:
			// At the position `at`, high and low appear equally far out. So h - at = size (distance + hf) and at - l
			// = size (distance + lf). Here h and l are the positions of high and low along the axis, and hf and lf
			// their positions along forward.
			size = (h - l) / ((distance + hf) + (distance + lf))
			at = h - float64(size*(distance+hf))
		case round > 0:
			return h, nil // all vertices have the same position along the axis
		}
		var up, down mgl64.Vec3
		up[axis], up[2], down[axis], down[2] = 1, -size, -1, -size
		s, err := f.supports(up, down)
		if err != nil {
			return 0, err
		}
		if beyond := math.Max(s[0].value-at, s[1].value+at) - float64(size*distance); apart && beyond <= 1e-6*size*distance {
			return at, nil
		}
		high, low = s[0], s[1]
	}
	return at, nil
}
