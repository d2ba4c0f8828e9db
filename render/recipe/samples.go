package recipe

import (
	"fmt"

	"lockstep/render"
)

const (
	// fineSamples is the number of samples per pixel of single pictures that are cheap to draw, with at most finePixels
	// pixels and fineTriangles triangles. The command takes about a third longer for such a picture than with 4
	// samples. In 15 cases, with meshes of 20 thousand to a million triangles on two cores of a Zen 5, it took 0.98 to
	// 1.55 times the processor time, including reading, lighting and writing; the median is 1.29.
	fineSamples   = 16
	finePixels    = 2_100_000
	fineTriangles = 1_000_000
)

// autoSamples returns the number of samples per pixel if the recipe gives none and the mesh is not known.
func autoSamples(size Size) int {
	if max(size.Width, size.Height) > render.MaxPixels/2 {
		return 1
	}
	return 4
}

// isFine reports whether a single picture of a mesh with this number of triangles gets fineSamples. A picture with a
// headlight never does.
func (p *Picture) isFine(triangles int) bool {
	f := p.full()
	size := f.Size
	// Sixteen samples lie in four rows and four columns, so a picture has at most a quarter of the renderer's largest
	// width and height.
	few := size.Width*size.Height <= finePixels && max(size.Width, size.Height) <= render.MaxPixels/4
	return p.Look.Samples == 0 && f.Look.Light == "studio" && few && triangles <= fineTriangles
}

// Single returns the options for a single picture of an input, which may get more samples than a frame of an animation.
// In two cases d warns and the options stay as they are: if memory does not suffice for more samples, or if whole is
// false, which means that the picture is drawn in strips because memory is short.
func (d *Drawer) Single(p Picture, in *Input, o render.Options, whole bool) render.Options {
	if !p.isFine(in.Source.Len()) {
		return o
	}
	finer := o
	finer.Samples = fineSamples
	if whole && (d.Memory == nil || d.Memory.Lacks(finer, in.Held) == nil) {
		return finer
	}
	d.warn(fmt.Sprintf("%s: drawn with %d samples a pixel: there is no memory for %d (--samples %[2]d does the same without a warning)", in.Name, o.Samples, fineSamples))
	return o
}
