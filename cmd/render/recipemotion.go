package main

import (
	"lockstep/render/recipe"
)

// animation returns the recipe that the flags fill.
func (c *animateCommand) animation() (recipe.Animation, error) {
	a := recipe.Animation{Picture: c.picture(), Frames: int(c.Frames)}
	switch {
	case c.Orbit:
		a.Motion = "orbit"
	case c.Flyby:
		a.Motion = "flyby"
	case c.Turntable:
		a.Motion = "turntable"
	case c.Keyframes == "":
		a.Motion = "still"
	default:
		keys, err := readKeys(string(c.Keyframes))
		if err != nil {
			return a, err
		}
		a.Motion, a.Keyframes = "keyframes", keys
	}
	for _, more := range c.More {
		a.More = append(a.More, recipe.Mesh{File: string(more), Up: c.upOf(string(more))})
	}
	return a, nil
}
