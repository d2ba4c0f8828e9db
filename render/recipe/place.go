package recipe

import (
	"fmt"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
)

// Place returns the camera that stands at Camera.Eye. box is the box of the mesh relative to origin; the eye is in
// coordinates of the file.
func (p Picture) Place(box scenes.Box, origin [3]float64, up scenes.Axis) (render.Camera, error) {
	c := &p.Camera
	if c.Eye == nil {
		return render.Camera{}, fmt.Errorf("recipe: camera.eye: there is none")
	}
	target := mgl64.Vec3(box.Center())
	if c.Target != nil {
		target = mgl64.Vec3(*c.Target).Sub(origin)
	}
	cam, err := camera.Look(box, mgl64.Vec3(*c.Eye).Sub(origin), target, p.CameraOptions(up, box))
	if err != nil {
		return cam, err
	}
	cam.ShiftX, cam.ShiftY = c.Shift[0], c.Shift[1]
	if c.Height > 0 {
		cam.Magnification = 1 / c.Height
	}
	if c.Upward != nil {
		err = cam.Orient(mgl64.Vec3(*c.Upward))
	}
	return cam, err
}
