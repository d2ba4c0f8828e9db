package render

import (
	"context"
	"sync/atomic"

	"lockstep/render/internal/behind"
)

// behindSamples is the largest number of samples a pixel in the picture behind glass. More samples would make no
// visible difference, because positions between the picture's pixels are interpolated.
const behindSamples = 4

// A behindGlass holds the picture of the surfaces behind glass, and the memory that this picture is drawn into.
type behindGlass struct {
	drawn  Picture
	levels behind.Picture
}

// drawBehind draws the scene of a frame without the glass through which other surfaces are visible. The glass then
// shows this picture. The picture is the same for all parts of a frame, so that the parts fit together. begin must be
// called before drawBehind and again after it.
func (e *engine) drawBehind(ctx context.Context, s subject, cam *Camera) error {
	whole := e.options
	defer func() { e.use(whole) }()
	shrink := behind.Shrink(whole.Width, whole.Height)
	o := whole
	o.Width, o.Height = (o.Width+shrink-1)/shrink, (o.Height+shrink-1)/shrink
	o.Samples = min(o.Samples, behindSamples)
	o.Background, o.Trace, o.TimeBlocks = nil, nil, false
	o.Depth, o.Triangles, o.Normals, o.Coverage = false, false, false, false
	e.use(o)
	e.begin(ctx, s, cam)
	e.scene.WithoutBodies = true
	part := framePart{picture: &e.glass.drawn}
	q := e.request(cam, &part)
	e.beginJob(&q, part.picture)
	e.beginStages(cam, &part)
	e.machine.Run(e.workFn)
	if err := e.end(ctx); err != nil {
		return err
	}
	pic := &e.glass.drawn
	e.glass.levels.Build(pic.Pix, pic.Width, pic.Height, whole.Height, e.colors.LinearTable(), func(n int, do func(row int)) {
		var next atomic.Int64
		e.machine.Run(func(int) {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	})
	return nil
}
