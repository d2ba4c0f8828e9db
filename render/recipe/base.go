package recipe

import (
	"context"
	"io"
	"reflect"
	"slices"
	"sync"
	"weak"

	"lockstep/internal/budget"
	"lockstep/render"
	"lockstep/render/footprint"
	"lockstep/render/png"
	"lockstep/render/recipe/internal/backdrop"
	"lockstep/render/recipe/internal/reading"
	"lockstep/scenes"
	"lockstep/scenes/load"
	"lockstep/scenes/prepared"
	"lockstep/scenes/section"
)

// A Base is the first mesh of a recipe after reading. Inputs for other recipes with the same file can be made from it
// without opening the file again. Viewers need this, because their recipe changes with every movement. Several
// goroutines may use a Base at once.
//
// A mesh in a prepared file is not read into memory as a whole. The file stays open until the garbage collector frees
// the Base and all its inputs. Recipes that need the whole mesh in memory share one copy. The copy is read for the
// first input that needs it, and freed after the last such input.
type Base struct {
	mesh Mesh
	pose *scenes.Pose
	size PointSize
	in   Input

	mu    sync.Mutex
	whole weak.Pointer[Input] // whole mesh of a prepared file; nil while no input needs it
}

// ReadBase reads the first mesh of a recipe. A prepared mesh stays in its file if two conditions hold. First, it has
// no fields, no colours of corners and no materials. Second, d has no Memory or the mesh does not fit into memory.
// ReadBase returns the same errors as Open.
func (d *Drawer) ReadBase(ctx context.Context, p Picture) (*Base, error) {
	in, err := d.readBase(ctx, p, !d.Resident)
	if err != nil {
		return nil, err
	}
	if err := p.checkPose(in); err != nil {
		in.Close()
		return nil, err
	}
	return &Base{mesh: p.Meshes[0], pose: p.pose(d.Read.Pose), size: p.Look.PointSize, in: *in}, nil
}

// readBase reads the first mesh of a recipe into memory. If mayStay is true, a prepared mesh may stay in its file.
func (d *Drawer) readBase(ctx context.Context, p Picture, mayStay bool) (*Input, error) {
	d = d.atPose(ctx, &p)
	o, file := d.options(&p), p.Meshes[0].File
	opts := d.Read
	opts.Format, opts.Workers = p.Meshes[0].Format, o.Workers
	var short *Shortage
	if d.Memory != nil {
		short = d.Memory.LimitMesh(&opts, footprint.OfMesh(o))
	}
	r := d.reader()
	var read *reading.Mesh
	var err error
	if mayStay {
		read, err = r.OpenPrepared(ctx, file, func(f *prepared.File) bool {
			// Prefer a mesh in memory. A mesh in a file is read again for each picture, which makes drawing several
			// times slower.
			inMemory := d.Memory != nil && (opts.MaxMemory == 0 || budget.MeshBytes(f.Len()) <= opts.MaxMemory)
			return f.Plain() && !f.Beside().Fields && !inMemory
		}, opts)
	}
	if read == nil && err == nil {
		read, err = r.ReadFirst(ctx, file, false, true, opts)
	}
	if err != nil {
		return nil, ReadError(ctx, file, short, err)
	}
	in := newInput(read)
	in.Path, in.Name = file, Name(file)
	switch s := read.Source.(type) {
	case *scenes.Mesh:
		in.Held = budget.MeshBytes(s.Len())
	case *render.Stored:
	default:
		in.Close()
		return nil, errorf(Unfit, "%s: needs all of the mesh in memory, and there is none for it", in.Name)
	}
	return in, nil
}

// ReadBaseFrom is like ReadBase, but reads the bytes of the mesh from r. The name of the first mesh in the recipe
// appears only in messages and text chunks. Neither that file nor other files in its folder are opened. Use OpenBase
// and InputPNG to draw pictures of the base.
func (d *Drawer) ReadBaseFrom(ctx context.Context, p Picture, r io.Reader) (*Base, error) {
	opts := d.atPose(ctx, &p).Read
	opts.Format, opts.Name, opts.Workers = p.Meshes[0].Format, p.Meshes[0].File, d.Workers
	mesh, report, err := load.Reader(ctx, r, opts)
	if err != nil {
		return nil, ReadError(ctx, p.Meshes[0].File, nil, err)
	}
	in := newInput(reading.Loaded(mesh, report))
	in.Held, in.Path, in.Name, in.Label = budget.MeshBytes(mesh.Len()), p.Meshes[0].File, p.Meshes[0].File, p.Meshes[0].File
	return &Base{mesh: p.Meshes[0], pose: opts.Pose, size: p.Look.PointSize, in: *in}, nil
}

// BaseOf returns the base of a mesh that a program has made. It suits recipes whose first mesh has the same name as in
// p. Use OpenBase and InputPNG to draw pictures of the base.
func BaseOf(p Picture, mesh *scenes.Mesh) *Base {
	name := p.Meshes[0].File
	in := Input{Path: name, Name: name, Label: name, Source: mesh, Box: mesh.Bounds(), Parts: mesh.Parts, Held: budget.MeshBytes(mesh.Len())}
	return &Base{mesh: p.Meshes[0], size: p.Look.PointSize, in: in}
}

// Mesh returns the mesh, or nil if it is not in memory. The mesh must not be changed.
func (b *Base) Mesh() *scenes.Mesh { return b.in.Mesh() }

// Len returns the number of triangles of the mesh.
func (b *Base) Len() int { return b.in.Source.Len() }

// Parts returns the parts of the mesh.
func (b *Base) Parts() []scenes.Part { return b.in.Parts }

// Damage returns the first damage of a prepared file that was found while drawing pictures, or nil.
func (b *Base) Damage() error {
	if s, ok := b.in.Source.(*render.Stored); ok {
		return s.Damage()
	}
	return nil
}

// Fits reports whether inputs of a recipe can be made from b. The first mesh of the recipe, its time and the size of
// its points must be those of b. A point size in pixels never fits, because its length in units of the mesh differs
// from picture to picture.
func (b *Base) Fits(p Picture) bool {
	return b.size == p.Look.PointSize && !b.size.Pixels && samePose(b.pose, p.pose(nil)) && len(p.Meshes) > 0 && p.Meshes[0].File == b.mesh.File && p.Meshes[0].Format == b.mesh.Format
}

// OpenBase is like Open, but uses the base b as the first mesh. The input must not be closed.
func (d *Drawer) OpenBase(ctx context.Context, b *Base, p Picture, o render.Options) (*Input, error) {
	from, stored := &b.in, false
	if s, ok := b.in.Source.(*render.Stored); ok {
		stored = d.mayStayInFile(&p) && reading.Suits(s.File, o)
		if !stored {
			var err error
			if from, err = d.readWhole(ctx, b); err != nil {
				return nil, err
			}
		}
	}
	in := *from
	in.Warnings, in.shadows, in.closer, in.madeOf = slices.Clone(in.Warnings), new(backdrop.Shadows), nil, from
	if stored {
		in.warnNormals(in.Path, o)
	} else {
		mesh := *from.Mesh() // a copy, because its unit may be set
		in.Source = &mesh
	}
	if err := d.atPose(ctx, &p).prepare(ctx, &p, &in, d.Read.MaxMemory, o); err != nil {
		return nil, err
	}
	return &in, nil
}

// readWhole returns an input with the whole mesh of a prepared file in memory. It reads the mesh unless another input
// has read it.
func (d *Drawer) readWhole(ctx context.Context, b *Base) (*Input, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if in := b.whole.Value(); in != nil {
		return in, nil
	}
	in, err := d.readBase(ctx, Picture{Meshes: []Mesh{b.mesh}, Look: Look{PointSize: b.size}}, false)
	if err == nil {
		b.whole = weak.Make(in)
	}
	return in, err
}

// BasePNG is like PNG, but uses the base b as the first mesh. It writes the same bytes as PNG. The file is read again
// in two cases: the recipe streams its mesh, or it draws a large cloud as discs.
func (d *Drawer) BasePNG(ctx context.Context, w io.Writer, b *Base, p Picture, o Output) error {
	if p.Streams() || !b.Fits(p) || b.in.points > d.octahedraLimit(&p) {
		return d.PNG(ctx, w, p, o)
	}
	var pic render.Picture
	g, cam, err := d.drawInput(ctx, p, &pic, func(p Picture, o render.Options) (*Input, error) { return d.OpenBase(ctx, b, p, o) }, d.Begin)
	if err != nil {
		return err
	}
	defer g.Close()
	return g.writePNG(ctx, w, new(png.Encoder), &pic, cam, o)
}

// InputPNG is like PNG, but draws an input of OpenBase. The recipe p may differ from the recipe of OpenBase in its
// camera, size and number of samples. The input stays open and keeps its normals and its shadow for the next picture.
//
// InputPNG writes the same bytes as PNG, except for clouds of more than a million points. PNG may draw the points of
// such a cloud as discs, but a Base draws them as octahedra.
func (d *Drawer) InputPNG(ctx context.Context, w io.Writer, in *Input, p Picture) error {
	var s Stills
	defer s.Close()
	return s.InputPNG(ctx, d, w, in, p)
}

// Stills draws pictures by Drawer.InputPNG one after the other. Each picture uses the memory of the one before,
// because allocating memory takes as long as drawing. The zero value is ready for use.
type Stills struct {
	renderer *render.Renderer // nil before the first picture
	options  render.Options   // options of renderer
	pic      render.Picture
	encoder  png.Encoder
}

// Close frees the memory.
func (s *Stills) Close() {
	if s.renderer != nil {
		s.renderer.Close()
	}
	*s = Stills{}
}

// MakeRoom frees the memory of s if the picture of p would otherwise lack memory. The picture of p is then drawn
// without s.
func (s *Stills) MakeRoom(d *Drawer, in *Input, p Picture) {
	if s.renderer == nil || d.Memory == nil {
		return
	}
	o := footprint.Of(d.options(&p), in.Source)
	if p.hasFineSamples(in.Source.Len()) {
		o.Samples = fineSamples
	}
	kept := budget.DrawingBytes(s.options, budget.WantedWorkers(s.options))
	if d.Memory.Lacks(o, append(kept, in.Held)...) != nil {
		s.Close()
	}
}

// begin is like Drawer.Begin, but uses the renderer of the previous picture if its options are the same. If drawing
// fails, the renderer is closed.
func (s *Stills) begin(d *Drawer, p Picture, o render.Options) (*Drawing, error) {
	renderer := s.renderer
	s.renderer = nil
	if renderer != nil && reflect.DeepEqual(s.options, o) {
		return d.BeginWith(renderer, p, o), nil
	}
	if renderer != nil {
		renderer.Close()
	}
	s.options = o
	return d.Begin(p, o)
}

// InputPNG is like Drawer.InputPNG.
func (s *Stills) InputPNG(ctx context.Context, d *Drawer, w io.Writer, in *Input, p Picture) error {
	// A copy, because the search for triangles far away from the others starts anew for each picture.
	drawn := *in
	drawn.Warnings, drawn.closer, drawn.shadows = slices.Clone(in.Warnings), nil, in.shadows.Fork()
	open := func(Picture, render.Options) (*Input, error) { return &drawn, nil }
	begin := func(p Picture, o render.Options) (*Drawing, error) { return s.begin(d, p, o) }
	g, cam, err := d.drawInput(ctx, p, &s.pic, open, begin)
	if err != nil {
		return err
	}
	s.renderer = g.Renderer // inputs of a Base need no Close
	in.shadows.Join(drawn.shadows)
	return g.writePNG(ctx, w, &s.encoder, &s.pic, cam, Output{})
}

// writePNG writes the file of pic.
func (g *Drawing) writePNG(ctx context.Context, w io.Writer, encoder *png.Encoder, pic *render.Picture, cam render.Camera, o Output) error {
	options := PNGOptions(g.Picture, o)
	options.Text, options.Run = g.Picture.Text(g.Input, cam, g.Picture.OwnView(g.Input)), g.RunTasks(ctx)
	return encoder.EncodeRGBA(w, pic.Pix, 4*pic.Width, pic.Width, pic.Height, options)
}

// A Slider cuts an input repeatedly while the cutting planes move. The zero value is ready for use.
type Slider struct {
	memory  section.Memory
	surface *render.Surface // surface of the last cut
	room    int64           // memory, in bytes, that was found to be free for cuts
}

// Cut cuts the input `whole` by the cuts of p, and returns the cut input. `whole` must have been prepared for p
// without cuts. The next call of Cut overwrites the mesh of the result. Cut returns an error if d has too little
// memory for pictures of a cut with the options o.
//
// Triangles keep their normals, so the edges of the cut may look rounder or sharper than after OpenBase. In return,
// Cut is several times as fast as OpenBase.
func (s *Slider) Cut(ctx context.Context, d *Drawer, whole *Input, p Picture, o render.Options) (*Input, error) {
	if err := s.makeRoom(d, whole, &p, o); err != nil {
		return nil, err
	}
	in := *whole
	in.Warnings, in.shadows, in.divided, in.closer = slices.Clone(in.Warnings), new(backdrop.Shadows), nil, nil
	owners, err := p.cutWith(&in, section.Options{Rough: true, Owners: true, Memory: &s.memory})
	if err != nil {
		return nil, err
	}
	surface, ok := whole.Source.(*render.Surface)
	if cut := in.Mesh(); ok && owners != nil {
		s.surface = surface.DivideInto(s.surface, cut, owners, o.Workers)
		in.Source = s.surface
	}
	return &in, ctx.Err()
}

// makeRoom returns an error if there is not enough memory to cut an input. A cut needs memory for a mesh of the same
// size, its normals and the owners of its triangles. If several planes cut the mesh one after the other, one more mesh
// is in memory between two cuts. Later cuts use this memory again.
func (s *Slider) makeRoom(d *Drawer, whole *Input, p *Picture, o render.Options) error {
	n := whole.Source.Len()
	const ownerBytes = 4
	cut := budget.MeshBytes(n) + ownerBytes*int64(n)
	if p.Cuts.Box != (Box{}) || len(p.Cuts.Sections) > 1 {
		cut *= 2
	}
	if cut += footprint.Surface(n); cut <= s.room {
		return nil
	}
	if short := d.shortage(o, d.Read.MaxMemory, whole.Held, footprint.Surface(n), cut); short != nil {
		return errorf(Unfit, "%s: moving a section through it %s", whole.Name, short.Text())
	}
	s.room = cut
	return nil
}
