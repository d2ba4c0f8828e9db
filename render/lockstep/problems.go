package lockstep

import (
	"context"
	"fmt"
	"math"

	"lockstep/render"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/kernel/pixel"
	"lockstep/render/internal/kernel/scanline"
	"lockstep/render/internal/kernel/shade"
	"lockstep/render/internal/kernel/zbuffer"
	"lockstep/render/internal/plan"
	"lockstep/render/internal/sources"
	"lockstep/scenes"
	"lockstep/vp/isa"
)

// Problems are the two loops of a frame as Ahrens and Hansen describe them: problem data, tasks, and functions that
// carry out one task. A task depends only on the problem data and its index. So any processor can carry it out at any
// time. Tests compare the loops of a Renderer with this plain form.
//
// The problems of scan conversion are polygons. Each task is a scan line, and produces at most one span. The spans are
// the problems of the z-buffer. Each task there is a run of samples.
type Problems struct {
	// Hidden is the number of triangles that gave no polygon because they were culled or lie outside the picture.
	Hidden int

	polygons *array.Polygons // has only the columns that array.MakeRowRanges makes
	spans    *array.Spans
	frame    *plan.Frame
	keys     []uint64
}

// Collect projects a mesh onto the screen, and returns the visible polygons as problems of scan conversion. It takes
// as long as the geometry stage without vector instructions, and needs some 100 bytes per polygon.
func Collect(ctx context.Context, source scenes.Source, cam render.Camera, o render.Options) (*Problems, error) {
	if err := sources.Check(ctx, source); err != nil {
		return nil, fmt.Errorf("collect problems: %w", err)
	}
	f, err := plan.New(cam, o)
	if err != nil {
		return nil, err
	}
	p := &Problems{polygons: array.MakeRowRanges(1), spans: array.MakeSpans(1), frame: f, keys: make([]uint64, f.Keys)}
	polygons, toClip := array.MakePolygons(scenes.BlockSize+geometry.MaxClipped), make([]int32, scenes.BlockSize)
	var block scenes.Block
	var counts geometry.Counts
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
		rest := geometry.Project(&f.View, &block, polygons, toClip, &counts)
		for more := true; more; more = len(rest) > 0 {
			rest = geometry.ClipTriangles(&f.View, &block, rest, polygons, &counts)
			shade.Shade(f.Shader, polygons, block.Colors)
			p.add(polygons)
			polygons.Reset()
		}
	}
	p.Hidden = int(counts.Dropped + counts.Culled)
	return p, nil
}

// add appends shaded polygons to p, as input of scan conversion.
func (p *Problems) add(polygons *array.Polygons) {
	if need := p.polygons.N + polygons.N; need > len(p.polygons.Payload) {
		grown := array.MakeRowRanges(2 * need)
		grown.PushAll(p.polygons)
		p.polygons = grown
	}
	p.polygons.PushAll(polygons)
}

// Rows returns the workload of scan conversion, which is the number of scan lines of each polygon. The caller must not
// change it.
func (p *Problems) Rows() []int32 { return p.polygons.Rows[:p.polygons.N] }

// ScanRow carries out a task of scan conversion. If the polygon covers samples of the task's scan line, ScanRow appends
// their span to the problems of the z-buffer.
func (p *Problems) ScanRow(polygon, task int) {
	if p.spans.Room() == 0 {
		p.spans = p.spans.Grown()
	}
	row := p.polygons.First[polygon] + int32(task)
	scanline.AppendRow(p.spans, p.polygons, polygon, row, p.frame.View.Width, int32(p.frame.Stride))
}

// ForgetSpans removes the problems of the z-buffer, so that scan conversion can begin again.
func (p *Problems) ForgetSpans() { p.spans.N = 0 }

// Runs returns the workload of the z-buffer: the number of runs in each span. samples is the length of a run; the last
// run of a span may be shorter.
func (p *Problems) Runs(samples int) []int32 {
	runs, each := make([]int32, p.spans.N), clampRun(samples)
	for i, count := range p.spans.Count[:p.spans.N] {
		runs[i] = (count + each - 1) / each
	}
	return runs
}

// MergeRun carries out a task of the z-buffer: it merges one of the [Problems.Runs] of a span into the frame.
func (p *Problems) MergeRun(span, task, samples int) {
	zbuffer.MergeRun(p.keys, p.spans, span, task, clampRun(samples))
}

// clampRun returns the length of a run in samples, from 1 to render.MaxPixels. No span is longer than that, because no
// picture is wider.
func clampRun(samples int) int32 { return int32(min(max(samples, 1), render.MaxPixels)) }

// Resolve makes a picture of the merged runs, and clears the keys so that runs can be merged again.
func (p *Problems) Resolve(pic *render.Picture) {
	f := p.frame
	*pic = render.Picture{Width: f.Width, Height: f.Height, Pix: make([]byte, 4*f.Width*f.Height)}
	if f.Distance != nil {
		pic.Depth = make([]float32, f.Width*f.Height)
	}
	plain := pixel.Select(isa.Generic)
	down := pixel.NewDownsampler(&plain)
	for y := range f.Height {
		keys, from := p.keys[y*f.Grid*f.Stride:], y*f.Width
		for x := range f.Width {
			if f.Distance == nil {
				break
			}
			pic.Depth[from+x] = float32(math.Inf(1))
			if nearest := pixel.Nearest(keys, f.Stride, f.Grid, x); nearest != 0 {
				pic.Depth[from+x] = f.Distance(array.Nearness(nearest))
			}
		}
		pix := pic.Pix[4*from : 4*(from+f.Width)]
		if f.Grid > 1 {
			down.Resolve(pix, keys, f.Stride, f.Grid, f.Background)
		} else {
			pixel.Resolve(pix, keys[:f.Width], f.Background)
		}
	}
}
