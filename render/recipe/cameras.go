package recipe

import (
	"context"
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/internal/phrase"
	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/ground"
	"lockstep/render/recipe/internal/cameras"
	"lockstep/render/recipe/internal/numbers"
	"lockstep/scenes"
)

// Fit returns the camera for a picture of an input.
func (p Picture) Fit(ctx context.Context, in *Input) (cam render.Camera, err error) {
	beside, err := p.BesideLegend(in)
	if err != nil {
		return cam, FitError(ctx, err)
	}
	cam, err = p.scene(in, beside).Fit(ctx)
	return p.Widen(cam, beside), FitError(ctx, err)
}

// scene returns the scene for cameras of pictures. size is the size of the part of the picture to which the mesh is
// fitted.
func (p *Picture) scene(in *Input, size Size) *cameras.Scene {
	s := p.sceneOf(in.Box, in.Source.Info().Origin, p.UpOf(in))
	s.Source, s.Width, s.Height = in.Source, size.Width, size.Height
	s.Tight = p.full().Camera.Fit == "tight" && !in.Parted
	if p.hasShadow(in) {
		s.Shadow = func(ctx context.Context) (*ground.Ground, error) { return in.shadow(ctx, p) }
	}
	return s
}

// sceneOf returns a scene with the camera of the recipe. box is the box of the mesh relative to origin.
func (p *Picture) sceneOf(box scenes.Box, origin [3]float64, up scenes.Axis) *cameras.Scene {
	s := &cameras.Scene{Box: box, Origin: origin, Options: p.CameraOptions(up, box)}
	if c := &p.Camera; c.Eye != nil {
		s.Eye = &cameras.Eye{At: *c.Eye, Target: (*[3]float64)(c.Target), Upward: (*[3]float64)(c.Upward), Height: c.Height, Shift: c.Shift}
	}
	return s
}

// Place returns the camera whose eye is at Camera.Eye. box is the box of the mesh relative to origin. The eye is in
// coordinates of the file.
func (p Picture) Place(box scenes.Box, origin [3]float64, up scenes.Axis) (render.Camera, error) {
	return p.sceneOf(box, origin, up).Place()
}

// Placed returns the camera whose eye is at Camera.Eye.
func (p Picture) Placed(in *Input) (render.Camera, error) {
	return p.Place(in.Box, in.Source.Info().Origin, p.UpOf(in))
}

// FitTurn returns the cameras of a turntable. `turns` holds the angles in degrees by which the eye is turned.
func (p Picture) FitTurn(ctx context.Context, in *Input, turns []float64) ([]render.Camera, error) {
	return p.scene(in, p.full().Size).Turn(ctx, turns)
}

// Cameras returns the camera of every frame of an animation, and the direction that the text chunks of each frame
// state. For an animation of several meshes, `in` has the box of all meshes.
func (d *Drawer) Cameras(ctx context.Context, a Animation, in *Input) (cams []render.Camera, views []View, err error) {
	a = a.full()
	p := a.Picture
	if a.Motion != "keyframes" {
		if in, err = d.Together(ctx, p, in); err != nil {
			return nil, nil, FitError(ctx, err)
		}
	}
	beside, err := p.BesideLegend(in)
	if err != nil {
		return nil, nil, FitError(ctx, err)
	}
	left := p
	left.Size, left.Lines.Legend = beside, false
	cams, directions, err := left.scene(in, beside).Cameras(ctx, a.motion())
	switch {
	case err == nil:
	case a.Motion == "keyframes":
		return nil, nil, &Error{Unfit, &KeyframesError{err}}
	default:
		return nil, nil, FitError(ctx, err)
	}
	for k := range cams {
		cams[k] = p.Widen(left.repeatableCamera(in, cams[k]), beside)
		views = append(views, View(directions[k]))
	}
	return cams, views, nil
}

// frameCamera is like CameraOf, but it avoids rounding errors. If `cam` is a result of repeatableCamera, the renderer
// draws the returned camera with exactly the same axes and magnification as `cam`.
func (p Picture) frameCamera(in *Input, cam *render.Camera) Camera {
	onAxis := *cam
	// In a flyby, for example, the camera does not look at its target.
	if away := cam.Target.Sub(cam.Eye); away.Normalize().Sub(cam.Forward).Len() > sameDirection {
		onAxis.Target = cam.Eye.Add(cam.Forward.Mul(math.Abs(away.Dot(cam.Forward))))
	}
	own, c := p.Camera, p.CameraOf(in, &onAxis)
	up := c.Upward
	place := func() (placed render.Camera, ok bool) {
		q := p
		q.Camera = c
		placed, err := q.Placed(in)
		return placed, err == nil
	}
	// Nil, which means the up axis, is tried first, because no rounding changes that direction.
	for _, c.Upward = range []*Point{nil, own.Upward, up} {
		if placed, ok := place(); ok && placed.Up.Sub(cam.Up).Len() < sameDirection {
			break
		}
	}
	size := &c.Fov
	if cam.Orthographic {
		size = &c.Height
	}
	middle := *size
	for _, steps := range sizeSteps {
		if *size = floatAfter(middle, steps); math.IsNaN(*size) {
			break
		}
		if placed, ok := place(); !ok || placed.Magnification == cam.Magnification {
			return c
		}
	}
	*size = middle
	return c
}

// sameDirection is the greatest distance between unit vectors that are the same but for rounding.
const sameDirection = 1e-9

// sizeSteps lists the changes of the field of view that frameCamera tries until the magnification is exact. A change is
// a number of steps from one floating-point number to the next. A few steps suffice, because only a few roundings lie
// between the field of view and the magnification.
var sizeSteps = []int{0, 1, -1, 2, -2, 3, -3, 4, -4}

// floatAfter returns the number that follows x after the given number of steps through all floating-point numbers.
func floatAfter(x float64, steps int) float64 {
	for ; steps > 0; steps-- {
		x = math.Nextafter(x, math.Inf(1))
	}
	for ; steps < 0; steps++ {
		x = math.Nextafter(x, math.Inf(-1))
	}
	return x
}

// mostPlacings limits how often repeatable places a camera. Most cameras need two placings, and few need three.
const mostPlacings = 8

// repeatableCamera returns a camera that differs from cam by rounding alone. The recipe that frameCamera returns for
// this camera gives the same camera again, bit for bit. If no recipe gives such a camera, repeatable returns cam.
func (p Picture) repeatableCamera(in *Input, cam render.Camera) render.Camera {
	for range mostPlacings {
		q := p
		q.Camera = p.frameCamera(in, &cam)
		placed, err := q.Placed(in)
		placed.Aspect = cam.Aspect
		if err != nil || placed.Forward.Sub(cam.Forward).Len() > sameDirection || placed.Up.Sub(cam.Up).Len() > sameDirection {
			return cam
		}
		if placed == cam {
			break
		}
		cam = placed
	}
	return cam
}

// motion returns the motion of an animation. All defaults of the animation must be filled in.
func (a *Animation) motion() cameras.Motion {
	m := cameras.Motion{Name: a.Motion, Frames: a.Frames}
	for _, k := range a.Keyframes {
		m.Keyframes = append(m.Keyframes, camera.Keyframe{
			Frame: k.Frame, Eye: mgl64.Vec3(*k.Eye), Target: mgl64.Vec3(k.Target), FieldOfView: k.Fov, Zoom: k.Zoom,
		})
	}
	return m
}

// Fitted calls draw with a camera that is fitted to the mesh. It returns the camera and the statistics of draw.
//
// Damaged numbers may put some triangles so far away from the others that the picture is blank. Fitted then warns, and
// calls draw again with a camera that is fitted to the other triangles.
func (g *Drawing) Fitted(ctx context.Context, draw func(cam render.Camera) (render.Stats, error)) (render.Camera, render.Stats, error) {
	p, in := &g.Picture, g.Input
	cam, err := p.Fit(ctx, in)
	if err != nil {
		return cam, render.Stats{}, err
	}
	stats, err := draw(cam)
	if err != nil || stats.Covered > 0 || p.hasEye() {
		return cam, stats, err
	}
	core, far, err := scenes.Core(ctx, in.Source, in.Box, g.Renderer.Options().Workers)
	if err != nil || far == 0 || core.Empty() {
		return cam, stats, err
	}
	if p.Crop != (Rect{}) { // in this case the whole picture must be blank, not only the part in Crop
		var whole render.Picture
		if all, err := g.Renderer.Frame(ctx, in.Source, cam, &whole); err == nil && all.Covered > 0 || ctx.Err() != nil {
			return cam, stats, ctx.Err()
		}
	}
	near, err := p.Fit(ctx, in.withCore(core))
	if err != nil {
		return cam, stats, err
	}
	again, err := draw(near)
	if err != nil || again.Covered == 0 {
		return cam, stats, err
	}
	g.drawer.warnOfFarTriangles(in, "the picture is", far)
	return near, again, nil
}

// warnOfFarTriangles warns that some triangles are far away from the others, and that pictures are fitted to the
// others. `far` is the number of such triangles. `what` describes the pictures in the message, such as "the picture
// is".
func (d *Drawer) warnOfFarTriangles(in *Input, what string, far int) {
	d.warn(fmt.Sprintf("%s: %s of %d far away from the others: %s fitted to those", in.Name, phrase.Plural(int64(far), "triangle"), in.Source.Len(), what))
}

// Together returns the input to which cameras are fitted if pictures cannot be drawn again with another camera.
// Usually this is `in` itself. If some triangles are so far away that the others would be smaller than a pixel, it is
// a copy with the box of the others.
func (d *Drawer) Together(ctx context.Context, p Picture, in *Input) (*Input, error) {
	if p.hasEye() || in.Box.Empty() {
		return in, nil
	}
	core, far, err := scenes.Core(ctx, in.Source, in.Box, d.Workers)
	if err != nil || far == 0 || core.Empty() {
		return in, err
	}
	f := p.full()
	pixels := float64(max(f.Size.Width, f.Size.Height)) * f.Camera.Zoom
	if extent(core)*pixels >= extent(in.Box) {
		return in, nil
	}
	d.warnOfFarTriangles(in, "the pictures are", far)
	return in.withCore(core), nil
}

// extent returns the longest side of a box.
func extent(b scenes.Box) float64 {
	size := b.Size()
	return max(size[0], size[1], size[2])
}

// A Matrix is a camera in the form of computer vision programs. Let X be a point in coordinates of the file. In
// homogeneous coordinates, its pixel is K (R X + T). The axes of the camera are those of OpenCV: x points to the
// right, y down and z forward. The centre of the upper left pixel is 0,0. An orthographic camera replaces the depth
// in R X + T by 1.
type Matrix struct {
	Width, Height int           // size of pictures in pixels
	K             [3][3]float64 // the rows (fx, 0, cx), (0, fy, cy) and (0, 0, 1), in pixels
	R             [3][3]float64 // rows are the axes of the camera
	T             [3]float64    // translation, in units of the mesh
	Orthographic  bool
}

// MatrixOf returns the matrix of a camera for pictures of the given size. origin is the origin of the mesh.
func MatrixOf(cam *render.Camera, origin [3]float64, size Size) Matrix {
	m := Matrix{Width: size.Width, Height: size.Height, Orthographic: cam.Orthographic}
	h := float64(size.Height)
	focal := cam.Magnification * h
	m.K = [3][3]float64{{focal, 0, float64(size.Width-1)/2 + cam.ShiftX*h}, {0, focal, (h-1)/2 - cam.ShiftY*h}, {0, 0, 1}}
	eye := cam.Eye.Add(mgl64.Vec3(origin))
	for i, axis := range []mgl64.Vec3{cam.Right, cam.Up.Mul(-1), cam.Forward} {
		m.R[i] = axis
		m.T[i] = -axis.Dot(eye)
	}
	return m
}

// Pixel returns the position in the picture of a point x in coordinates of the file. ok is false if the point is not in
// front of the eye.
func (m *Matrix) Pixel(x [3]float64) (pixel [2]float64, ok bool) {
	var c [3]float64
	for i := range c {
		c[i] = mgl64.Vec3(m.R[i]).Dot(x) + m.T[i]
	}
	depth := c[2]
	if m.Orthographic {
		depth = 1
	}
	if !(depth > 0) {
		return pixel, false
	}
	return [2]float64{m.K[0][0]*c[0]/depth + m.K[0][2], m.K[1][1]*c[1]/depth + m.K[1][2]}, true
}

// squareTolerance is the largest difference between 1 and the ratio of the two focal lengths. Only square pixels can be
// drawn.
const squareTolerance = 1e-3

// rotationTolerance is the largest difference between R and a rotation. Files store matrices with few digits.
const rotationTolerance = 1e-4

// Camera returns the camera of a recipe with this matrix, for pictures of size Width by Height. It returns an error if
// no camera of a recipe has this matrix.
func (m *Matrix) Camera() (Camera, error) {
	k, h := &m.K, float64(m.Height)
	fx, fy := k[0][0], k[1][1]
	switch {
	case m.Width < 1 || m.Height < 1:
		return Camera{}, fmt.Errorf("expected the size of pictures in pixels")
	case !(fx > 0 && fy > 0) || !numbers.IsFinite(fx) || !numbers.IsFinite(fy) || !numbers.IsFinite(k[0][2]) || !numbers.IsFinite(k[1][2]):
		return Camera{}, fmt.Errorf("the matrix K: expected fx and fy above 0, and finite cx and cy")
	case math.Abs(fx/fy-1) > squareTolerance:
		return Camera{}, fmt.Errorf("the matrix K: fx %g and fy %g: expected one length, for square pixels", fx, fy)
	case k[0][1] != 0 || k[1][0] != 0 || k[2] != [3]float64{0, 0, 1}:
		return Camera{}, fmt.Errorf("the matrix K: expected [[fx, 0, cx], [0, fy, cy], [0, 0, 1]]")
	}
	right, down, forward := mgl64.Vec3(m.R[0]), mgl64.Vec3(m.R[1]), mgl64.Vec3(m.R[2])
	if off := right.Cross(down).Sub(forward).Len(); !(off < rotationTolerance) || !(math.Abs(right.Len()-1) < rotationTolerance) || !(math.Abs(right.Dot(down)) < rotationTolerance) {
		return Camera{}, fmt.Errorf("the matrix R: expected a rotation: three rows of length 1, at right angles, right-handed")
	}
	t := mgl64.Vec3(m.T)
	if !numbers.IsFinite(t[0]) || !numbers.IsFinite(t[1]) || !numbers.IsFinite(t[2]) {
		return Camera{}, fmt.Errorf("t: expected three finite numbers")
	}
	eye := right.Mul(-t[0]).Add(down.Mul(-t[1])).Add(forward.Mul(-t[2]))
	target := eye.Add(forward.Mul(max(1, eye.Len()))) // a target near the mesh keeps all digits of its coordinates
	up := down.Mul(-1)
	c := Camera{Eye: (*Point)(&eye), Target: (*Point)(&target), Upward: (*Point)(&up)}
	c.Shift = [2]float64{(k[0][2] - float64(m.Width-1)/2) / h, ((h-1)/2 - k[1][2]) / h}
	if m.Orthographic {
		c.Projection, c.Height = "orthographic", h/fy
	} else {
		c.Fov = 2 * math.Atan(h/(2*fy)) * 180 / math.Pi
	}
	return c, nil
}
