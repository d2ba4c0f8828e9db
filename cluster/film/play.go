package film

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/cluster"
	"lockstep/render"
	"lockstep/render/recipe"
	"lockstep/scenes"
)

// A clip is an animation that a mesh's file contains. In a film of a clip, each frame shows the mesh at another time,
// and a node reads the file again for each frame that it draws. When the submitter opens the film, it reads the file at
// the times of all frames. Cameras, shadows and the colours of a field depend on all of them. The pictures are the same
// as those of the command render animate.

// A moving holds bounds of the mesh over all frames of a clip. The submitter computes them, and nodes get them with the
// job.
type moving struct {
	Box    scenes.Box `json:"box"`              // box of the mesh at all times, relative to the first mesh's origin
	Parted bool       `json:"parted,omitempty"` // Box leaves out triangles far away from the others
	// Low and High are the least and the greatest value of the field that colours the mesh.
	Low  float64 `json:"low,omitempty"`
	High float64 `json:"high,omitempty"`
}

// check returns an error if these values cannot come from a submitter.
func (m *moving) check() error {
	if m == nil {
		return errors.New("malformed: a film of a clip does not say how far its mesh moves")
	}
	ordered := func(low, high float64) bool { return -math.MaxFloat64 <= low && low <= high && high <= math.MaxFloat64 }
	for c := range 3 {
		if !ordered(m.Box.Min[c], m.Box.Max[c]) {
			return fmt.Errorf("malformed: the mesh of a clip is in the box from %v to %v", m.Box.Min, m.Box.Max)
		}
	}
	if !ordered(m.Low, m.High) {
		return fmt.Errorf("malformed: the numbers of a clip's field are from %v to %v", m.Low, m.High)
	}
	return nil
}

// A player reads the mesh of a clip at the time of each frame.
type player struct {
	moving
	first *recipe.Input // the mesh in the first frame
	times []float64     // by frame, in seconds after the start of the clip
	// reader reads the mesh at other times. It drops warnings, because the first reading has reported them.
	reader  recipe.Drawer
	options render.Options
}

// startClip prepares for drawing the frames of a clip. f.Input is the mesh in the first frame. A node passes the bounds
// that came with the job as `known`. The submitter passes nil, and startClip reads the mesh in all frames.
func (f *frames) startClip(ctx context.Context, d recipe.Drawer, a recipe.Animation, known *moving) error {
	in, n := f.Input, a.Full().Frames
	i := scenes.FindClip(in.Clips, a.Clip)
	if i < 0 {
		return &recipe.Error{Kind: recipe.Unfit, Err: fmt.Errorf("%s: clip %s: no animation of the file is known", in.Name, a.Clip)}
	}
	p := &player{first: in, reader: d, options: f.Renderer.Options()}
	for k := range n {
		p.times = append(p.times, float64(in.Clips[i].Seconds*float64(k)/float64(n)))
	}
	up := f.Picture.UpOf(in)
	p.reader.Warn, p.reader.Opened, p.reader.NoteContents, p.reader.Standing = nil, nil, false, &up
	if known != nil {
		p.moving = *known
	} else if err := p.survey(ctx, f.Picture); err != nil {
		return err
	}
	if field := &p.options.Field; field.Name != "" && field.Low == field.High {
		f.Picture.Look.Range = [2]float64{p.Low, p.High} // legends read Look.Range too
		field.Low, field.High = p.Low, p.High
	}
	f.player = p
	return nil
}

// survey reads the mesh at the times of all frames and computes its bounds.
func (p *player) survey(ctx context.Context, picture recipe.Picture) error {
	p.Box = scenes.EmptyBox()
	numbered := false
	for k := range p.times {
		in, err := p.readMesh(ctx, picture, k)
		if err != nil {
			return err
		}
		err = p.extendBox(ctx, picture, in)
		if low, high, ok := fieldRange(in, p.options.Field); ok {
			if !numbered {
				p.Low, p.High = low, high
			}
			p.Low, p.High, numbered = min(p.Low, low), max(p.High, high), true
		}
		p.close(in)
		if err != nil {
			return err
		}
	}
	return nil
}

// readMesh returns the mesh in frame k.
func (p *player) readMesh(ctx context.Context, picture recipe.Picture, k int) (*recipe.Input, error) {
	if k == 0 {
		return p.first, nil
	}
	d := p.reader
	if a := p.first.Source.Info().Attributes; a != nil {
		d.Read.Pose = &scenes.Pose{Materials: a.Materials}
	}
	picture.Time = &p.times[k]
	in, err := d.Open(ctx, picture, p.options, false)
	if err == nil {
		in.Contents = p.first.Contents
	}
	return in, err
}

// close closes a mesh that readMesh has returned. The mesh of the first frame stays open.
func (p *player) close(in *recipe.Input) {
	if in != p.first {
		in.Close()
	}
}

// extendBox enlarges the box so that it contains a mesh.
func (p *player) extendBox(ctx context.Context, picture recipe.Picture, in *recipe.Input) error {
	if in.Box.Empty() {
		return nil
	}
	in, err := p.reader.Together(ctx, picture, in)
	if err != nil {
		return err
	}
	p.Parted = p.Parted || in.Parted
	p.Box = p.Box.Union(shifted(in.Box, p.originShift(in).Mul(-1)))
	return nil
}

// originShift returns the difference of two origins: the first mesh's origin minus that of `in`.
func (p *player) originShift(in *recipe.Input) mgl64.Vec3 {
	return mgl64.Vec3(p.first.Source.Info().Origin).Sub(mgl64.Vec3(in.Source.Info().Origin))
}

func shifted(b scenes.Box, by mgl64.Vec3) scenes.Box {
	return scenes.Box{Min: mgl64.Vec3(b.Min).Add(by), Max: mgl64.Vec3(b.Max).Add(by)}
}

// fieldRange returns the least and the greatest value of a field. ok is false if the mesh has no such field.
func fieldRange(in *recipe.Input, field render.Field) (low, high float64, ok bool) {
	mesh := in.Mesh()
	if field.Name == "" || mesh == nil || mesh.Field(field.Name) == nil {
		return 0, 0, false
	}
	low, high = mesh.Field(field.Name).Range()
	return low, high, low <= high
}

// inputToFit returns the mesh to which cameras are fitted: f.Input with the box of all frames.
func (f *frames) inputToFit() *recipe.Input {
	if f.player == nil {
		return f.Input
	}
	all := *f.Input
	all.Box, all.Parted = f.player.Box, f.player.Parted
	return &all
}

// setMesh makes the mesh of frame k the one to draw. The caller must call done after the frame.
func (f *frames) setMesh(ctx context.Context, k int) (done func(), err error) {
	p := f.player
	if p == nil {
		return func() {}, nil
	}
	if f.cached != nil {
		renewSet(f.cached.folder)
	}
	in, err := f.readUnchanged(ctx, k)
	if err != nil {
		return nil, err
	}
	f.Input, f.Picture.Time = in, &p.times[k]
	done = func() {
		p.close(in)
		f.Input, f.Picture.Time = p.first, &p.times[0]
	}
	in.GroundUnder(shifted(p.Box, p.originShift(in)))
	look := p.reader.Look(f.Picture, in, p.options)
	if err = p.checkLook(f.Picture, in, look); err == nil {
		err = f.Renderer.SetOptions(look)
	}
	if err != nil {
		done()
		return nil, err
	}
	return done, nil
}

// checkLook returns an error if the mesh `in` would be drawn with a simpler look than the first mesh, because less
// memory is free now. look holds the options with which `in` would be drawn. The error is not marked as recurring,
// because another node may have more memory.
func (p *player) checkLook(picture recipe.Picture, in *recipe.Input, look render.Options) error {
	first := p.reader.Look(picture, p.first, p.options)
	plainer := look.Shading != first.Shading || look.Occlusion != first.Occlusion || look.Facing != first.Facing || look.Field.Name != first.Field.Name
	if plainer || in.Source.Len() > 0 && isSmooth(p.first) && !isSmooth(in) {
		return fmt.Errorf("%s: %gs after the start of the clip there is too little memory to light it as in the first frame", in.Name, *picture.Time)
	}
	return nil
}

// isSmooth reports whether a mesh is shaded smoothly.
func isSmooth(in *recipe.Input) bool {
	s, ok := in.Source.(*render.Surface)
	return in.Late() || ok && s.Smooth()
}

// camera returns the camera of frame k in the coordinates of the mesh of that frame.
func (f *frames) camera(k int) render.Camera {
	cam := f.cams[k]
	if f.player == nil {
		return cam
	}
	by := f.player.originShift(f.Input)
	cam.Eye, cam.Target, cam.Box = cam.Eye.Add(by), cam.Target.Add(by), shifted(cam.Box, by)
	return cam
}

// readUnchanged returns the mesh in frame k. It returns an error if a file has changed since the film was opened. If a
// file was written again with the same contents, the mesh is read again, because only half of it may have been there.
func (f *frames) readUnchanged(ctx context.Context, k int) (*recipe.Input, error) {
	for range maxReads {
		in, err := f.player.readMesh(ctx, f.Picture, k)
		rewritten, changed := f.checkUnchanged(ctx)
		if ctx.Err() != nil || changed == nil && !rewritten {
			return in, err
		}
		if err == nil {
			f.player.close(in)
		}
		if changed != nil {
			return nil, changed
		}
	}
	return nil, fmt.Errorf("%s: is written again and again while it is read", f.Input.Name)
}

// maxReads limits how often the mesh of one frame is read.
const maxReads = 5

// checkUnchanged returns an error if a file has changed or is gone since the film was opened. All pictures of a clip
// must show the same file. rewritten is set if a file has another time than at the last call, but the same contents.
//
// If nodes may have copies of the file, the error wraps cluster.ErrStale, because another copy can be drawn. Otherwise
// the error is marked as recurring, because all nodes read the same file.
func (f *frames) checkUnchanged(ctx context.Context) (rewritten bool, err error) {
	for i, s := range f.sources {
		info, err := os.Stat(s.Path)
		switch {
		case err != nil:
			err = damagedError("%w", err)
		case info.Size() == s.Size && info.ModTime().UnixNano() == s.Time:
			continue
		default:
			s.Size, s.Time = info.Size(), info.ModTime().UnixNano()
			if f.hasContents(ctx, i, s) {
				f.sources[i], rewritten = s, true
				continue
			}
			err = damagedError("%s: is changed while the film is drawn", s.Path)
		}
		if len(f.spec.Files) > 0 {
			err = fmt.Errorf("%w: %w", cluster.ErrStale, err)
		}
		return rewritten, err
	}
	return rewritten, nil
}
