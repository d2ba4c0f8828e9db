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

// Margin is the fraction of the picture's width and height that a fitted box may fill.
const Margin = 0.9

// DefaultFieldOfView is the vertical field of view in degrees.
const DefaultFieldOfView = 30

// Options determine the direction from which a mesh is seen, and the projection. The zero value looks at the front of
// the mesh, in perspective, with the default field of view.
type Options struct {
	Up           scenes.Axis
	Azimuth      float64 // degrees, counter-clockwise when seen from above; 0 is the front, 90 the right side
	Elevation    float64 // degrees, -90 to 90
	FieldOfView  float64 // vertical, degrees, above 0 and below 180; 0 means DefaultFieldOfView
	Orthographic bool
	Zoom         float64 // magnification about the picture's centre; 0 means 1
	// Beside holds further points that the picture shows, for example points around a shadow. FitTight and
	// FitTightTurn make room for these points beside the vertices. The limiting side of the picture is the side that
	// the mesh fills first. The points may take at most a fifth of the limiting side. If they need more, they are
	// moved towards their centre.
	Beside []mgl64.Vec3
}

// minZoom and maxZoom limit Options.Zoom. Outside these limits, float32 coordinates cannot tell neighbouring pixels
// apart.
const (
	minZoom = 1e-9
	maxZoom = 1e9
)

func (o Options) withDefaults() (Options, error) {
	if o.FieldOfView == 0 {
		o.FieldOfView = DefaultFieldOfView
	}
	if o.Zoom == 0 {
		o.Zoom = 1
	}
	var faults []error
	if !(o.FieldOfView > 0 && o.FieldOfView < 180) {
		faults = append(faults, fmt.Errorf("field of view %g: expected more than 0 and less than 180 degrees", o.FieldOfView))
	}
	if !(o.Zoom >= minZoom && o.Zoom <= maxZoom) {
		faults = append(faults, fmt.Errorf("zoom %g: expected %g to %g", o.Zoom, minZoom, maxZoom))
	}
	if !(o.Elevation >= -90 && o.Elevation <= 90) {
		faults = append(faults, fmt.Errorf("elevation %g: expected -90 to 90 degrees", o.Elevation))
	}
	if math.IsNaN(o.Azimuth) || math.IsInf(o.Azimuth, 0) {
		faults = append(faults, fmt.Errorf("azimuth %g: expected a number of degrees", o.Azimuth))
	}
	return o, errors.Join(faults...)
}

// Fit returns the nearest camera that shows the whole box in the central part of a picture of width by height pixels.
// The central part takes Margin of the width and of the height. Zoom then magnifies about the centre. An orthographic
// camera gets the largest scale with which the box fits. Fit returns an error if the box is empty or the options are
// out of range.
func Fit(box scenes.Box, width, height int, o Options) (render.Camera, error) {
	cams, err := FitTurn(box, width, height, o, []float64{0})
	if err != nil {
		return render.Camera{}, err
	}
	return cams[0], nil
}

// FitTurn returns the cameras of a turntable: one for each element of turns. An element is the number of degrees that
// are added to the azimuth. A turning object must keep its size. So all perspective cameras have the same distance,
// and all orthographic cameras the same scale. This is the nearest distance, or largest scale, at which the box fits
// in every view.
func FitTurn(box scenes.Box, width, height int, o Options, turns []float64) ([]render.Camera, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := checkFit(box, width, height, o, turns); err != nil {
		return nil, err
	}
	tan := math.Tan(o.FieldOfView / 2 * (math.Pi / 180))
	// insideX and insideY are half the width and height of the central part. In perspective, they are measured in a
	// plane at distance 1 from the eye. In an orthographic view, their unit is half the picture's height.
	insideY := Margin * tan
	insideX := insideY * float64(width) / float64(height)
	if o.Orthographic {
		insideY, insideX = Margin, Margin*float64(width)/float64(height)
	}
	cams := make([]render.Camera, len(turns))
	reach := 0.0 // least distance (perspective), or half a picture height in mesh units
	for i, turn := range turns {
		turned := o
		turned.Azimuth += turn
		cams[i] = newCamera(box, turned)
		cams[i].Aspect = float64(width) / float64(height)
		for _, p := range cornerOffsets(&cams[i], box) {
			need := math.Max(math.Abs(p[0])/insideX, math.Abs(p[1])/insideY)
			if !o.Orthographic {
				need -= p[2]
			}
			reach = math.Max(reach, need)
		}
	}
	for i := range cams {
		placeEye(&cams[i], box, reach, tan, o)
	}
	return cams, nil
}

// checkFit returns an error if the box is empty, or if the size, the up axis or a turn is out of range.
func checkFit(box scenes.Box, width, height int, o Options, turns []float64) error {
	if box.Empty() {
		return fmt.Errorf("%w: no vertex has finite coordinates", render.ErrBlank)
	}
	if width < 1 || height < 1 {
		return fmt.Errorf("picture of %dx%d pixels: expected at least 1x1", width, height)
	}
	if o.Up > scenes.MinusZ {
		return fmt.Errorf("up axis %d: unknown", o.Up)
	}
	if !vector.Finite(box.Min[:]...) || !vector.Finite(box.Max[:]...) || !vector.Finite(turns...) {
		return errors.New("a corner of the box or a turn is not finite")
	}
	return nil
}

// frontRight returns the directions to the viewer (front) and to the viewer's right, in the front view of a mesh with
// the given up axis. Right is +x, or +y if the up axis is the x axis.
func frontRight(up mgl64.Vec3) (front, right mgl64.Vec3) {
	right = mgl64.Vec3{1, 0, 0}
	if up[0] != 0 {
		right = mgl64.Vec3{0, 1, 0}
	}
	return right.Cross(up), right
}

// newCamera returns a camera with the axes that o specifies. Its eye is at the centre of the box. The method placeEye
// moves the eye from there.
func newCamera(box scenes.Box, o Options) render.Camera {
	up := mgl64.Vec3(o.Up.Vector())
	front, right := frontRight(up)
	sinA, cosA := vector.SinCosDegrees(o.Azimuth)
	sinE, cosE := vector.SinCosDegrees(o.Elevation)
	around := vector.Scaled(front, cosA).Add(vector.Scaled(right, sinA))
	c := render.Camera{
		Target:       mgl64.Vec3(box.Center()),
		Right:        vector.Scaled(right, cosA).Sub(vector.Scaled(front, sinA)),
		Up:           vector.Scaled(up, cosE).Sub(vector.Scaled(around, sinE)),
		Forward:      vector.Scaled(vector.Scaled(around, cosE).Add(vector.Scaled(up, sinE)), -1),
		Zenith:       up,
		Orthographic: o.Orthographic,
		Box:          box,
	}
	c.Eye = c.Target
	return c
}

// cornerOffsets returns the box's corners relative to the camera's target, in the camera's axes right, up and forward.
func cornerOffsets(c *render.Camera, box scenes.Box) (corners [8]mgl64.Vec3) {
	for i := range corners {
		p := mgl64.Vec3{box.Min[0], box.Min[1], box.Min[2]}
		for axis := range 3 {
			if i>>axis&1 != 0 {
				p[axis] = box.Max[axis]
			}
		}
		p = p.Sub(c.Target)
		corners[i] = mgl64.Vec3{vector.Dot(p, c.Right), vector.Dot(p, c.Up), vector.Dot(p, c.Forward)}
	}
	return corners
}

// placeEye moves the camera's eye away from its target, and sets the magnification and the depth range. In
// perspective, reach is the distance of the eye from the target. In an orthographic view, reach is half a picture
// height in mesh units. tan is the tangent of half the field of view.
func placeEye(c *render.Camera, box scenes.Box, reach, tan float64, o Options) {
	nearest, farthest := math.Inf(1), math.Inf(-1)
	for _, p := range cornerOffsets(c, box) {
		nearest, farthest = math.Min(nearest, p[2]), math.Max(farthest, p[2])
	}
	if reach == 0 { // the box is a point, or a line along the view; nothing will be visible
		reach = math.Max(1, farthest-nearest)
	}
	distance := reach
	if o.Orthographic {
		distance = farthest - nearest
		c.Magnification = o.Zoom / (2 * reach)
	} else {
		c.Magnification = o.Zoom / (2 * tan)
	}
	c.Eye = c.Target.Sub(vector.Scaled(c.Forward, distance))
	c.SetDepthRange(distance+nearest, distance+farthest)
}
