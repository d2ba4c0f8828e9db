package recipe

import (
	"context"
	"fmt"
	"io"
	"io/fs"

	"lockstep/lb"
	"lockstep/render"
	"lockstep/render/calibration"
	"lockstep/render/footprint"
	"lockstep/scenes"
)

// A Drawer holds settings for drawing recipes: numbers of workers, limits, and functions that receive progress and
// warnings. Settings do not change pictures, but limits may make drawing impossible. The zero value draws on all cores
// and reports nothing. Drawing does not change a Drawer, so several goroutines may use it at once.
type Drawer struct {
	// Workers is the number of threads. 0 means one for each core. Pin binds each thread to its own core.
	Workers int
	Pin     bool
	// ISA is the instruction set: auto (the default), generic, avx2 or avx512.
	ISA string
	// Balance decides when loops move work to idle lanes. Costs are the costs of moving work; nil means an estimate.
	Balance lb.Policy
	Costs   *calibration.Costs
	// Leaves decides when groups of triangles that are probably hidden are deferred (drawn last, if at all), see
	// render.Options. With lb.Always, triangles of large surfaces are also sorted for that purpose, see
	// render.Surface.Order.
	Leaves lb.Policy
	// Read holds limits for meshes, and whether damaged meshes are refused. Recipes set its Format, Name and Workers.
	Read scenes.ReadOptions
	// Stdin is the source of the mesh named "-". Nil means that there is no standard input.
	Stdin io.Reader
	// Memory determines how much memory is free. If it is nil, memory is not checked.
	Memory Memory
	// Warn, if not nil, is called with each warning, which is one line.
	Warn func(line string)
	// Loading, if not nil, is called before reading a mesh that may take long: from standard input, or from a file of
	// more than 8 MiB.
	Loading func()
	// Opened, if not nil, is called for every file on which a picture depends, before it is read. name is its name in
	// the folder of the mesh (see Folder), and place is its path.
	Opened func(name, place string, info fs.FileInfo)
	// Convert, if not nil, converts a file that is not a mesh into a mesh file. It returns the name of the new file
	// (made), and a function that removes the file. If Convert does not handle the file, made is empty.
	Convert func(ctx context.Context, file string) (made string, remove func(), err error)
	// NoteContents means that Input.Contents is set.
	NoteContents bool
	// KeepCompared sets Input.Compared, which keeps both meshes in memory.
	KeepCompared bool
	// Comparing, if not nil, is called with the progress of a comparison: the number of points of the mesh that were
	// measured, and the number of all points. See distance.Options.
	Comparing func(done, total int64)
	// LateNormals postpones the computation of normals to Input.Smooth. It is for programs that may never draw the
	// mesh.
	LateNormals bool
	// Resident makes prepared meshes be read into memory, too. It is for programs that need more of the mesh than its
	// pictures show.
	Resident bool
	// Standing is the axis to which a mesh is rotated if the recipe gives it an up axis. If it is nil, the camera is
	// rotated instead.
	Standing *scenes.Axis

	octahedra int // see octahedraLimit; only tests set it
}

// options returns the render options of a recipe that d draws.
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

// Draw draws the picture of a recipe, the same picture that the command render draws.
func Draw(ctx context.Context, p Picture) (*render.Picture, error) { return new(Drawer).Draw(ctx, p) }

// Draw draws the picture of a recipe with the settings of d.
func (d *Drawer) Draw(ctx context.Context, p Picture) (*render.Picture, error) {
	pic := new(render.Picture)
	g, _, err := d.draw(ctx, p, pic)
	if err != nil {
		return nil, err
	}
	g.Close()
	return pic, nil
}

// draw draws into pic, and also returns the drawing and the camera.
func (d *Drawer) draw(ctx context.Context, p Picture, pic *render.Picture) (*Drawing, render.Camera, error) {
	return d.drawInput(ctx, p, pic, func(p Picture, o render.Options) (*Input, error) { return d.Open(ctx, p, o, p.Streams()) }, d.Begin)
}

// drawInput is like draw, but gets the input from open and the drawing from begin.
func (d *Drawer) drawInput(ctx context.Context, p Picture, pic *render.Picture, open func(p Picture, o render.Options) (*Input, error), begin func(p Picture, o render.Options) (*Drawing, error)) (*Drawing, render.Camera, error) {
	if err := p.Validate(); err != nil {
		return nil, render.Camera{}, &Error{Unfit, err}
	}
	p = p.Normal()
	in, err := open(p, d.options(&p))
	if err != nil {
		return nil, render.Camera{}, err
	}
	g, err := begin(p, d.Single(p, in, d.Look(p, in, d.options(&p)), true))
	if err != nil {
		in.Close()
		return nil, render.Camera{}, err
	}
	g.Input = in
	cam, err := g.drawSingle(ctx, pic)
	if err != nil {
		g.Close()
		return nil, cam, err
	}
	return g, cam, nil
}

// drawSingle draws the single picture of an input.
func (g *Drawing) drawSingle(ctx context.Context, pic *render.Picture) (cam render.Camera, err error) {
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

// Start reads the meshes of a recipe and starts a renderer for their pictures, with as many workers as fit into
// memory. If the recipe streams, `once` is passed to Open. The function `set`, if not nil, sets options that are not
// part of a recipe. The caller must close the drawing.
func (d *Drawer) Start(ctx context.Context, p Picture, once bool, set func(*render.Options)) (*Drawing, error) {
	o := d.options(&p)
	if set != nil {
		set(&o)
	}
	if d.Memory != nil {
		if s := d.Memory.Lacks(footprint.OfMesh(o)); s != nil { // the method Open checks eye-dome light
			return nil, errorf(Unfit, "%w", Fault{"size", fmt.Sprintf("%dx%d", o.Width, o.Height), fmt.Sprintf("with look.samples %d %s", o.Samples, s.Text())})
		}
	}
	in, err := d.Open(ctx, p, o, once && p.Streams())
	if err != nil {
		return nil, err
	}
	o = d.Look(p, in, o)
	if d.Memory != nil {
		d.Memory.Took(in.Held, in.Source.Len())
		o.Workers = d.Memory.Workers(o)
	}
	g, err := d.Begin(p, o)
	if err != nil {
		in.Close()
		return nil, err
	}
	g.Input = in
	return g, nil
}

// Look returns the options for pictures of an input. Only clouds of points get eye-dome light. Some looks need the
// mesh in memory. A mesh that is not in memory gets a plain look instead. d then warns about the look and about a
// missing shadow.
func (d *Drawer) Look(p Picture, in *Input, o render.Options) render.Options {
	bare := *p.full().Lines.Ground && !p.hasShadow(in) && !in.Box.Empty()
	_, mesh := in.Source.(*scenes.Mesh)
	o = footprint.Of(o, in.Source)
	if o.InMemory() && (mesh || !in.allowsAllLooks()) {
		lost := "occlusion"
		if bare {
			lost = "occlusion and shadow"
		}
		d.warn(in.Name + ": drawn flat, without " + lost + ": there is no memory for all of the mesh (--fast, in a recipe Picture.Fast, avoids the warning)")
		o.Shading, o.Occlusion, o.OneSided, o.Facing, o.Field, o.Finish = render.ShadingFlat, false, false, false, render.Field{}, nil
	} else if bare {
		d.warn(in.Name + ": drawn without a shadow: there is no memory for all of the mesh (--no-ground does the same without a warning)")
	}
	return o
}

// RestoreLook returns o with those fields of original that Look changes for some inputs. A renderer that draws several
// inputs needs it before the next call of Look.
func RestoreLook(o, original render.Options) render.Options {
	o.Shading, o.Occlusion, o.OneSided, o.EyeDome = original.Shading, original.Occlusion, original.OneSided, original.EyeDome
	o.Facing, o.Field, o.Finish = original.Facing, original.Field, original.Finish
	return o
}
