package render

import (
	"errors"
	"fmt"
	"image"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/scenes"
)

// Margin is the part of the picture's width and height that a fitted box may
// fill.
const Margin = 0.9

// DefaultFieldOfView is the vertical field of view in degrees.
const DefaultFieldOfView = 30

// CameraOptions say from where a mesh is seen. The zero value looks at its
// front, in perspective, with the default field of view.
type CameraOptions struct {
	Up           scenes.Axis
	Azimuth      float64 // degrees, counter-clockwise seen from above; 0 is the front, 90 the right side
	Elevation    float64 // degrees, -90 to 90
	FieldOfView  float64 // vertical, degrees, above 0 and below 180; 0 means DefaultFieldOfView
	Orthographic bool
	Zoom         float64 // magnifies about the picture's centre; 0 means 1
}

// Limits of zoom: beyond them float32 coordinates cannot tell pixels apart.
const (
	minZoom = 1e-9
	maxZoom = 1e9
)

func (o CameraOptions) withDefaults() (CameraOptions, error) {
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

// A Camera looks at a mesh. Positions and distances are in mesh units,
// relative to the mesh's Origin; Right, Up and Forward are orthonormal and
// right-handed (Right x Up = -Forward).
type Camera struct {
	Eye, Target        mgl64.Vec3
	Right, Up, Forward mgl64.Vec3
	// Zenith is the up axis of the mesh, from where the sky of the studio lights it; zero
	// means Up.
	Zenith mgl64.Vec3
	// Orthographic cameras see along Forward everywhere; their Eye only says
	// from where depths are counted.
	Orthographic bool
	// Magnification is the height of an object on the screen, in picture
	// heights: of one that spans one unit of distance at distance one
	// (perspective), or of one mesh unit (orthographic).
	Magnification float64
	// ShiftX and ShiftY are the place where the axis of the view meets the picture: from its
	// middle to the right and up, in picture heights. Window sets them to show a part of a
	// picture.
	ShiftX, ShiftY float64
	// Near and Far are the distances along Forward between which depths are precise.
	// Nearer parts are cut off. Parts beyond Far are drawn too; orthographic views, and
	// perspectives from very far away, cut them off from 2*Far - Near on.
	Near, Far float64
	// Aspect is the width over the height of the pictures that the camera was fitted
	// to; 0 for one that suits any. Frame refuses pictures of another shape.
	Aspect float64
	// Box is what the camera was fitted to. Coordinates are taken relative to
	// its centre before anything else is done with them.
	Box scenes.Box
}

// check reports why a camera cannot show anything in a picture of a size.
func (c *Camera) check(width, height int) error {
	ok := finite(c.Magnification, c.Near, c.Far, c.Aspect, c.ShiftX, c.ShiftY)
	for _, v := range [...][3]float64{c.Eye, c.Right, c.Up, c.Forward, c.Zenith, c.Box.Min, c.Box.Max} {
		ok = ok && finite(v[0], v[1], v[2])
	}
	if !ok {
		return errors.New("camera: a number is not finite")
	}
	switch {
	case !(c.Magnification > 0):
		return fmt.Errorf("camera: magnification %g: expected more than 0", c.Magnification)
	case c.Far < c.Near:
		return fmt.Errorf("camera: far distance %g is below the near one, %g", c.Far, c.Near)
	case !c.Orthographic && !(c.Near > 0):
		return fmt.Errorf("camera: near distance %g: a perspective wants more than 0", c.Near)
	case c.Aspect != 0 && !c.suits(float64(width), float64(height)):
		return fmt.Errorf("camera: fitted to pictures %.4g times as wide as high, not to %dx%d", c.Aspect, width, height)
	}
	return nil
}

// suits reports whether a picture has the shape that the camera was fitted to, within the
// rounding of its sides to pixels.
func (c *Camera) suits(width, height float64) bool {
	return math.Abs(c.Aspect*height-width) <= 1 || math.Abs(width/c.Aspect-height) <= 1
}

// Project returns where a point of the mesh, relative to its Origin, lies in a picture of
// a size, in pixels from the top left corner, and its distance from the eye along
// Forward. Pixel (i, j) has its centre at (i+1/2, j+1/2). In perspective a point whose
// depth is not above 0 has no place, and x and y mean nothing.
func (c *Camera) Project(p mgl64.Vec3, width, height int) (x, y, depth float64) {
	d := p.Sub(c.Eye)
	depth = dot(d, c.Forward)
	perUnit := c.Magnification * float64(height)
	if !c.Orthographic {
		perUnit /= depth
	}
	middleX, middleY := c.axis(width, height)
	return middleX + float64(dot(d, c.Right)*perUnit), middleY - float64(dot(d, c.Up)*perUnit), depth
}

// Unproject is the inverse of Project: with a depth of Picture.Depth it returns the point
// that a pixel shows.
func (c *Camera) Unproject(x, y, depth float64, width, height int) mgl64.Vec3 {
	perPixel := 1 / (c.Magnification * float64(height))
	if !c.Orthographic {
		perPixel *= depth
	}
	middleX, middleY := c.axis(width, height)
	right, up := (x-middleX)*perPixel, (middleY-y)*perPixel
	return c.Eye.Add(scaled(c.Right, right)).Add(scaled(c.Up, up)).Add(scaled(c.Forward, depth))
}

// axis returns where the axis of the view meets a picture, in pixels.
func (c *Camera) axis(width, height int) (x, y float64) {
	return float64(width)/2 + float64(c.ShiftX*float64(height)), float64(height)/2 - float64(c.ShiftY*float64(height))
}

// Window returns the camera that sees one part of a picture of width by height pixels. Use it
// to draw a picture of the part's size. Vertices are snapped to the same places as in the
// whole picture, except where their coordinates are rounded differently.
func (c Camera) Window(width, height int, part image.Rectangle) Camera {
	x, y := c.axis(width, height)
	h := float64(part.Dy())
	c.ShiftX = (x - float64(part.Min.X) - float64(part.Dx())/2) / h
	c.ShiftY = (float64(part.Min.Y) + h/2 - y) / h
	c.Magnification *= float64(height) / h
	c.Aspect = 0
	return c
}

// sinCosDegrees is exact at multiples of 90 degrees, where a view is a plain
// side view and pictures should show no trace of rounding.
func sinCosDegrees(a float64) (sin, cos float64) {
	a = math.Mod(a, 360)
	switch a {
	case 0:
		return 0, 1
	case 90, -270:
		return 1, 0
	case 180, -180:
		return 0, -1
	case 270, -90:
		return -1, 0
	}
	return math.Sincos(a * (math.Pi / 180))
}

// frontRight returns the directions to the viewer and to the right in the
// front view. Right is +x where the up axis allows, else +y.
func frontRight(up mgl64.Vec3) (front, right mgl64.Vec3) {
	right = mgl64.Vec3{1, 0, 0}
	if up[0] != 0 {
		right = mgl64.Vec3{0, 1, 0}
	}
	return right.Cross(up), right
}

// dot and scaled round every product: those of mathgl may be fused with a sum on
// some processors, and the picture would depend on it.
func dot(a, b mgl64.Vec3) float64 {
	return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2])
}

func scaled(v mgl64.Vec3, by float64) mgl64.Vec3 {
	return mgl64.Vec3{float64(v[0] * by), float64(v[1] * by), float64(v[2] * by)}
}

// look returns a camera at no distance from the box's centre, with its axes.
func look(box scenes.Box, o CameraOptions) Camera {
	up := mgl64.Vec3(o.Up.Vector())
	front, right := frontRight(up)
	sinA, cosA := sinCosDegrees(o.Azimuth)
	sinE, cosE := sinCosDegrees(o.Elevation)
	around := scaled(front, cosA).Add(scaled(right, sinA))
	c := Camera{
		Target:       mgl64.Vec3(box.Center()),
		Right:        scaled(right, cosA).Sub(scaled(front, sinA)),
		Up:           scaled(up, cosE).Sub(scaled(around, sinE)),
		Forward:      scaled(scaled(around, cosE).Add(scaled(up, sinE)), -1),
		Zenith:       up,
		Orthographic: o.Orthographic,
		Box:          box,
	}
	c.Eye = c.Target
	return c
}

// offsets returns the box's corners relative to the target in the camera's
// axes: right, up, forward.
func (c *Camera) offsets(box scenes.Box) (corners [8]mgl64.Vec3) {
	for i := range corners {
		p := mgl64.Vec3{box.Min[0], box.Min[1], box.Min[2]}
		for axis := range 3 {
			if i>>axis&1 != 0 {
				p[axis] = box.Max[axis]
			}
		}
		p = p.Sub(c.Target)
		corners[i] = mgl64.Vec3{dot(p, c.Right), dot(p, c.Up), dot(p, c.Forward)}
	}
	return corners
}

// Fit returns the nearest camera for which all corners of the box project
// within the central Margin of the width and of the height of a picture of that
// many pixels; Zoom then magnifies about the centre. An orthographic camera
// scales by the same rule. It is an error if the box is empty or the options
// are out of range.
func Fit(box scenes.Box, width, height int, o CameraOptions) (Camera, error) {
	cams, err := FitTurn(box, width, height, o, []float64{0})
	if err != nil {
		return Camera{}, err
	}
	return cams[0], nil
}

// FitTurn fits one camera for each turn, in degrees added to the azimuth, all
// at the same distance (perspective) or scale (orthographic): the smallest that
// fits every one, so that a turning object keeps its size.
func FitTurn(box scenes.Box, width, height int, o CameraOptions, turns []float64) ([]Camera, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := checkFit(box, width, height, o, turns); err != nil {
		return nil, err
	}
	tan := math.Tan(o.FieldOfView / 2 * (math.Pi / 180))
	// Half the extents of the central part, per unit of distance or, for an
	// orthographic view, in units of half a picture height.
	insideY := Margin * tan
	insideX := insideY * float64(width) / float64(height)
	if o.Orthographic {
		insideY, insideX = Margin, Margin*float64(width)/float64(height)
	}
	cams := make([]Camera, len(turns))
	reach := 0.0 // distance, or half a picture height in mesh units
	for i, turn := range turns {
		turned := o
		turned.Azimuth += turn
		cams[i] = look(box, turned)
		cams[i].Aspect = float64(width) / float64(height)
		for _, p := range cams[i].offsets(box) {
			need := math.Max(math.Abs(p[0])/insideX, math.Abs(p[1])/insideY)
			if !o.Orthographic {
				need -= p[2]
			}
			reach = math.Max(reach, need)
		}
	}
	for i := range cams {
		cams[i].place(box, reach, tan, o)
	}
	return cams, nil
}

// finite reports whether all numbers are finite.
func finite(numbers ...float64) bool {
	for _, x := range numbers {
		if x-x != 0 {
			return false
		}
	}
	return true
}

// checkFit returns an error if the box is empty, or a size, an option or a turn is out of range.
func checkFit(box scenes.Box, width, height int, o CameraOptions, turns []float64) error {
	if box.Empty() {
		return fmt.Errorf("%w: no vertex has finite coordinates", ErrBlank)
	}
	if width < 1 || height < 1 {
		return fmt.Errorf("picture of %dx%d pixels: expected at least 1x1", width, height)
	}
	if o.Up > scenes.MinusZ {
		return fmt.Errorf("up axis %d: unknown", o.Up)
	}
	if !finite(box.Min[:]...) || !finite(box.Max[:]...) || !finite(turns...) {
		return errors.New("a corner of the box or a turn is not finite")
	}
	return nil
}

// place moves the camera away from its target and sets scale and depth range.
func (c *Camera) place(box scenes.Box, reach, tan float64, o CameraOptions) {
	nearest, farthest := math.Inf(1), math.Inf(-1)
	for _, p := range c.offsets(box) {
		nearest, farthest = math.Min(nearest, p[2]), math.Max(farthest, p[2])
	}
	if reach == 0 { // a point, or a line along the view: nothing will be visible
		reach = math.Max(1, farthest-nearest)
	}
	distance := reach
	if o.Orthographic {
		distance = farthest - nearest
		c.Magnification = o.Zoom / (2 * reach)
	} else {
		c.Magnification = o.Zoom / (2 * tan)
	}
	c.Eye = c.Target.Sub(scaled(c.Forward, distance))
	c.SetDepthRange(distance+nearest, distance+farthest)
}

// SetDepthRange sets Near and Far for a mesh whose box lies between two
// distances along Forward. The near plane of a perspective camera stays in front
// of the eye: where the box reaches behind it, at 1e-5 of the far distance.
func (c *Camera) SetDepthRange(nearest, farthest float64) {
	// The slack covers vertices that rounding moves out of their box.
	slack := float64(1e-3 * math.Max(farthest-nearest, 1e-6*math.Abs(farthest)))
	c.Near, c.Far = nearest-slack, farthest+slack
	if !c.Orthographic && c.Near <= 0 {
		c.Near = 1e-5 * c.Far
		if nearest > 0 {
			c.Near = nearest / 2
		}
	}
}

// Look returns a camera at eye that sees target in the middle of its picture. The picture may
// have any shape. Of the options the up axis, the field of view, the projection and the zoom
// count. An orthographic camera shows the target as large as one in perspective would. box is
// the box of the mesh.
func Look(box scenes.Box, eye, target mgl64.Vec3, o CameraOptions) (Camera, error) {
	o, err := o.withDefaults()
	if err != nil {
		return Camera{}, err
	}
	if err := checkFit(box, 1, 1, o, nil); err != nil {
		return Camera{}, err
	}
	c := look(box, o)
	away := target.Sub(eye)
	distance := away.Len()
	if !(distance > 0) || !finite(distance) {
		return Camera{}, errors.New("the eye and its target are one point, or too far apart")
	}
	c.Forward = scaled(away, 1/distance)
	right := c.Forward.Cross(c.Zenith)
	if right.Len() < 1e-9 { // straight down or up: as from the front, tilted
		_, right = frontRight(c.Zenith)
	}
	c.Right = scaled(right, 1/right.Len())
	c.Up = c.Right.Cross(c.Forward)
	c.Eye, c.Target = eye, target
	tan := math.Tan(o.FieldOfView / 2 * (math.Pi / 180))
	c.Magnification = o.Zoom / (2 * tan)
	if o.Orthographic {
		c.Magnification /= distance
	}
	nearest, farthest := math.Inf(1), math.Inf(-1)
	for _, p := range c.offsets(box) {
		nearest, farthest = math.Min(nearest, p[2]), math.Max(farthest, p[2])
	}
	if distance+farthest <= 0 && !o.Orthographic {
		return Camera{}, ErrBlank
	}
	c.SetDepthRange(distance+nearest, distance+farthest)
	return c, nil
}
