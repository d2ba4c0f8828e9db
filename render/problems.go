package render

import (
	"context"
	"fmt"

	"lockstep/render/internal/kernel"
	"lockstep/scenes"
)

// Problems are the two loops of a frame as Ahrens and Hansen have them: problem
// data, tasks, and functions that solve one task. A task is computed from the problem
// data and its index alone, so that any processor can do it at any time. It is the
// plain specification, which a Renderer's loops are compared with.
//
// The problems of scan conversion are polygons, and a task is a scan line. The spans
// that it finds are the problems of the z-buffer, and a task is a run of samples.
type Problems struct {
	// Hidden is the number of triangles that gave no polygon: culled, or outside the
	// picture.
	Hidden int

	loops *kernel.Lockstep
	frame frame
	width int32
}

// CollectProblems brings a mesh to the screen and returns its polygons, as problems
// of scan conversion. The cost is that of the plain geometry loop, and some 100
// bytes a polygon.
func CollectProblems(ctx context.Context, source scenes.Source, cam Camera, o Options) (*Problems, error) {
	o, err := o.withDefaults()
	if err == nil {
		err = cam.check(o.Width, o.Height)
	}
	if err != nil {
		return nil, err
	}
	base, _ := o.baseColor() // of valid options
	view, shader := makeView(&cam, &o), kernel.NewShader(uint32(base))
	p := &Problems{loops: kernel.NewLockstep(), width: view.Width}
	p.frame.resize(newLayout(int(view.Width), int(view.Height)), 1)
	polygons, toClip := kernel.MakePolygons(scenes.BlockSize+kernel.ClipMost), make([]int32, scenes.BlockSize)
	var block scenes.Block
	var counts kernel.Counts
	for i := range scenes.NumBlocks(source) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := source.ReadBlock(i, &block); err != nil {
			return nil, fmt.Errorf("collect problems: %w", err)
		}
		if o.Color != nil {
			block.Colors = nil
		}
		polygons.Reset()
		rest := kernel.Geometry(&view, &block, polygons, toClip, &counts)
		for more := true; more; more = len(rest) > 0 {
			rest = kernel.ClipTriangles(&view, &block, rest, polygons, &counts)
			kernel.Shade(shader, polygons, block.Colors)
			p.loops.Add(polygons)
			polygons.Reset()
		}
	}
	p.Hidden = int(counts.Dropped + counts.Culled)
	return p, nil
}

// Rows returns the workload of scan conversion, the scan lines of each polygon. It
// may not be changed.
func (p *Problems) Rows() []int32 { return p.loops.Rows() }

// ScanRow solves a task of scan conversion: it appends the span of a scan line to the
// problems of the z-buffer, if the polygon covers a sample there.
func (p *Problems) ScanRow(polygon, task int) {
	p.loops.ScanRow(polygon, task, p.width, int32(p.frame.stride))
}

// ForgetSpans empties the problems of the z-buffer, for scan conversion to begin
// again.
func (p *Problems) ForgetSpans() { p.loops.Spans().N = 0 }

// Runs returns the workload of the z-buffer: the runs of so many samples in each span,
// the last of which may be shorter.
func (p *Problems) Runs(samples int) []int32 {
	return p.loops.Runs(int32(min(max(samples, 1), MaxPixels)))
}

// MergeRun solves a task of the z-buffer: it merges one of the [Problems.Runs] of a
// span into the frame.
func (p *Problems) MergeRun(span, task, samples int) {
	p.loops.MergeRun(p.frame.keys, span, task, int32(min(max(samples, 1), MaxPixels)))
}
