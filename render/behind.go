package render

import (
	"context"
	"sync/atomic"
	"weak"

	"lockstep/render/internal/behind"
	"lockstep/scenes"
)

// A behindGlass holds the picture of the surfaces behind glass, and the memory that this picture is drawn into.
type behindGlass struct {
	drawn  Picture
	levels behind.Picture
	of     behindKey // what the picture `levels` depends on; zero if other parts of the frame may not use this picture
	draws  int       // number of pictures drawn so far; read by tests
}

// A behindKey holds everything on which the picture behind glass depends. It refers to the source weakly, so that the
// source can be garbage collected between frames.
type behindKey struct {
	mesh    weak.Pointer[scenes.Mesh]
	surface weak.Pointer[Surface]
	stored  weak.Pointer[Stored]
	camera  Camera

	width, height, samples int // of the whole frame
	cull                   Cull
	oneSided, facing       bool
	shading                Shading
	crease                 float64
	field                  Field
	occlusion, eyeDome     bool
	ownColor               bool // the options have a colour
	base                   RGB
	hasFinish              bool
	finish                 scenes.Finish // without its textures, which do not change the picture
}

// behindKey returns the key of a frame of s.
func (e *engine) behindKey(s *subject, cam *Camera) behindKey {
	o := &e.options
	k := behindKey{
		camera: *cam, width: o.Width, height: o.Height, samples: o.Samples, cull: o.Cull, oneSided: o.OneSided, facing: o.Facing,
		shading: o.Shading, crease: o.Crease, field: o.Field, occlusion: o.Occlusion, eyeDome: o.EyeDome,
		ownColor: o.Color != nil, base: e.shaderBase,
	}
	switch {
	case s.mesh != nil:
		k.mesh = weak.Make(s.mesh)
	case s.surface != nil:
		k.surface = weak.Make(s.surface)
	case s.stored != nil:
		k.stored = weak.Make(s.stored)
	}
	if o.Finish != nil {
		k.hasFinish, k.finish = true, *o.Finish
		for _, t := range k.finish.Textures() {
			*t = nil
		}
	}
	return k
}

// showBehind gives the scene the picture behind its glass. For a whole frame, it draws this picture anew. For a part of
// a frame, it draws the picture only if the previous part had another source, camera or look. All parts of a frame show
// the same picture. begin must be called before showBehind.
func (e *engine) showBehind(ctx context.Context, s subject, cam *Camera, part *framePart) error {
	isPart := part.Rows != nil || part.Layer != nil || part.Strip != nil
	key := e.behindKey(&s, cam)
	if !isPart || e.glass.of != key {
		e.glass.of = behindKey{}
		minKeys := 0
		if isPart {
			q := e.request(cam, part)
			minKeys = newSchedule(&e.options, &q).window.maxKeys
		}
		if err := e.drawBehind(ctx, s, cam, minKeys); err != nil {
			return err
		}
		if isPart {
			e.glass.of = key
		}
		e.begin(ctx, s, cam)
	}
	e.scene.Behind = &e.glass.levels
	return nil
}

// drawBehind draws the picture that glass shows: the scene without the glass through which other surfaces are visible.
// It is the same picture for all parts of a frame, so that the parts fit together. The pages of a very large picture
// (see part.Bands) are frames of their own. Each page has another picture behind its glass, so glass may show seams
// between pages. Each worker's private frame gets memory for at least `minKeys` keys, see window.maxKeys; `minKeys` is
// 0 for whole frames. begin must be called before drawBehind and again after it.
func (e *engine) drawBehind(ctx context.Context, s subject, cam *Camera, minKeys int) error {
	e.glass.draws++
	whole := e.options
	defer func() { e.applyOptions(whole) }()
	o := whole
	o.Width, o.Height = behind.Size(o.Width, o.Height)
	o.Samples = min(o.Samples, behind.Samples)
	o.Background, o.Trace, o.TimeBlocks = nil, nil, false
	o.Depth, o.Triangles, o.Normals, o.Coverage = false, false, false, false
	e.applyOptions(o)
	e.begin(ctx, s, cam)
	e.scene.WithoutBodies = true
	part := framePart{picture: &e.glass.drawn}
	q := e.request(cam, &part)
	q.lean = minKeys > 0
	e.beginJob(&q, part.picture)
	e.job.window.maxKeys = max(e.job.window.maxKeys, minKeys)
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
