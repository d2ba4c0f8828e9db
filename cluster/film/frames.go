package film

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"lockstep/internal/framename"
	"lockstep/render"
	"lockstep/render/atomicfile"
	"lockstep/render/calibration"
	"lockstep/render/png"
	"lockstep/render/recipe"
	"lockstep/vp/isa"
)

// frames draws the frames of one film. It implements cluster.Frames and cluster.Filer.
type frames struct {
	*recipe.Drawing
	spec       *spec
	names      *framename.Names
	cams       []render.Camera
	views      []recipe.View
	files      *atomicfile.Set
	memory     recipe.Memory // what it was opened within; nil: nobody looks
	pic        render.Picture
	encoder    png.Encoder
	file       bytes.Buffer
	slabs      *png.Bands // that owners of rows encode; nil where frames are drawn whole, see newBands
	bootID     string     // of the machine, see fileState
	savedState string     // state of the last picture's file
	sources    []source   // that pictures depend on, by name
	remote     bool       // this machine does not have the submitter's folder
	onBegin    func(k int)
	store      *calibration.Store // of the costs of redistributions; nil: none
	tooLow     float64            // a cost that frames found too low
}

// openFrames reads the mesh and starts a renderer. Where frames are drawn in parts, the times of blocks are taken, and
// a mesh of which this is possible stays in its file.
func openFrames(ctx context.Context, d recipe.Drawer, s *spec, files *atomicfile.Set, parts bool) (*frames, error) {
	names, err := s.names()
	if err != nil {
		return nil, err
	}
	if files == nil {
		files = new(atomicfile.Set)
	}
	opened := &openedFiles{files: map[string]source{}}
	d.Opened, d.NoteContents = opened.add, s.Contents == ""
	f := &frames{spec: s, names: names, files: files, memory: d.Memory, bootID: bootID()}
	f.setCosts(ctx, &d)
	a := s.Animation.Normal()
	f.Drawing, err = d.Start(ctx, a.Picture, parts, func(o *render.Options) {
		o.TimeBlocks = parts
		o.Pin = false // processes that share cores would be pinned to the same ones
	})
	if err != nil {
		return nil, err
	}
	if f.sources = opened.list(); s.Contents != "" {
		f.Input.Contents = s.Contents
	}
	if err = f.Input.CheckNotEmpty(); err == nil {
		f.cams, f.views, err = d.Cameras(ctx, a, f.Input)
	}
	if err == nil && parts {
		f.slabs, err = f.newSlabs(ctx)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// setCosts gives a drawer the costs of redistributions on this machine. Errors are dropped: the renderer has costs of
// its own, and the picture is the same.
func (f *frames) setCosts(ctx context.Context, d *recipe.Drawer) {
	level, err := isa.Select(d.ISA)
	if err != nil || d.Balance != render.BalanceCost || d.Costs != nil {
		return
	}
	if f.store, err = calibration.UserStore(); err != nil {
		f.store = nil
		return
	}
	f.store.Files = f.files
	if d.Costs = f.store.Stored(level); d.Costs == nil {
		d.Costs, _, _ = f.store.Costs(ctx, level)
	}
}

// text returns what the first and the last picture say of themselves.
func (f *frames) text() string {
	last := len(f.cams) - 1
	return fmt.Sprint(f.Width, f.Height, f.describe(0), f.describe(last), f.Input.Source.Len())
}

// describe returns the text of frame k. It names the submitter's program: the same frame has the same bytes.
func (f *frames) describe(k int) []png.Text {
	text := f.Picture.Text(f.Input, f.cams[k], f.views[k])
	for i := range text {
		if text[i].Keyword == recipe.SoftwareKey {
			text[i].Value = f.spec.Program
		}
	}
	return text
}

// Draw implements cluster.Frames. The job may have been replaced by one of more frames since it was opened.
func (f *frames) Draw(ctx context.Context, k int) ([]byte, error) {
	if k < 0 || k >= len(f.cams) {
		return nil, fmt.Errorf("frame %d of an animation of %d", k, len(f.cams))
	}
	picture, err := f.drawFile(ctx, k)
	return picture, markRecurring(err)
}

// drawFile returns the file of frame k.
func (f *frames) drawFile(ctx context.Context, k int) ([]byte, error) {
	if f.onBegin != nil {
		f.onBegin(k)
	}
	if err := f.Input.Smooth(ctx); err != nil {
		return nil, err
	}
	stats, err := f.Frame(ctx, f.Input.Source, f.cams[k], &f.pic)
	if err != nil {
		return nil, err
	}
	f.tooLow = max(f.tooLow, stats.Balance.TooLow)
	if stats.Covered == 0 {
		return nil, f.blank()
	}
	f.file.Reset()
	if err := f.encode(ctx, &f.file, &f.pic, k); err != nil {
		return nil, err
	}
	return f.file.Bytes(), ctx.Err()
}

// blank is the error of a frame on which nothing is visible.
func (f *frames) blank() error { return f.Input.Blank("nothing of it would be visible") }

// encode writes the file of frame k.
func (f *frames) encode(ctx context.Context, w io.Writer, pic *render.Picture, k int) error {
	return f.encoder.EncodeRGBA(w, pic.Pix, 4*pic.Width, pic.Width, pic.Height, f.pngOptions(ctx, f.describe(k)))
}

// pngOptions returns how files are written.
func (f *frames) pngOptions(ctx context.Context, text []png.Text) *png.Options {
	o := recipe.PNGOptions(f.Renderer.Options(), f.spec.Output)
	o.Text, o.Run = text, f.RunTasks(ctx)
	return o
}

// Keep implements cluster.Frames.
func (f *frames) Save(_ context.Context, k int, picture []byte) (kept bool, err error) {
	if f.remote {
		return false, nil
	}
	out, err := f.files.Create(f.names.Name(k))
	if err != nil {
		return false, err
	}
	defer out.Abort()
	if _, err := out.Write(picture); err != nil {
		return false, atomicfile.Failure(err)
	}
	written, err := out.Stat()
	if err != nil {
		return false, atomicfile.Failure(err)
	}
	if err := out.Commit(); err != nil {
		return false, err
	}
	f.savedState = f.stateAsWritten(f.names.Name(k), written)
	return true, nil
}

func (f *frames) fileState(name string) string { return fileState(f.bootID, name) }

// stateAsWritten returns the state of a picture's file after it was renamed. written describes
// the file before that. If another program has changed it in between, the result is "", so
// that the change is not recorded as the node's own picture.
func (f *frames) stateAsWritten(name string, written os.FileInfo) string {
	state := f.fileState(name)
	now, err := os.Stat(name)
	if err != nil || !os.SameFile(now, written) || now.Size() != written.Size() || !now.ModTime().Equal(written.ModTime()) {
		return ""
	}
	return state
}

// File implements cluster.Filer.
func (f *frames) FileState() string { return f.savedState }

// Close implements cluster.Frames.
func (f *frames) Close() error {
	if f.store != nil && f.tooLow > 0 {
		_ = f.store.Observe(f.Renderer.ISA(), f.tooLow) // see setCosts
	}
	f.Drawing.Close()
	return nil
}
