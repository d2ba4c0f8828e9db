package main

import (
	"fmt"

	"lockstep/internal/budget"
	"lockstep/internal/cli"
	"lockstep/render"
	"lockstep/render/footprint"
)

// remedies lists flags that reduce the memory for a picture. The flags that change the look least come first. The
// function apply returns false if the flags change nothing.
var remedies = []struct {
	flags string
	apply func(o *render.Options) bool
}{
	{"--occlusion off", removeOcclusion},
	{"--samples 4", func(o *render.Options) bool { return reduceSamples(o, 4) }},
	{"--samples 1", func(o *render.Options) bool { return reduceSamples(o, 1) }},
	{"--occlusion off --samples 1", func(o *render.Options) bool { return removeOcclusion(o) && reduceSamples(o, 1) }},
	{"--fast", func(o *render.Options) bool {
		plain := o.Shading == render.ShadingFlat && !o.Occlusion && o.Samples == 1
		o.Shading, o.Occlusion, o.Samples = render.ShadingFlat, false, 1
		return !plain
	}},
}

func removeOcclusion(o *render.Options) bool {
	had := o.Occlusion
	o.Occlusion = false
	return had
}

func reduceSamples(o *render.Options, n int) bool {
	had := o.Samples > n
	o.Samples = min(o.Samples, n)
	return had
}

// remedyText returns the text that follows the error about a picture that does not fit into memory. The text names the
// first of the remedies with which the picture fits, or else the largest size that fits. If nothing fits, the text is
// empty. The function `fits` predicts whether a picture fits. The memory for eye-dome lighting is not counted, as in
// checkMemory.
func remedyText(o render.Options, fits func(o render.Options) bool) string {
	o = footprint.OfMesh(o)
	for _, r := range remedies {
		if other := o; r.apply(&other) && fits(other) {
			return "; " + r.flags + " would fit"
		}
	}
	const parts = 100 // the search tries multiples of 1/parts of the size, which is exact enough for advice
	smaller := func(n int) render.Options {
		other := o
		other.Width, other.Height = max(o.Width*n/parts, 1), max(o.Height*n/parts, 1)
		return other
	}
	low, high := 0, parts
	for low+1 < high {
		if middle := (low + high) / 2; fits(smaller(middle)) {
			low = middle
		} else {
			high = middle
		}
	}
	if low == 0 {
		return ""
	}
	return fmt.Sprintf("; --size %dx%d would fit", smaller(low).Width, smaller(low).Height)
}

// checkMemory returns an error with advice if not even one worker can draw the picture. It does not count the memory
// for eye-dome lighting, because the mesh is not read yet and may not be a cloud of points. The method
// recipe.Drawer.Open counts that memory.
func checkMemory(r *budget.Account, o render.Options) error {
	o = footprint.OfMesh(o)
	s := r.DrawShortage(o, 1)
	if s == nil {
		return nil
	}
	return cli.Usagef("--size %dx%d with --samples %d %s%s", o.Width, o.Height, o.Samples, s.Text(), remedyTextFor(r, o))
}

// remedyTextFor is remedyText for a picture that must fit into the memory account r.
func remedyTextFor(r *budget.Account, o render.Options) string {
	return remedyText(o, func(o render.Options) bool { return r.DrawShortage(o, 1) == nil })
}
