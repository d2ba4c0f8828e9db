// Package cameras chooses the cameras of pictures and animations: fitted to a mesh and its shadow, or standing where
// the recipe says.
package cameras

import (
	"context"
	"errors"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/ground"
	"lockstep/scenes"
)

// A Scene is a mesh with its shadow, and the camera settings of a recipe.
type Scene struct {
	Source        scenes.Source
	Box           scenes.Box // relative to Origin
	Origin        [3]float64
	Width, Height int            // size of the part of the picture to which the mesh is fitted
	Options       camera.Options // options of a recipe for Box
	Tight         bool           // fit cameras to the vertices, not to the box
	Eye           *Eye           // nil if cameras are fitted
	// Shadow computes the shadow on the ground. Cameras that are fitted to the vertices have to see the shadow, too.
	// Shadow is nil if there is no shadow.
	Shadow func(ctx context.Context) (*ground.Ground, error)
}

// An Eye is a camera at a given position. Its points are in coordinates of the file.
type Eye struct {
	At             [3]float64
	Target, Upward *[3]float64 // nil means the centre of the mesh, and the up axis
	Height         float64     // height of an orthographic picture in units of the mesh; 0: the mesh determines it
	Shift          [2]float64  // offset of the camera's axis from the middle of the picture, in heights of the picture
}

// minShade is the share of the light that is missing where a shadow becomes visible. Cameras are not fitted to lighter
// parts of the shadow.
const minShade = 0.06

// Fit returns the camera of a single picture.
func (s *Scene) Fit(ctx context.Context) (render.Camera, error) {
	if s.Eye != nil {
		return s.Place()
	}
	if !s.Tight {
		return camera.Fit(s.Box, s.Width, s.Height, s.Options)
	}
	cams, err := s.fitWithShadow(ctx, func(o camera.Options) ([]render.Camera, error) {
		cam, err := camera.FitTight(ctx, s.Source, s.Box, s.Width, s.Height, o)
		return []render.Camera{cam}, err
	})
	if err != nil {
		return render.Camera{}, err
	}
	return cams[0], nil
}

// Turn returns the cameras of a turntable. turns holds the angles in degrees by which the eye is turned.
func (s *Scene) Turn(ctx context.Context, turns []float64) ([]render.Camera, error) {
	if s.Tight {
		return s.fitWithShadow(ctx, func(o camera.Options) ([]render.Camera, error) {
			return camera.FitTightTurn(ctx, s.Source, s.Box, s.Width, s.Height, o, turns)
		})
	}
	return camera.FitTurn(s.Box, s.Width, s.Height, s.Options, turns)
}

// fitWithShadow calls the function fit. If the cameras look at the shadow from above, fitWithShadow passes points
// around the shadow to fit. The shadow then also fits into the pictures. All cameras have the same elevation, so the
// first camera decides for all.
func (s *Scene) fitWithShadow(ctx context.Context, fit func(o camera.Options) ([]render.Camera, error)) ([]render.Camera, error) {
	if s.Shadow == nil {
		return fit(s.Options)
	}
	g, err := s.Shadow(ctx)
	if err != nil {
		return nil, err
	}
	shadowed := s.Options
	shadowed.Beside = g.Outline(minShade)
	if cams, err := fit(shadowed); err != nil || len(cams) == 0 || g.Below(&cams[0]) {
		return cams, err
	}
	return fit(s.Options) // the shadow is invisible from below
}

// errNoEye is the error for a camera without a position of its eye.
var errNoEye = errors.New("recipe: camera.eye: there is none")

// Place returns the camera at Eye.
func (s *Scene) Place() (render.Camera, error) {
	eye := s.Eye
	if eye == nil {
		return render.Camera{}, errNoEye
	}
	target := mgl64.Vec3(s.Box.Center())
	if eye.Target != nil {
		target = mgl64.Vec3(*eye.Target).Sub(s.Origin)
	}
	cam, err := camera.Look(s.Box, mgl64.Vec3(eye.At).Sub(s.Origin), target, s.Options)
	if err != nil {
		return cam, err
	}
	cam.ShiftX, cam.ShiftY = eye.Shift[0], eye.Shift[1]
	if eye.Height > 0 {
		cam.Magnification = 1 / eye.Height
	}
	if eye.Upward != nil {
		err = cam.Orient(mgl64.Vec3(*eye.Upward))
	}
	return cam, err
}

// PixelLength returns the length of a pixel at a point in front of a camera. Pictures are height pixels high.
func PixelLength(cam *render.Camera, at mgl64.Vec3, height int) float64 {
	length := 1 / (cam.Magnification * float64(height))
	if !cam.Orthographic {
		length *= at.Sub(cam.Eye).Dot(cam.Target.Sub(cam.Eye).Normalize())
	}
	return length
}
