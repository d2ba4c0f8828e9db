package recipe

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"lockstep/internal/budget"
	"lockstep/render"
	"lockstep/scenes"
)

// An Input is the meshes of a recipe as one, ready to be drawn.
type Input struct {
	Path     string // of the first mesh, as the recipe has it
	Name     string // for messages
	Label    string // without folders; "" for standard input
	Source   scenes.Source
	Box      scenes.Box // of the finite vertices, relative to the source's origin
	Parted   bool       // whether Box leaves out triangles far away from the others
	Format   string
	Packed   string // how; empty: not
	Bytes    int64  // read; 0 for procedural scenes
	Held     int64  // bytes of memory of a mesh that is kept there, at most
	Bad      int    // triangles with a NaN or infinite coordinate
	Parts    []scenes.Part
	Unit     float64      // of its lengths in metres; 0: nobody said
	Axis     *scenes.Axis // that is up by the recipe's word for this mesh; nil: see Picture.Up
	Clips    []scenes.Clip
	Contents string    // hash of those of its files, if it was wanted; else empty
	Compared *Compared // with which mesh, if Drawer.KeepCompared was set; else nil
	Warnings []string  // of its reader, and of what was done to it
	ReadTime time.Duration

	whole   *whole                      // of a mesh that was divided; else nil
	beside  []string                    // files that the mesh names, in its folder, if they were recorded
	damage  string                      // the first warning of its reader; empty: it is whole
	unsaid  bool                        // damage is why there are no triangles, and was not said yet
	normals func(context.Context) error // finds those of Source; nil: nothing is left to find
	damaged *sync.Once                  // says that chunks are, of a mesh that stays in its file
	closer  io.Closer                   // of a file that stays open; else nil

	shadowed *shadowCache // shared with copies whose box is another
}

// Close closes a file that was left open.
func (in *Input) Close() {
	if in.closer != nil {
		in.closer.Close()
	}
}

// Mesh returns the mesh, nil if it is not in memory.
func (in *Input) Mesh() *scenes.Mesh {
	switch m := in.Source.(type) {
	case *scenes.Mesh:
		return m
	case *render.Surface:
		return m.Mesh
	}
	return nil
}

// lightable reports whether frames may have all looks: whether the mesh is in memory, or in a file from which they can be lit.
func (in *Input) lightable() bool {
	_, stored := in.Source.(*render.Stored)
	return stored || in.Mesh() != nil
}

// UpOf returns the axis that is up in pictures of an input: by the recipe, or by the convention of its format.
func (p Picture) UpOf(in *Input) scenes.Axis {
	if in.Axis != nil {
		return *in.Axis
	}
	if axis, err := scenes.ParseAxis(p.Up); err == nil {
		return axis
	}
	return in.Source.Info().Up
}

// Open reads the meshes of a recipe, places and cuts them, for options by which they are drawn. A mesh
// that is needed only once (see Streams) is not kept in memory where its blocks can be read when they are drawn; nor is one that
// would leave no memory for a picture.
func (d *Drawer) Open(ctx context.Context, p Picture, o render.Options, once bool) (*Input, error) {
	began := time.Now()
	d = d.reading(ctx, &p)
	opts := d.Read
	opts.Format, opts.Workers = p.Meshes[0].Format, o.Workers
	opts.Flat = o.Light == render.LightStudio && !o.InMemory()
	most := opts.MaxMemory
	var short *Shortage
	if d.Memory != nil {
		short = d.Memory.LimitMesh(&opts, o)
	}
	in, err := d.openStored(ctx, &p, o, opts)
	if in == nil && err == nil {
		in, err = d.first(ctx, p.Meshes[0].File, once, o.InMemory(), opts)
	}
	if err != nil {
		return nil, ReadError(ctx, p.Meshes[0].File, short, err)
	}
	if mesh, ok := in.Source.(*scenes.Mesh); ok {
		in.Held = budget.Mesh(mesh.Len())
		if d.Memory != nil {
			d.Memory.Loaded()
		}
	}
	in.Path, in.Name, in.shadowed = p.Meshes[0].File, Name(p.Meshes[0].File), new(shadowCache)
	if err := p.checkPose(in); err != nil {
		in.Close()
		return nil, err
	}
	if err := d.prepare(ctx, &p, in, most, o); err != nil {
		in.Close()
		return nil, err
	}
	in.ReadTime = time.Since(began)
	lines := in.Warnings
	if in.Source.Len() == 0 && in.damage != "" {
		in.unsaid, lines = true, lines[1:]
	}
	for _, line := range lines {
		d.warn(line)
	}
	return in, nil
}

// prepare does with a mesh that was read what the recipe says.
func (d *Drawer) prepare(ctx context.Context, p *Picture, in *Input, most int64, o render.Options) error {
	in.measure(p.Unit)
	if err := d.stand(in, p.Meshes[0].Up); err != nil {
		return err
	}
	if p.compares() {
		if err := d.compare(ctx, p, in); err != nil {
			return err
		}
	}
	if p.joined() {
		if err := d.join(ctx, p, in); err != nil {
			return err
		}
	}
	if p.Parts.set() {
		if err := p.showParts(in); err != nil {
			return err
		}
	}
	if p.Cut() {
		if err := p.cut(in); err != nil {
			return err
		}
	}
	return d.makeSurface(ctx, in, most, o)
}

// measure gives an input a unit by its name, unless its file states one.
func (in *Input) measure(unit string) {
	stated := Units()[strings.ToLower(unit)]
	switch in.Unit = in.Source.Info().Unit; {
	case stated == 0:
	case in.Unit == 0:
		in.Unit = stated
		if mesh := in.Mesh(); mesh != nil {
			mesh.Unit = stated
		}
	case in.Unit != stated:
		in.Warnings = append(in.Warnings, fmt.Sprintf("%s: picture.unit is ignored: the unit of the file is the %s", in.Name, UnitName(in.Unit)))
	}
}

// stand gives an input the up axis that the recipe has for it. Meshes that are shown in the place of another one,
// see Drawer.Standing, are turned to its up axis.
func (d *Drawer) stand(in *Input, up string) error {
	axis, err := scenes.ParseAxis(up)
	switch {
	case err != nil:
		return nil
	case d.Standing == nil:
		in.Axis = &axis
		return nil
	}
	mesh := in.Mesh()
	if mesh == nil {
		return errorf(Unfit, "%s: :up= turns meshes that are in memory, and there is none for it", in.Name)
	}
	mesh.Stand(axis, *d.Standing)
	in.Parts = mesh.Parts
	in.Box = mesh.Bounds()
	return nil
}

// SayDamage warns of why a mesh has no triangles, for a program that goes on without any. Others end with an error that
// has the same words, see Blank.
func (d *Drawer) SayDamage(in *Input) {
	if in.unsaid {
		d.warn(in.damage)
		in.unsaid = false
	}
}

// CheckNotEmpty returns why there is nothing to look at, if so.
func (in *Input) CheckNotEmpty() error {
	switch {
	case !in.Box.Empty():
		return nil
	case in.Source.Len() == 0:
		return in.Blank("there are no triangles in it")
	}
	return in.Blank("no vertex of it has finite coordinates")
}

// Blank returns the error of a mesh with nothing to see: a whole file shows nothing, but one that its reader warned of
// is damaged beyond use.
func (in *Input) Blank(what string) error {
	err := errorf(Blank, "%s: %s", in.Name, what)
	if in.damage == "" {
		return err
	}
	why := strings.TrimPrefix(in.damage, in.Name+": ")
	for _, again := range []string{"its triangles: there are none", "its faces: there are none"} { // what says so already
		if reason, ok := strings.CutPrefix(why, again); ok {
			return errorf(Damaged, "%w%s", err, reason)
		}
	}
	return errorf(Damaged, "%w: %s", err, why)
}

// Name returns what messages call a mesh: its name, but for standard input.
func Name(mesh string) string {
	if mesh == "-" {
		return "standard input"
	}
	return mesh
}

// A Shortage says what there is too little of, memory or address space, in bytes.
type Shortage = budget.Shortage
