package render

import (
	"errors"
	"fmt"
	"math"

	"lockstep/scenes"
)

// Flyby returns a camera for each frame of a film that flies straight past a
// mesh: at the level of the view that o names, from outside its left end to
// outside its right one, close enough that a small part of the mesh fills the
// picture. What a frame costs wanders from block to block of the mesh with it.
// Zoom narrows the field of view as for Fit; the film needs perspective.
func Flyby(box scenes.Box, o CameraOptions, frames int) ([]Camera, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	switch {
	case box.Empty():
		return nil, fmt.Errorf("%w: no vertex has finite coordinates", ErrBlank)
	case o.Orthographic:
		return nil, errors.New("a flyby needs the perspective projection")
	case frames < 1:
		return nil, errors.New("a flyby needs at least one frame")
	}
	c := look(box, o)
	half := c.halfExtent(box)
	size := math.Max(half[0], math.Max(half[1], half[2]))
	if size == 0 {
		size = 1
	}
	c.Magnification = o.Zoom / (2 * math.Tan(o.FieldOfView/2*(math.Pi/180)))
	// A sixth of the mesh's size in front of its box; the path ends where the
	// box's edge has nearly left the picture.
	distance := half[2] + size/6
	reach := half[0] + 0.8*size/6
	cams := make([]Camera, frames)
	for i := range cams {
		t := 0.5
		if frames > 1 {
			t = float64(i) / float64(frames-1)
		}
		cams[i] = c
		cams[i].Eye = c.Target.Sub(scaled(c.Forward, distance)).Add(scaled(c.Right, (2*t-1)*reach))
		cams[i].SetDepthRange(distance-half[2], distance+half[2])
	}
	return cams, nil
}

// halfExtent returns how far the box reaches along right, up and forward.
func (c *Camera) halfExtent(box scenes.Box) (half [3]float64) {
	for _, p := range c.offsets(box) {
		for axis := range half {
			half[axis] = math.Max(half[axis], math.Abs(p[axis]))
		}
	}
	return half
}
