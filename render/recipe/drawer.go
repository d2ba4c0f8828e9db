package recipe

import (
	"context"
	"io"
	"io/fs"

	"lockstep/lb"
	"lockstep/render"
	"lockstep/render/calibration"
	"lockstep/scenes"
)

// A Drawer says how recipes are drawn: by how many workers, within which limits, and who is told what. Pictures do not
// depend on it, but for what limits make impossible. The zero value draws on all cores and tells nobody. It is not
// changed by drawing: several goroutines may draw by one.
type Drawer struct {
	// Workers is the number of threads; 0: one a core. Pin gives each a core of its own.
	Workers int
	Pin     bool
	// ISA is the instruction set: auto (the default), generic, avx2 or avx512.
	ISA string
	// Balance says when loops move work to idle lanes. Costs are those of redistributions; nil: an estimate.
	Balance lb.Policy
	Costs   *calibration.Costs
	// Leaves says when groups of triangles that are not expected to be seen are deferred, see render.Options. Always also
	// orders large surfaces for that, by render.Surface.Order.
	Leaves lb.Policy
	// Read has limits for meshes, and whether damaged ones are refused. Its Format, Name and Workers are set by
	// recipes.
	Read scenes.ReadOptions
	// Stdin is where the mesh - comes from; nil: from nowhere.
	Stdin io.Reader
	// Memory says what there is; nil: nobody looks.
	Memory Memory
	// Warn is told of what is amiss, a line each; nil: nobody is.
	Warn func(line string)
	// Loading is told that a mesh will be read whose size is not known to be small: of -, or of more than 8 MiB.
	Loading func()
	// Opened is told of every file that a picture depends on, before it is read: its name in the folder of the mesh
	// (see Folder), where it is, and what it is like.
	Opened func(name, place string, info fs.FileInfo)
	// Convert, if not nil, makes a mesh file of one that is none, and returns its name and what removes it; no name for a
	// file that it has nothing to do with.
	Convert func(ctx context.Context, file string) (made string, remove func(), err error)
	// NoteContents has Input.Contents found.
	NoteContents bool
	// KeepCompared has Input.Compared kept, which else is not: it has both meshes.
	KeepCompared bool
	// Comparing, if not nil, is told how many of how many places of a mesh were compared with another, see
	// distance.Options.
	Comparing func(done, total int64)
	// LateNormals leaves normals to Input.Smooth, for programs that may never draw the mesh.
	LateNormals bool
	// Resident has prepared meshes read into memory, too, for programs that want more of them than their pictures show.
	Resident bool
	// Standing is the axis that meshes with an axis of their own are turned to; nil: the camera turns instead.
	Standing *scenes.Axis
}

// Memory says what memory there is for meshes and pictures.
type Memory interface {
	// LimitMesh lowers the memory that a mesh may take, so that one worker can still draw with the options, and
	// returns what would be short beyond; nil: nothing, or the limit was lower.
	LimitMesh(read *scenes.ReadOptions, o render.Options) *Shortage
	// Lacks returns what is short if one worker draws, with more allocations beside, or nil.
	Lacks(o render.Options, more ...int64) *Shortage
	// Loaded is told that a mesh is in memory.
	Loaded()
	// Took is told how many bytes a mesh of so many triangles keeps, 0 for one that stays in its file. They are no
	// longer there for what follows.
	Took(held int64, triangles int)
	// Workers returns how many workers there is memory for, of those that the options ask for.
	Workers(o render.Options) int
}

// options returns how a recipe is drawn by d.
func (d *Drawer) options(p *Picture) render.Options {
	o := p.RenderOptions()
	o.Workers, o.Pin, o.Balance, o.ISA, o.Costs = d.Workers, d.Pin, d.Balance, d.ISA, d.Costs
	o.Leaves = d.Leaves
	return o
}

func (d *Drawer) warn(line string) {
	if d.Warn != nil {
		d.Warn(line)
	}
}

// Draw draws a recipe: the picture that the command render draws of it.
func Draw(ctx context.Context, p Picture) (*render.Picture, error) { return new(Drawer).Draw(ctx, p) }

// Draw draws a recipe.
func (d *Drawer) Draw(ctx context.Context, p Picture) (*render.Picture, error) {
	pic := new(render.Picture)
	g, _, err := d.draw(ctx, p, pic)
	if err != nil {
		return nil, err
	}
	g.Close()
	return pic, nil
}

// draw returns the drawing and the camera, too.
func (d *Drawer) draw(ctx context.Context, p Picture, pic *render.Picture) (*Drawing, render.Camera, error) {
	return d.drawOf(ctx, p, pic, func(p Picture, o render.Options) (*Input, error) { return d.Open(ctx, p, o, p.Streams()) })
}

// drawOf is draw of an input that open returns.
func (d *Drawer) drawOf(ctx context.Context, p Picture, pic *render.Picture, open func(p Picture, o render.Options) (*Input, error)) (*Drawing, render.Camera, error) {
	if err := p.Validate(); err != nil {
		return nil, render.Camera{}, &Error{Unfit, err}
	}
	p = p.Normal()
	in, err := open(p, d.options(&p))
	if err != nil {
		return nil, render.Camera{}, err
	}
	g, err := d.Begin(p, d.Single(p, in, d.Look(p, in, d.options(&p)), true))
	if err != nil {
		in.Close()
		return nil, render.Camera{}, err
	}
	g.Input = in
	cam, err := g.only(ctx, pic)
	if err != nil {
		g.Close()
		return nil, cam, err
	}
	return g, cam, nil
}

// only draws the one picture that is drawn of an input.
func (g *Drawing) only(ctx context.Context, pic *render.Picture) (cam render.Camera, err error) {
	if err := g.Input.CheckNotEmpty(); err != nil {
		return cam, err
	}
	if g.Picture.Sheet > 0 {
		return g.Sheet(ctx, pic, func(cam render.Camera, view *render.Picture) (render.Stats, error) {
			return g.Frame(ctx, g.Input.Source, cam, view)
		})
	}
	cam, stats, err := g.Fitted(ctx, func(cam render.Camera) (render.Stats, error) {
		return g.Frame(ctx, g.Input.Source, cam, pic)
	})
	if err == nil && stats.Covered == 0 {
		err = g.Input.Blank("nothing of it would be visible")
	}
	if g.Picture.Trim {
		g.Trim(pic)
	}
	return cam, err
}
