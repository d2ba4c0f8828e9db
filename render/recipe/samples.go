package recipe

import (
	"fmt"

	"lockstep/render"
)

const (
	// fineSamples is the number of samples a pixel of single pictures where they are cheap: of at most finePixels pixels
	// and fineTriangles triangles. There the command takes about a third longer than with 4: 0.98 to 1.55 times the
	// processor time, 1.29 in the middle of 15 cases, for meshes of 20 thousand to a million triangles on two cores of a
	// Zen 5, read, lit and written.
	fineSamples   = 16
	finePixels    = 2_100_000
	fineTriangles = 1_000_000
)

// autoSamples returns how many samples a pixel has where no number is given and nothing is known of the mesh.
func autoSamples(size Size) int {
	if max(size.Width, size.Height) > render.MaxPixels/2 {
		return 1
	}
	return 4
}

// fine reports whether a single picture of a mesh of so many triangles has fineSamples. The plain light of the eye keeps
// what it always had.
func (p *Picture) fine(triangles int) bool {
	f := p.full()
	size := f.Size
	// Sixteen samples lie in rows of four, and no row has more than the renderer's most.
	few := size.Width*size.Height <= finePixels && max(size.Width, size.Height) <= render.MaxPixels/4
	return p.Look.Samples == 0 && f.Look.Light == "studio" && few && triangles <= fineTriangles
}

// Single returns the options for the one picture that is drawn of an input, which may have more samples than those of an
// animation, unless there is no memory for them: d warns of that. A picture that is not drawn as a whole is one for which
// there is little memory.
func (d *Drawer) Single(p Picture, in *Input, o render.Options, whole bool) render.Options {
	if !p.fine(in.Source.Len()) {
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
