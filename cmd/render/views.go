package main

import (
	"context"
	"errors"
	"image/color"
	"io"
	"math"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/internal/cli"
	"lockstep/internal/framename"
	"lockstep/render"
	"lockstep/render/atomicfile"
	"lockstep/render/dataset"
	"lockstep/render/recipe"
	"lockstep/scenes"
	"lockstep/scenes/ply"
)

// scenePath is the folder of a data set's only scene, in the layout of the BOP benchmark.
var scenePath = filepath.Join("train", "000000")

// viewFolders lists the folders of the scene that hold a file for each view.
var viewFolders = []string{"rgb", "depth", "mask", "mask_visib", "depth_float", "normals", "ids", "parts", "coverage"}

// mostObjects is the largest number of parts that get masks of their own. It is limited because each mask is a file in
// every view.
const mostObjects = 1000

// viewSet is the data set of --views while it is drawn. It is nil without the flag.
type viewSet struct {
	set     *dataset.Set
	folder  string // folder of the data set
	mesh    *scenes.Mesh
	objects []scenes.Part // objects that get masks; each one contains all triangles up to the next object
	parts   []*render.Surface
	size    recipe.Size
	cams    []render.Camera
}

// checkViews returns an error for flags that cannot be combined with a data set.
func (c *animateCommand) checkViews() error {
	switch {
	case c.Views == 0:
		return nil
	case len(c.More) > 0:
		return cli.Usagef("--views is of one mesh: expected a command and a folder for each")
	case c.Crop != (recipe.Rect{}):
		return cli.Usagef("--views writes whole pictures, and --crop leaves parts out")
	case c.Resume || c.RecordLoads != "":
		return cli.Usagef("--views writes all of a data set at once: --resume and --record-loads do not go with it")
	case c.Draw.Picture().Full().Camera.Projection == "orthographic":
		return cli.Usagef("--views needs --projection perspective: data sets have no other cameras")
	case c.Output == "-" || framename.IsAnimation(string(c.Output)) || filepath.Base(string(c.Output)) != strings.NewReplacer("#", "", "%", "").Replace(filepath.Base(string(c.Output))):
		return cli.Usagef("%s: --views writes a folder: expected -o DIR", c.Output)
	}
	return nil
}

// viewNames returns the names of the pictures of a data set.
func (c *animateCommand) viewNames() (*framename.Names, error) {
	if c.Output == "" {
		return nil, cli.Usagef("animate: -o DIR is missing, for the data set")
	}
	return frameNames(filepath.Join(string(c.Output), scenePath, "rgb", "######.png"), string(c.Mesh), int(c.Frames))
}

// newViewSet starts the data set. It returns nil if --views is not given.
func (c *animateCommand) newViewSet(a *app, w *pipeline, cams []render.Camera) (*viewSet, error) {
	if c.Views == 0 {
		return nil, nil
	}
	v := &viewSet{folder: string(c.Output), mesh: w.Input.Mesh(), size: recipe.Size{Width: w.Width, Height: w.Height}, cams: cams}
	if v.mesh == nil {
		return nil, cli.Usagef("%s: --views needs the whole mesh in memory, and it does not fit", w.Input.Name)
	}
	debug.SetGCPercent(gcPercentBatch) // limits the megabytes of garbage that each view leaves
	v.setObjects(a, w.Input)
	names := make([]string, len(v.objects))
	for i, o := range v.objects {
		names[i] = o.Name
	}
	v.set = dataset.New(w.Width, w.Height, len(cams), dataset.DepthScale(greatestDepth(cams, w.Input.Box)), names)
	v.set.Source = w.Input.Label
	for _, folder := range append(slices.Clone(viewFolders), filepath.Join("..", "..", "models")) {
		if err := a.Files.MakeFolder(filepath.Join(v.folder, scenePath, folder)); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// setObjects sets the objects for which masks are written. These are the parts of the mesh. Each part includes all
// triangles up to the next part.
func (v *viewSet) setObjects(a *app, in *input) {
	parts := in.Parts
	if len(parts) > mostObjects {
		a.Warn("%s: masks are of all %d parts together: at most %d have masks of their own", in.Name, len(parts), mostObjects)
		parts = nil
	}
	if len(parts) == 0 {
		parts = []scenes.Part{{Name: in.Label}}
	}
	whole, ok := in.Source.(*render.Surface)
	if !ok {
		whole = &render.Surface{Mesh: v.mesh}
	}
	v.objects = slices.Clone(parts)
	for i := range v.objects {
		o, next := &v.objects[i], v.mesh.Len()
		if i+1 < len(parts) {
			next = parts[i+1].First
		}
		if i == 0 {
			o.First = 0
		}
		o.Count = next - o.First
		v.parts = append(v.parts, whole.Part(o.First, next))
	}
}

// greatestDepth returns an upper bound of the depths of the box in all cameras.
func greatestDepth(cams []render.Camera, box scenes.Box) (most float64) {
	for i := range cams {
		for corner := range 8 {
			at := mgl64.Vec3(box.Min)
			for axis := range at {
				if corner>>axis&1 != 0 {
					at[axis] = box.Max[axis]
				}
			}
			most = max(most, at.Sub(cams[i].Eye).Dot(cams[i].Forward))
		}
	}
	return most
}

// bytesPerPixel is how many bytes a viewDrawer needs per pixel. It includes the renderer's depth buffer.
const bytesPerPixel = 64

// bytesPerDrawer returns how many additional bytes each frameDrawer needs for the data of views.
func (v *viewSet) bytesPerDrawer() int64 {
	if v == nil {
		return 0
	}
	return bytesPerPixel * int64(v.size.Width) * int64(v.size.Height)
}

// filePath returns the path of a file in a folder of the scene.
func (v *viewSet) filePath(folder, name string) string {
	return filepath.Join(v.folder, scenePath, folder, name)
}

// camera returns the camera of view k.
func (v *viewSet) camera(k int) dataset.Camera {
	m := recipe.MatrixOf(&v.cams[k], v.mesh.Origin, v.size)
	return dataset.Camera{K: m.K, R: m.R, T: m.T}
}

// writeDescriptions writes the files that describe all views.
func (v *viewSet) writeDescriptions(a *app) error {
	if v == nil {
		return nil
	}
	models, err := v.writeModels(a)
	if err != nil {
		return err
	}
	picture := func(k int) string { return "rgb/" + paddedNumber(k) + ".png" }
	for _, f := range []struct{ name, text string }{
		{filepath.Join("models", "models_info.json"), models},
		{"camera.json", v.set.Lens(v.camera(0))},
		{filepath.Join(scenePath, "scene_camera.json"), v.set.Cameras()},
		{filepath.Join(scenePath, "scene_gt.json"), v.set.Poses()},
		{filepath.Join(scenePath, "scene_gt_info.json"), v.set.Infos()},
		{filepath.Join(scenePath, "scene_gt_coco.json"), v.set.Notes(picture)},
	} {
		if err := writeFile(a, filepath.Join(v.folder, f.name), func(out io.Writer) error {
			_, err := io.WriteString(out, f.text)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// writeFile creates the file name and writes it with the function write.
func writeFile(a *app, name string, write func(out io.Writer) error) error {
	out, err := a.create(name)
	if err != nil {
		return err
	}
	defer out.Abort()
	if err := write(out); err != nil {
		return atomicfile.Failure(err)
	}
	return out.Commit()
}

// writeModels writes the objects as mesh files. It returns the text of the file that describes these meshes.
func (v *viewSet) writeModels(a *app) (string, error) {
	models := make([]dataset.Model, len(v.objects))
	for i := range v.objects {
		object := v.objectMesh(i)
		if err := writeFile(a, filepath.Join(v.folder, "models", dataset.ModelFile(i)), func(out io.Writer) error {
			return ply.Write(out, &scenes.Mesh{Block: object.Block, Origin: object.Origin, Up: object.Up, Unit: object.Unit}, ply.WriteOptions{})
		}); err != nil {
			return "", err
		}
		columns := func(c [3][]float32) [][]float32 { return c[:] }
		models[i] = dataset.ModelOf(columns(object.X), columns(object.Y), columns(object.Z), object.Origin)
	}
	return dataset.Models(models), nil
}

// objectMesh returns object i as a mesh without attributes, which shares the memory of the whole mesh.
func (v *viewSet) objectMesh(i int) *scenes.Mesh {
	o := v.objects[i]
	block := v.mesh.Slice(o.First, o.First+o.Count)
	block.Colors = nil
	return &scenes.Mesh{Block: block, Origin: v.mesh.Origin, Up: v.mesh.Up, Unit: v.mesh.Unit}
}

// viewDrawer draws the data of views. Its renderer takes one sample in the middle of each pixel, because the mean of
// several depths or numbers is not meaningful.
type viewDrawer struct {
	*viewSet
	renderer    *render.Renderer
	data, mask  render.Options
	pic, single render.Picture
	numbers     []uint32
}

// dataOptions returns the options for the data beside pictures that are drawn with the options o. The data has to match
// these pictures. If the pictures show no materials, the options make every surface opaque and visible from both sides.
func (v *viewSet) dataOptions(o render.Options) render.Options {
	if !o.InMemory() {
		o.Color, o.Finish, o.OneSided = color.Gray{Y: math.MaxUint8}, nil, false
	}
	if o.Facing {
		o.Finish, o.OneSided = nil, false
	}
	o.Samples, o.Occlusion, o.Light, o.Coverage, o.Field, o.Facing = 1, false, render.LightStudio, false, render.Field{}, false
	o.Depth, o.Normals, o.Triangles = true, true, true
	return o
}

// isSolid reports whether every triangle hides whatever is behind it. Triangles with cut-outs, and triangles of
// materials that let light through, do not.
func (v *viewSet) isSolid(o *render.Options) bool {
	if o.Finish != nil && o.Finish.Transmission > 0 {
		return false
	}
	return o.Color != nil || v.mesh.Attributes == nil || !slices.ContainsFunc(v.mesh.Attributes.Materials, func(m scenes.Material) bool {
		return m.Alpha != scenes.AlphaOpaque || m.Finish != nil && m.Finish.Transmission > 0
	})
}

// newDrawer returns a viewDrawer for one frameDrawer. It copies the options of beside, the renderer of that
// frameDrawer. It returns nil if v is nil.
func (v *viewSet) newDrawer(beside *render.Renderer) (*viewDrawer, error) {
	if v == nil {
		return nil, nil
	}
	o := v.dataOptions(beside.Options())
	mask := o
	mask.Depth, mask.Normals, mask.Coverage = false, false, true
	if v.isSolid(&o) {
		mask.Shading, mask.Triangles = render.ShadingFlat, false
		if !mask.OneSided {
			mask.Light = render.LightHeadlight
		}
	}
	renderer, err := render.New(o)
	if err != nil {
		return nil, err
	}
	return &viewDrawer{viewSet: v, renderer: renderer, data: o, mask: mask}, nil
}

func (v *viewDrawer) close() {
	if v != nil {
		v.renderer.Close()
	}
}

// drawView draws and writes the data of view k. The frameDrawer d has drawn the picture of this view.
func (v *viewDrawer) drawView(ctx context.Context, d *frameDrawer, k int) error {
	if v == nil {
		return nil
	}
	if err := v.draw(ctx, d.Input.Source, v.data, v.cams[k], &v.pic); err != nil {
		return err
	}
	v.numberPixels()
	shown := dataset.ShownOf(v.numbers, v.size.Width, len(v.objects))
	seen := make([]dataset.Seen, len(shown))
	for i := range seen {
		seen[i].Shown = shown[i]
		all, err := v.writeMasks(ctx, d, k, i, &shown[i])
		if err != nil {
			return err
		}
		seen[i].All = all
	}
	if err := v.set.Describe(k, v.camera(k), seen); err != nil {
		return err
	}
	return v.writeFiles(ctx, d, k)
}

// draw draws a frame of the data. If the frame shows nothing, that is not an error.
func (v *viewDrawer) draw(ctx context.Context, src scenes.Source, o render.Options, cam render.Camera, pic *render.Picture) error {
	if err := v.renderer.SetOptions(o); err != nil {
		return err
	}
	_, err := v.renderer.Frame(ctx, src, cam, pic)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, render.ErrBlank) {
		return nil
	}
	return cli.DrawingError(err)
}

// numberPixels computes, for each pixel, the number of the object that it shows.
func (v *viewDrawer) numberPixels() {
	v.numbers = slices.Grow(v.numbers[:0], len(v.pic.Triangles))[:len(v.pic.Triangles)]
	for i, t := range v.pic.Triangles {
		v.numbers[i] = dataset.None
		if t != render.NoTriangle {
			v.numbers[i] = partOf(v.objects, int(t))
		}
	}
}

// writeMasks writes both masks of an object in view k. It returns the region in which the object would be visible
// without the other objects.
func (v *viewDrawer) writeMasks(ctx context.Context, d *frameDrawer, k, object int, shown *dataset.Shown) (dataset.Region, error) {
	mask := make([]uint8, len(v.numbers))
	for i, n := range v.numbers {
		if n == uint32(object) {
			mask[i] = math.MaxUint8
		}
	}
	name := paddedNumber(k) + "_" + paddedNumber(object) + ".png"
	if err := v.writeMask(ctx, d, v.filePath("mask_visib", name), mask); err != nil {
		return dataset.Region{}, err
	}
	if len(v.objects) == 1 {
		return shown.Region, v.writeMask(ctx, d, v.filePath("mask", name), mask)
	}
	if v.objects[object].Count > 0 {
		if err := v.draw(ctx, v.parts[object], v.mask, v.cams[k], &v.single); err != nil {
			return dataset.Region{}, err
		}
		for i, c := range v.single.Coverage { // where glass covers a pixel only partly, keep the visible part
			mask[i] = max(mask[i], c)
		}
	}
	return dataset.RegionOf(mask, v.size.Width), v.writeMask(ctx, d, v.filePath("mask", name), mask)
}
