package camera

import (
	"errors"
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/internal/vector"
	"lockstep/scenes"
)

// Look returns a camera at the point `eye` with the point `target` in the centre of its picture. The picture may have
// any shape. Look uses the up axis, the field of view, the projection and the zoom of o. An orthographic camera shows
// the target as large as a perspective camera would. box is the box of the mesh.
func Look(box scenes.Box, eye, target mgl64.Vec3, o Options) (render.Camera, error) {
	o, err := o.withDefaults()
	if err != nil {
		return render.Camera{}, err
	}
	if err := checkFit(box, 1, 1, o, nil); err != nil {
		return render.Camera{}, err
	}
	c := newCamera(box, o)
	away := target.Sub(eye)
	distance := away.Len()
	if !(distance > 0) || !vector.Finite(distance) {
		return render.Camera{}, errors.New("the eye and its target are one point, or too far apart")
	}
	c.Forward = vector.Scaled(away, 1/distance)
	right := c.Forward.Cross(c.Zenith)
	if right.Len() < 1e-9 { // if the view is straight down or up, right is the same as in the front view
		_, right = frontRight(c.Zenith)
	}
	c.Right = vector.Scaled(right, 1/right.Len())
	c.Up = c.Right.Cross(c.Forward)
	c.Eye, c.Target = eye, target
	tan := math.Tan(o.FieldOfView / 2 * (math.Pi / 180))
	c.Magnification = o.Zoom / (2 * tan)
	if o.Orthographic {
		c.Magnification /= distance
	}
	nearest, farthest := math.Inf(1), math.Inf(-1)
	for _, p := range cornerOffsets(&c, box) {
		nearest, farthest = math.Min(nearest, p[2]), math.Max(farthest, p[2])
	}
	if distance+farthest <= 0 && !o.Orthographic {
		return render.Camera{}, render.ErrBlank
	}
	c.SetDepthRange(distance+nearest, distance+farthest)
	return c, nil
}

// Flyby returns a camera for each frame of a film that flies straight past a mesh. The eye moves to the right, from
// outside the mesh's left end to outside its right end, at the height of the view in o. The eye is so close to the
// mesh that a small part of the mesh fills the picture. So the blocks of the mesh that take much time to draw change
// from frame to frame. Zoom narrows the field of view as in Fit. The projection must be perspective.
func Flyby(box scenes.Box, o Options, frames int) ([]render.Camera, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	switch {
	case box.Empty():
		return nil, fmt.Errorf("%w: no vertex has finite coordinates", render.ErrBlank)
	case o.Orthographic:
		return nil, errors.New("a flyby needs the perspective projection")
	case frames < 1:
		return nil, errors.New("a flyby needs at least one frame")
	}
	c := newCamera(box, o)
	half := halfExtent(&c, box)
	size := math.Max(half[0], math.Max(half[1], half[2]))
	if size == 0 {
		size = 1
	}
	c.Magnification = o.Zoom / (2 * math.Tan(o.FieldOfView/2*(math.Pi/180)))
	// The eye is a sixth of the mesh's size in front of the box. The path ends where the last part of the box is
	// leaving the picture.
	distance := half[2] + size/6
	reach := half[0] + 0.8*size/6
	cams := make([]render.Camera, frames)
	for i := range cams {
		t := 0.5
		if frames > 1 {
			t = float64(i) / float64(frames-1)
		}
		cams[i] = c
		cams[i].Eye = c.Target.Sub(vector.Scaled(c.Forward, distance)).Add(vector.Scaled(c.Right, (2*t-1)*reach))
		cams[i].SetDepthRange(distance-half[2], distance+half[2])
	}
	return cams, nil
}

// halfExtent returns the extent of the box from the target along right, up and forward.
func halfExtent(c *render.Camera, box scenes.Box) (half [3]float64) {
	for _, p := range cornerOffsets(c, box) {
		for axis := range half {
			half[axis] = math.Max(half[axis], math.Abs(p[axis]))
		}
	}
	return half
}

// Orbit returns the cameras of a film in which the eye moves once around the target, about the up axis. Seen from
// above, it moves counter-clockwise. Orbit uses the same options as Look.
func Orbit(box scenes.Box, eye, target mgl64.Vec3, o Options, frames int) ([]render.Camera, error) {
	axis := mgl64.Vec3(o.Up.Vector())
	away := eye.Sub(target)
	cams := make([]render.Camera, max(frames, 0))
	for k := range cams {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(frames))
		if k == 0 {
			sin, cos = 0, 1
		}
		var err error
		if cams[k], err = Look(box, target.Add(rotated(away, axis, sin, cos)), target, o); err != nil {
			return nil, fmt.Errorf("frame %d: %w", k, err)
		}
	}
	return cams, nil
}

// rotated returns the vector v after a rotation about a unit axis. sin and cos are the sine and cosine of the angle.
// Source: Rodrigues' formula.
func rotated(v, axis mgl64.Vec3, sin, cos float64) (w mgl64.Vec3) {
	across := axis.Cross(v)
	along := float64(axis[0]*v[0]) + float64(axis[1]*v[1]) + float64(axis[2]*v[2])
	for i := range w {
		w[i] = float64(v[i]*cos) + float64(across[i]*sin) + float64(axis[i]*float64(along*(1-cos)))
	}
	return w
}

// A Keyframe sets the camera of one frame.
type Keyframe struct {
	Frame       float64 // number of the frame, counted from 0
	Eye, Target mgl64.Vec3
	FieldOfView float64 // field of view in degrees; 0 means the FieldOfView of the options
	Zoom        float64 // magnification; 0 means the Zoom of the options
}

// Path returns the cameras of a film that moves along keyframes. Between keyframes, the camera moves on smooth curves
// through them. Before the first keyframe and after the last, it stands still. Keyframes must be in ascending order of
// their frames. Source of the curves: Catmull and Rom, A Class of Local Interpolating Splines, 1974, with frame
// numbers as knots.
func Path(box scenes.Box, keys []Keyframe, o Options, frames int) ([]render.Camera, error) {
	if len(keys) == 0 {
		return nil, errors.New("expected a keyframe at least")
	}
	if o.FieldOfView == 0 {
		o.FieldOfView = DefaultFieldOfView
	}
	if o.Zoom == 0 {
		o.Zoom = 1
	}
	points := make([][]float64, len(keys))
	for i, k := range keys {
		if i > 0 && !(k.Frame > keys[i-1].Frame) {
			return nil, fmt.Errorf("keyframe %d: its frame %g is not after %g", i+1, k.Frame, keys[i-1].Frame)
		}
		if k.FieldOfView == 0 {
			k.FieldOfView = o.FieldOfView
		}
		if k.Zoom == 0 {
			k.Zoom = o.Zoom
		}
		if !(k.Zoom > 0) {
			return nil, fmt.Errorf("keyframe %d: zoom %g: expected more than 0", i+1, k.Zoom)
		}
		points[i] = []float64{k.Eye[0], k.Eye[1], k.Eye[2], k.Target[0], k.Target[1], k.Target[2], k.FieldOfView, math.Log(k.Zoom)}
	}
	cams := make([]render.Camera, max(frames, 0))
	for f := range cams {
		p := interpolate(keys, points, float64(f))
		c := o
		c.FieldOfView, c.Zoom = p[6], math.Exp(p[7])
		var err error
		if cams[f], err = Look(box, mgl64.Vec3(p[:3]), mgl64.Vec3(p[3:6]), c); err != nil {
			return nil, fmt.Errorf("frame %d: %w", f, err)
		}
	}
	return cams, nil
}

// interpolate returns the coordinates on the curves at the given frame.
func interpolate(keys []Keyframe, points [][]float64, frame float64) []float64 {
	last := len(keys) - 1
	if frame <= keys[0].Frame {
		return points[0]
	}
	if frame >= keys[last].Frame {
		return points[last]
	}
	i := 0
	for keys[i+1].Frame <= frame {
		i++
	}
	long := keys[i+1].Frame - keys[i].Frame
	t := (frame - keys[i].Frame) / long
	p := make([]float64, len(points[0]))
	for c := range p {
		from, to := slope(keys, points, i, c), slope(keys, points, i+1, c)
		// The factors are Hermite polynomials.
		t2, t3 := float64(t*t), float64(t*float64(t*t))
		p[c] = float64(points[i][c]*(float64(2*t3)-float64(3*t2)+1)) + float64(points[i+1][c]*(float64(3*t2)-float64(2*t3))) +
			float64(long*from*(t3-float64(2*t2)+t)) + float64(long*to*(t3-t2))
	}
	return p
}

// slope returns the change of coordinate c per frame at keyframe i. It is the mean change per frame between the
// previous and the next keyframe. At the first and the last keyframe it is 0.
func slope(keys []Keyframe, points [][]float64, i, c int) float64 {
	if i == 0 || i == len(keys)-1 {
		return 0
	}
	return (points[i+1][c] - points[i-1][c]) / (keys[i+1].Frame - keys[i-1].Frame)
}

// Circle returns the azimuth and elevation, in degrees, of an eye that moves on a great circle around the mesh. The
// circle starts at the given azimuth and elevation. The start is the highest point of the circle, or its lowest point
// if elevation is below 0. part is the fraction of a whole turn that the eye has moved.
func Circle(azimuth, elevation, part float64) (az, el float64) {
	sinE, cosE := math.Sincos(elevation * (math.Pi / 180))
	sin, cos := math.Sincos(2 * math.Pi * part)
	if part == 0 {
		return azimuth, elevation
	}
	return azimuth + math.Atan2(sin, float64(cos*cosE))*(180/math.Pi), math.Asin(float64(cos*sinE)) * (180 / math.Pi)
}

// goldenAngle is the angle in degrees between two successive points of the spiral in Sphere. It is an irrational
// fraction of a turn, so no two points have the same azimuth.
const goldenAngle = 137.50776405003785

// Sphere returns a function that gives the directions of the given number of eyes on a sphere around the mesh. Its
// argument part is the number of an eye divided by the number of eyes. The eyes are the points of a Fibonacci
// lattice. Each eye has an equal share of the sphere's area. The eyes descend from the top in a spiral that starts at
// the given azimuth. The argument elevation is ignored. No eye is exactly above or below the mesh.
func Sphere(eyes int) func(azimuth, elevation, part float64) (az, el float64) {
	n := float64(eyes)
	return func(azimuth, _, part float64) (az, el float64) {
		k := math.Round(float64(part * n))
		turn := math.Mod(float64(k*goldenAngle), 360)
		return azimuth + turn, math.Asin(1-(float64(2*k)+1)/n) * (180 / math.Pi)
	}
}
