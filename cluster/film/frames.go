package film

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"lockstep/cluster"
	"lockstep/internal/framename"
	"lockstep/render"
	"lockstep/render/atomicfile"
	"lockstep/render/calibration"
	"lockstep/render/png"
	"lockstep/render/recipe"
	"lockstep/vp/isa"
)

// frames draws the frames of one film. It implements cluster.Frames and cluster.FileStater.
type frames struct {
	*recipe.Drawing
	spec  *spec
	names *framename.Names
	cams  []render.Camera // by frame, in the coordinates of the mesh of the first frame
	views []recipe.View
	files *atomicfile.Set
	// player reads the mesh of each frame of an animated file. It is nil if the mesh does not move.
	player *player
	// memory is the memory budget with which the film was opened. If it is nil, memory is not limited.
	memory  recipe.Memory
	pic     render.Picture
	encoder png.Encoder
	file    bytes.Buffer
	// slabs encodes groups of rows independently of each other. It is used if several nodes draw a frame together. It
	// is nil if this node draws whole frames, or if nodes send pixels.
	slabs  *png.Bands
	bootID string // identifies the machine's current boot, for fileState
	// savedState is the fingerprint (see fileState) of the picture that was saved last.
	savedState string
	// sources are the files on which the pictures depend, sorted by name.
	sources []source
	// contents holds the names and hashes of the files that the submitter read, in the order of sources.
	contents []cluster.File
	// cached holds the files if this node downloaded them. It is nil if the node reads the submitter's own files.
	cached *fileSet
	// remote is set if this machine has no access to the submitter's folder.
	remote  bool
	onBegin func(k int)
	// store holds measured costs of redistributing work among the lanes. It may be nil.
	store *calibration.Store
	// tooLow is the cost per polygon to which the costs in store should be raised, or 0 if they are high enough. It is
	// the largest value of Balance.TooLow in the render.Stats of the frames.
	tooLow float64
}

// openFrames calls readFrames. It returns as soon as ctx ends, even if opening or reading a file blocks. In that case
// the goroutine that reads never ends. A file blocks, for example, if a pipe replaced it after checkFiles.
func openFrames(ctx context.Context, d recipe.Drawer, s *spec, files *atomicfile.Set, parts bool) (*frames, error) {
	type result struct {
		f        *frames
		err      error
		panicked any
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			r.panicked = recover()
			done <- r
		}()
		r.f, r.err = readFrames(ctx, d, s, files, parts)
	}()
	select {
	case r := <-done:
		if r.panicked != nil {
			panic(r.panicked)
		}
		return r.f, r.err
	case <-ctx.Done():
		go func() {
			if r := <-done; r.f != nil {
				r.f.Close()
			}
		}()
		return nil, ctx.Err()
	}
}

// readFrames reads the mesh and creates a renderer. If parts is true, this node draws parts of frames together with
// other nodes. The renderer then measures the drawing time of each block. The mesh stays in its file if the file's
// format allows reading single blocks.
func readFrames(ctx context.Context, d recipe.Drawer, s *spec, files *atomicfile.Set, parts bool) (*frames, error) {
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
	first := a.Picture
	if a.Clip != "" {
		a.Picture.Camera.Fit, first.Camera.Fit = "box", "box"
		first.Clip, first.Time = a.Clip, new(float64)
	}
	f.Drawing, err = d.Start(ctx, first, parts, func(o *render.Options) {
		o.TimeBlocks = parts
		o.Pin = false // pinned workers of several processes would share the same cores
	})
	if err != nil {
		return nil, err
	}
	if f.sources = opened.list(); s.Contents != "" {
		f.Input.Contents = s.Contents
	}
	if err = f.Input.CheckNotEmpty(); err == nil && a.Clip != "" {
		err = f.startClip(ctx, d, a, s.Moving)
	}
	if err == nil {
		f.cams, f.views, err = d.Cameras(ctx, a, f.inputToFit())
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

// setCosts tells a drawer what redistributing work costs on this machine, as measured earlier. It ignores errors:
// without measurements the renderer uses default costs, and pictures do not depend on costs.
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

// description returns a description of the film. A node compares it with the submitter's, to check that it has the same
// mesh and recipe. It holds the metadata of the first and the last picture, and the size of the mesh.
func (f *frames) description() string {
	last := len(f.cams) - 1
	return fmt.Sprint(f.Width, f.Height, f.metadata(0), f.metadata(last), f.Input.Source.Len())
}

// metadata returns the metadata of picture k. It names the submitter's program, so that nodes of other versions write
// the same bytes.
func (f *frames) metadata(k int) []png.Text {
	text := f.Picture.FrameText(f.Input, f.camera(k), f.views[k])
	for i := range text {
		if text[i].Keyword == recipe.SoftwareKey {
			text[i].Value = f.spec.Program
		}
	}
	return text
}

// Draw implements cluster.Frames. It checks that frame k exists: after the job was opened, a longer job may have
// replaced it.
func (f *frames) Draw(ctx context.Context, k int) ([]byte, error) {
	if k < 0 || k >= len(f.cams) {
		return nil, fmt.Errorf("frame %d of an animation of %d", k, len(f.cams))
	}
	if err := f.cached.readError(); err != nil { // an earlier frame was cancelled while it waited for the server
		return nil, err
	}
	f.cached.setContext(ctx)
	picture, err := f.drawFile(ctx, k)
	switch failed := f.cached.readError(); {
	case failed != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case failed != nil: // parts of the mesh are missing, so the picture has holes
		return nil, failed
	}
	return picture, markRecurring(err)
}

// drawFile draws frame k and returns its file.
func (f *frames) drawFile(ctx context.Context, k int) ([]byte, error) {
	if f.onBegin != nil {
		f.onBegin(k)
	}
	done, err := f.setMesh(ctx, k)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := f.Input.Smooth(ctx); err != nil {
		return nil, err
	}
	stats, err := f.Frame(ctx, f.Input.Source, f.camera(k), &f.pic)
	if err != nil {
		return nil, err
	}
	f.tooLow = max(f.tooLow, stats.Balance.TooLow)
	if stats.Covered == 0 {
		return nil, f.blankError()
	}
	f.file.Reset()
	if err := f.encode(ctx, &f.file, &f.pic, k); err != nil {
		return nil, err
	}
	return f.file.Bytes(), ctx.Err()
}

// blankError returns the error for a frame that would show nothing.
func (f *frames) blankError() error { return f.Input.Blank("nothing of it would be visible") }

// encode writes the file of frame k.
func (f *frames) encode(ctx context.Context, w io.Writer, pic *render.Picture, k int) error {
	return f.encoder.EncodeRGBA(w, pic.Pix, 4*pic.Width, pic.Width, pic.Height, f.pngOptions(ctx, f.metadata(k)))
}

// pngOptions returns the options of the PNG encoder.
func (f *frames) pngOptions(ctx context.Context, text []png.Text) *png.Options {
	o := recipe.PNGOptions(f.Picture, f.spec.Output)
	o.Text, o.Run = text, f.RunTasks(ctx)
	return o
}

// Save implements cluster.Frames.
func (f *frames) Save(_ context.Context, k int, picture []byte) (saved bool, err error) {
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

// stateAsWritten returns the fingerprint of a picture's file after the file was renamed. written describes the file
// before the renaming. If another program changed the file in between, the file does not hold this node's picture, and
// the result is empty.
func (f *frames) stateAsWritten(name string, written os.FileInfo) string {
	state := f.fileState(name)
	now, err := os.Stat(name)
	if err != nil || !os.SameFile(now, written) || now.Size() != written.Size() || !now.ModTime().Equal(written.ModTime()) {
		return ""
	}
	return state
}

// FileState implements cluster.FileStater.
func (f *frames) FileState() string { return f.savedState }

// Close implements cluster.Frames.
func (f *frames) Close() error {
	if f.store != nil && f.tooLow > 0 {
		_ = f.store.Observe(f.Renderer.ISA(), f.tooLow) // an error is ignored: the store only affects speed
	}
	f.Drawing.Close()
	f.cached.close()
	return nil
}
