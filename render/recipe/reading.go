package recipe

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/recipe/internal/backdrop"
	"lockstep/render/recipe/internal/cameras"
	"lockstep/render/recipe/internal/reading"
	"lockstep/scenes"
	"lockstep/scenes/prepared"
)

// newInput returns the input of a mesh that was read, or nil if there is none.
func newInput(m *reading.Mesh) *Input {
	if m == nil {
		return nil
	}
	return &Input{
		Source: m.Source, Box: m.Box, Format: m.Format, Packed: m.Packed, Bytes: m.Bytes, Held: m.Held, Bad: m.Bad, Parts: m.Parts, Clips: m.Clips,
		Label: m.Label, Contents: m.Contents, points: m.Points, Warnings: m.Warnings, damage: m.Damage, damageOnce: new(sync.Once), closer: m.Closer,
	}
}

// reader returns a reader with the settings of d.
func (d *Drawer) reader() *reading.Reader {
	return &reading.Reader{Stdin: d.Stdin, Loading: d.Loading, Opened: d.Opened, Convert: d.Convert, NoteContents: d.NoteContents}
}

// readFirst reads or opens the first mesh of a recipe. `once` has the same meaning as in Open.
func (d *Drawer) readFirst(ctx context.Context, p *Picture, o render.Options, once bool, opts scenes.ReadOptions) (*Input, error) {
	r, first := d.reader(), &p.Meshes[0]
	if d.mayStayInFile(p) {
		suits := func(f *prepared.File) bool { return reading.Suits(f, o) }
		if m, err := r.OpenPrepared(ctx, first.File, suits, opts); m != nil || err != nil {
			in := newInput(m)
			if in != nil {
				in.warnNormals(first.File, o)
			}
			return in, err
		}
	}
	m, err := r.ReadFirst(ctx, first.File, once, o.InMemory(), opts)
	return newInput(m), err
}

// warnNormals adds a warning if pictures of a prepared mesh are shaded flat because it has no normals.
func (in *Input) warnNormals(name string, o render.Options) {
	if line := reading.MissingNormals(name, in.Source.(*render.Stored).File, o); line != "" {
		in.Warnings = append(in.Warnings, line)
	}
}

// mayStayInFile reports whether the first mesh may stay in its file: neither the pictures of the recipe nor the calling
// program needs its triangles in memory.
func (d *Drawer) mayStayInFile(p *Picture) bool {
	return p.readsChunks() && !d.Resident && (d.Standing == nil || p.Meshes[0].Up == "")
}

// mostOctahedra is the largest number of points of a cloud that are drawn as octahedra. A million octahedra take some
// 600 MB of memory. Drawing them takes longer than the rest of a frame.
const mostOctahedra = 1_000_000

// octahedraLimit returns the largest number of points of a cloud that are drawn as octahedra. Larger clouds are drawn
// as discs, which take a thirtieth of the memory, unless the pictures of the recipe need triangles.
func (d *Drawer) octahedraLimit(p *Picture) int {
	switch {
	case !d.mayStayInFile(p):
		return math.MaxInt
	case d.octahedra > 0:
		return d.octahedra
	}
	return mostOctahedra
}

// readsChunks reports whether pictures of a prepared mesh read only the visible parts (chunks) of its file. This
// requires that the mesh is not changed, is drawn without lines, and has its own colours.
func (p *Picture) readsChunks() bool {
	return p.countDrawn() == 1 && !p.showsDistances() && !p.Edited() && p.full().Look.Field == "" && !p.Annotations().NeedsMesh()
}

// readMore reads the i-th mesh into memory. If d.NoteContents is set, it also returns the hash of the mesh's contents.
func (d *Drawer) readMore(ctx context.Context, file string, i int) (mesh *scenes.Mesh, contents string, err error) {
	opts := d.Read
	opts.Format = ""
	read, err := d.reader().ReadFurther(ctx, file, i, opts)
	if err != nil {
		return nil, "", ReadError(ctx, file, nil, err)
	}
	if mesh := read.Whole(); mesh != nil {
		return mesh, read.Contents, nil
	}
	read.Close()
	return nil, "", unfitError(file, "meshes", "", "joining them needs all of each in memory, and there is none for it")
}

// hasPose reports whether the recipe shows animated meshes at a chosen time.
func (p *Picture) hasPose() bool { return p.Time != nil || p.Clip != "" }

// pose returns the moment of an animation at which meshes are read; nil means at rest. `known` holds the materials of
// a mesh that was read before.
func (p *Picture) pose(known *scenes.Pose) *scenes.Pose {
	if !p.hasPose() {
		return nil
	}
	pose := &scenes.Pose{Clip: p.Clip, Seconds: deref(p.Time)}
	if known != nil && len(p.Meshes) == 1 {
		pose.Materials = known.Materials
	}
	return pose
}

// atPose returns a copy of the drawer with the moment and the point size of the recipe.
func (d *Drawer) atPose(ctx context.Context, p *Picture) *Drawer {
	r := *d
	r.Read.Pose, r.Read.PointSize = p.pose(d.Read.Pose), p.pointSizeFunc(ctx)
	return &r
}

// samePose reports whether two poses are at the same moment of the same clip.
func samePose(a, b *scenes.Pose) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Clip == b.Clip && a.Seconds == b.Seconds
}

// checkPose returns an error if the first mesh has clips, but not the clip of the recipe. If the mesh has no clips at
// all, it only warns that the recipe's time is ignored.
func (p *Picture) checkPose(in *Input) error {
	switch {
	case !p.hasPose():
	case len(in.Clips) == 0:
		field := "time"
		if p.Clip != "" {
			field = "clip"
		}
		in.Warnings = append(in.Warnings, fmt.Sprintf("%s: picture.%s is ignored: no animation of the file is known", in.Name, field))
	case scenes.FindClip(in.Clips, p.Clip) < 0:
		return unfitError(in.Name, "clip", fmt.Sprintf("%q", p.Clip), "expected %s", clipNames(in.Clips))
	}
	return nil
}

// mostNames is the greatest number of clips that a message lists.
const mostNames = 10

// clipNames lists the names of clips for messages. A clip without a name is listed by its number.
func clipNames(clips []scenes.Clip) string {
	names := make([]string, 0, mostNames)
	for i, c := range clips[:min(len(clips), mostNames)] {
		if c.Name == "" {
			c.Name = fmt.Sprint(i + 1)
		}
		names = append(names, c.Name)
	}
	if n := len(clips) - mostNames; n > 0 {
		return fmt.Sprintf("%s, or one of %d more", strings.Join(names, ", "), n)
	}
	return orList(names)
}

// pointSizeFunc returns a function that computes the diameter of points from a sample of the points. It returns nil if
// the recipe has no point size. Readers then derive the diameter from the distances between points.
func (p *Picture) pointSizeFunc(ctx context.Context) func(some [][3]float64, up scenes.Axis) float64 {
	size := p.Look.PointSize
	switch {
	case size.Length == 0:
		return nil
	case !size.Pixels:
		return func([][3]float64, scenes.Axis) float64 { return size.Length }
	}
	return func(some [][3]float64, up scenes.Axis) float64 { return size.Length * p.unitsPerPixel(ctx, some, up) }
}

// unitsPerPixel returns the length of a pixel, in units of the mesh, in the centre of a picture. The camera of the
// picture is fitted to the given points. If no camera fits, unitsPerPixel returns 0.
func (p Picture) unitsPerPixel(ctx context.Context, some [][3]float64, up scenes.Axis) float64 {
	if len(some) == 0 {
		return 0
	}
	mesh := &scenes.Mesh{Block: scenes.MakeBlock((len(some) + 2) / 3), Up: up, Origin: some[0]}
	for t := range mesh.Len() {
		var corners [3][3]float32
		for k := range corners {
			v := some[min(3*t+k, len(some)-1)]
			for d := range v {
				corners[k][d] = float32(v[d] - some[0][d])
			}
		}
		mesh.Set(t, corners)
	}
	p.Look.Field, p.Look.PointSize, p.Lines.Legend, p.Lines.Ground = "", PointSize{}, false, new(false)
	in := &Input{Source: mesh, Box: mesh.Bounds(), shadows: new(backdrop.Shadows)}
	cam, err := p.Fit(ctx, in)
	if err != nil {
		return 0
	}
	return cameras.PixelLength(&cam, mgl64.Vec3(in.Box.Center()), p.full().Size.Height)
}
