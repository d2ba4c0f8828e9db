package recipe

import (
	"context"
	"io"
	"strings"
	"sync"
	"time"

	"lockstep/internal/budget"
	"lockstep/render"
	"lockstep/render/footprint"
	"lockstep/render/recipe/internal/backdrop"
	"lockstep/render/recipe/internal/division"
	"lockstep/scenes"
)

// An Input holds the meshes of a recipe, joined into one and ready to be drawn.
type Input struct {
	Path     string // path of the first mesh, as it is in the recipe
	Name     string // name for messages
	Label    string // name without folders; "" for standard input
	Source   scenes.Source
	Box      scenes.Box // box of the finite vertices, relative to the origin of the source
	Parted   bool       // Box leaves out triangles far away from the others
	Format   string
	Packed   string // name of the compression; empty means none
	Bytes    int64  // number of bytes that were read; 0 for procedural scenes
	Held     int64  // upper bound of the memory in bytes that the mesh occupies
	Bad      int    // number of triangles with a NaN or infinite coordinate
	Parts    []scenes.Part
	Unit     float64      // length of a unit of the mesh in metres; 0 means unknown
	Axis     *scenes.Axis // up axis of this mesh according to the recipe; may be nil
	Clips    []scenes.Clip
	Contents string    // hash of the contents of the files if Drawer.NoteContents is set; otherwise empty
	Compared *Compared // the comparison if Drawer.KeepCompared is set; otherwise nil
	Warnings []string  // warnings of the reader and of the steps after it
	ReadTime time.Duration

	points     int                         // number of points of a cloud; 0 for other meshes
	divided    *division.Division          // the mesh before and after its division; nil if it was not divided
	damage     string                      // first warning of the reader; empty means that the file is whole
	unreported bool                        // all triangles are lost by damage, and no warning has stated that yet
	normals    func(context.Context) error // computes the normals of Source; nil if they are complete
	damageOnce *sync.Once                  // lets only one warning about damaged chunks through
	closer     io.Closer                   // closes a file that stays open; nil if there is none

	shadows *backdrop.Shadows // shared with copies that have another Box
	madeOf  *Input            // input from which a Base made this one; nil if there is none
}

// Close closes the mesh file if it was left open.
func (in *Input) Close() {
	if in.closer != nil {
		in.closer.Close()
	}
}

// Mesh returns the mesh, or nil if it is not in memory.
func (in *Input) Mesh() *scenes.Mesh {
	switch m := in.Source.(type) {
	case *scenes.Mesh:
		return m
	case *render.Surface:
		return m.Mesh
	}
	return nil
}

// allowsAllLooks reports whether frames of the input may have all looks. Some looks need a mesh in memory, a mesh in a
// prepared file, or a cloud of points.
func (in *Input) allowsAllLooks() bool {
	switch in.Source.(type) {
	case *render.Stored, *scenes.Points:
		return true
	}
	return in.Mesh() != nil
}

// UpOf returns the axis that is up in pictures of an input: that of the recipe, or else of the file, or else of the
// format.
func (p Picture) UpOf(in *Input) scenes.Axis {
	if in.Axis != nil {
		return *in.Axis
	}
	if axis, err := scenes.ParseAxis(p.Up); err == nil {
		return axis
	}
	return in.Source.Info().Up
}

// Open reads the meshes of a recipe, places and cuts them, and prepares them for the options o. If once is true, the
// mesh is needed only once, see Streams.
//
// Usually the mesh is read into memory. If the format allows it, its blocks are instead read from the file while they
// are drawn, in two cases: once is true, or the mesh would leave too little memory for a picture.
func (d *Drawer) Open(ctx context.Context, p Picture, o render.Options, once bool) (*Input, error) {
	began := time.Now()
	d = d.atPose(ctx, &p)
	opts := d.Read
	opts.Format, opts.Workers = p.Meshes[0].Format, o.Workers
	opts.Flat = o.Light == render.LightStudio && !o.InMemory()
	opts.KeepPoints = d.octahedraLimit(&p)
	most := opts.MaxMemory
	var short *Shortage
	if d.Memory != nil {
		short = d.Memory.LimitMesh(&opts, footprint.OfMesh(o))
	}
	in, err := d.readFirst(ctx, &p, o, once, opts)
	if err != nil {
		return nil, ReadError(ctx, p.Meshes[0].File, short, err)
	}
	switch mesh := in.Source.(type) {
	case *scenes.Points:
		in.Held = mesh.Memory()
		if d.Memory != nil {
			d.Memory.Loaded()
		}
		if short := d.cloudShortage(in, o); short != nil {
			in.Close()
			return nil, errorf(Unfit, "%s: drawing the cloud %s", Name(p.Meshes[0].File), short.Text())
		}
	case *scenes.Mesh:
		in.Held = budget.MeshBytes(mesh.Len())
		if d.Memory != nil {
			d.Memory.Loaded()
		}
	}
	in.Path, in.Name, in.shadows = p.Meshes[0].File, Name(p.Meshes[0].File), new(backdrop.Shadows)
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
		in.unreported, lines = true, lines[1:]
	}
	for _, line := range lines {
		d.warn(line)
	}
	return in, nil
}

// SayDamage warns if a mesh has no triangles because its file is damaged. It is for programs that continue without
// triangles. Other programs end with the error of Blank, which contains the same message.
func (d *Drawer) SayDamage(in *Input) {
	if in.unreported {
		d.warn(in.damage)
		in.unreported = false
	}
}

// warnOfDamagedChunks warns, once for each input, about chunks of a prepared mesh that could not be read for a picture.
func (d *Drawer) warnOfDamagedChunks(in *Input) {
	s, ok := in.Source.(*render.Stored)
	if !ok || s.Damage() == nil {
		return
	}
	in.damageOnce.Do(func() { d.warn(s.Damage().Error() + ": its triangles are left out") })
}

// CheckNotEmpty returns an error if the mesh has no triangles, or no vertex with finite coordinates.
func (in *Input) CheckNotEmpty() error {
	switch {
	case !in.Box.Empty():
		return nil
	case in.Source.Len() == 0:
		return in.Blank("there are no triangles in it")
	}
	return in.Blank("no vertex of it has finite coordinates")
}

// Blank returns the error for a mesh that shows nothing. Its kind is Damaged if the reader warned of damage, and Blank
// otherwise.
func (in *Input) Blank(what string) error {
	err := errorf(Blank, "%s: %s", in.Name, what)
	if in.damage == "" {
		return err
	}
	why := strings.TrimPrefix(in.damage, in.Name+": ")
	// These reasons of the reader repeat what the error says.
	for _, again := range []string{"its triangles: there are none", "its faces: there are none"} {
		if reason, ok := strings.CutPrefix(why, again); ok {
			return errorf(Damaged, "%w%s", err, reason)
		}
	}
	return errorf(Damaged, "%w: %s", err, why)
}

// Late reports whether the normals are not computed yet, see Drawer.LateNormals.
func (in *Input) Late() bool { return in.normals != nil }

// Smooth computes normals that were postponed, see Drawer.LateNormals. It must be called before the mesh is drawn, on
// the same goroutine.
func (in *Input) Smooth(ctx context.Context) error {
	if in.normals == nil {
		return nil
	}
	if err := in.normals(ctx); err != nil {
		return err
	}
	in.normals = nil
	return nil
}
