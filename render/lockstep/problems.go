package lockstep

import (
	"context"
	"fmt"
	"math"

	"lockstep/render"
	"lockstep/render/internal/kernel"
	"lockstep/render/internal/plan"
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
	frame *plan.Frame
	keys  []uint64
}

// Collect brings a mesh to the screen and returns its polygons, as problems of scan
// conversion. The cost is that of the plain geometry loop, and some 100 bytes a
// polygon.
func Collect(ctx context.Context, source scenes.Source, cam render.Camera, o render.Options) (*Problems, error) {
	f, err := render.Plan(cam, o)
	if err != nil {
		return nil, err
	}
	p := &Problems{loops: kernel.NewLockstep(), frame: f, keys: make([]uint64, f.Keys)}
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
		if f.OneColor {
			block.Colors = nil
		}
		polygons.Reset()
		rest := kernel.Geometry(&f.View, &block, polygons, toClip, &counts)
		for more := true; more; more = len(rest) > 0 {
			rest = kernel.ClipTriangles(&f.View, &block, rest, polygons, &counts)
			kernel.Shade(f.Shader, polygons, block.Colors)
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
	p.loops.ScanRow(polygon, task, p.frame.View.Width, int32(p.frame.Stride))
}

// ForgetSpans empties the problems of the z-buffer, for scan conversion to begin
// again.
func (p *Problems) ForgetSpans() { p.loops.Spans().N = 0 }

// Runs returns the workload of the z-buffer: the number of runs in each span. A run
// has the given number of samples; the last one may be shorter.
func (p *Problems) Runs(samples int) []int32 { return p.loops.Runs(clampRun(samples)) }

// MergeRun solves a task of the z-buffer: it merges one of the [Problems.Runs] of a
// span into the frame.
func (p *Problems) MergeRun(span, task, samples int) {
	p.loops.MergeRun(p.keys, span, task, clampRun(samples))
}

// clampRun returns a run of at least one sample; no span is longer than a picture is
// wide.
func clampRun(samples int) int32 { return int32(min(max(samples, 1), render.MaxPixels)) }

// Resolve makes a picture of the merged runs, and empties the frame.
func (p *Problems) Resolve(pic *render.Picture) {
	f := p.frame
	*pic = render.Picture{Width: f.Width, Height: f.Height, Pix: make([]byte, 4*f.Width*f.Height)}
	if f.Distance != nil {
		pic.Depth = make([]float32, f.Width*f.Height)
	}
	down := kernel.NewDownsampler()
	for y := range f.Height {
		keys, from := p.keys[y*f.Grid*f.Stride:], y*f.Width
		for x := range f.Width {
			if f.Distance == nil {
				break
			}
			pic.Depth[from+x] = float32(math.Inf(1))
			if nearest := kernel.Nearest(keys, f.Stride, f.Grid, x); nearest != 0 {
				pic.Depth[from+x] = f.Distance(kernel.Nearness(nearest))
			}
		}
		pix := pic.Pix[4*from : 4*(from+f.Width)]
		if f.Grid > 1 {
			down.Resolve(pix, keys, f.Stride, f.Grid, f.Background)
		} else {
			kernel.Resolve(pix, keys[:f.Width], f.Background)
		}
	}
}
