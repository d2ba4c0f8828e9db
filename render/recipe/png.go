package recipe

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"sync/atomic"
	"unicode/utf16"
	"unicode/utf8"

	"lockstep/internal/phrase"
	"lockstep/render"
	"lockstep/render/png"
	"lockstep/render/recipe/internal/numbers"
)

// PNG draws a recipe and writes the same bytes as the command render. From o it takes the resolution that the file
// states, and whether the file is compressed more (Small). It ignores the name and the format in o.
func (d *Drawer) PNG(ctx context.Context, w io.Writer, p Picture, o Output) error {
	var pic render.Picture
	g, cam, err := d.draw(ctx, p, &pic)
	if err != nil {
		return err
	}
	defer g.Close()
	return g.writePNG(ctx, w, new(png.Encoder), &pic, cam, o)
}

// PNGOptions returns the options for writing pictures of a recipe, without the text chunks.
func PNGOptions(p Picture, out Output) *png.Options {
	options := &png.Options{Channels: Channels(p), PixelsPerMetre: PixelsPerMetre(out.DPI)}
	if out.Small {
		options.Level, options.Channels = png.Small, png.ChannelsLeast
	}
	return options
}

// Channels returns the channels of the file of a picture. They depend only on the recipe, not on the pixels. There is
// an alpha channel if the recipe has no background.
func Channels(p Picture) png.Channels {
	if p.Opaque() {
		return png.ChannelsRGB
	}
	return png.ChannelsRGBA
}

// PixelsPerMetre converts a resolution in dots per inch to the unit of PNG. 0 means that no resolution is stated.
func PixelsPerMetre(dpi int) uint32 {
	const inch = 0.0254 // metres
	return uint32(math.Round(float64(dpi) / inch))
}

// RunTasks returns a function that runs tasks on the workers of the renderer, which are idle between frames. After ctx
// has ended, it skips tasks. An encoder then fails because results are missing.
func (g *Drawing) RunTasks(ctx context.Context) func(n int, do func(task int)) {
	return func(n int, do func(task int)) {
		var next atomic.Int64
		g.Renderer.Machine().Run(func(int) {
			for i := next.Add(1) - 1; i < int64(n) && ctx.Err() == nil; i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
}

// Frames draws an animation of one mesh. It calls the function `each` for the frames in order. The arguments of
// `each` are the frame number k, and the bytes of the file that the command render writes for the frame. The bytes
// are valid until `each` returns. If `each` returns an error, Frames ends with that error.
func (d *Drawer) Frames(ctx context.Context, a Animation, o Output, each func(k int, file []byte) error) error {
	if err := a.Validate(); err != nil {
		return &Error{Unfit, err}
	}
	if len(a.More) > 0 {
		return unfitError(Name(a.More[0].File), "more", "", "frames are drawn of one mesh")
	}
	if a.Clip != "" {
		return unfitError(Name(a.Picture.Meshes[0].File), "clip", "", "frames are drawn of a mesh that does not move")
	}
	a = a.Normal()
	noting := *d
	noting.NoteContents = true
	g, err := noting.Start(ctx, a.Picture, false, nil)
	if err != nil {
		return err
	}
	defer g.Close()
	if err := g.Input.CheckNotEmpty(); err != nil {
		return err
	}
	cams, views, err := d.Cameras(ctx, a, g.Input)
	if err != nil {
		return err
	}
	var pic render.Picture
	var file bytes.Buffer
	var encoder png.Encoder
	for k, cam := range cams {
		stats, err := g.Frame(ctx, g.Input.Source, cam, &pic)
		if err == nil && stats.Covered == 0 {
			err = g.Input.Blank("nothing of it would be visible")
		}
		if err != nil {
			return err
		}
		options := PNGOptions(g.Picture, o)
		options.Text, options.Run = g.Picture.FrameText(g.Input, cam, views[k]), g.RunTasks(ctx)
		file.Reset()
		if err := encoder.EncodeRGBA(&file, pic.Pix, 4*pic.Width, pic.Width, pic.Height, options); err != nil {
			return err
		}
		if err := each(k, file.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// Program is the name of the program in the text chunks of pictures.
const Program = "Lockstep render 0.1.0"

// Keywords of the text chunks in pictures.
const (
	SoftwareKey = "Software"
	TextKey     = "Recipe"
	ContentsKey = "Contents"
	CameraKey   = "Camera"
)

// Text returns the text chunks of a picture: the program, the camera, the recipe and the mesh. The same recipe gives
// the same text. If the input knows the hash of its files' contents, the text states it. A later run can then decide
// whether the picture is up to date.
func (p Picture) Text(in *Input, cam render.Camera, view View) []png.Text {
	p = p.Normal()
	text := []png.Text{
		{Keyword: SoftwareKey, Value: Program},
		{Keyword: CameraKey, Value: p.cameraText(in, cam, view)},
		{Keyword: TextKey, Value: p.recipeText(in)},
	}
	if in.Label != "" {
		text = append(text, png.Text{Keyword: "Source", Value: phrase.Printable(in.Label)})
	}
	if in.Contents != "" {
		text = append(text, png.Text{Keyword: ContentsKey, Value: in.Contents})
	}
	return text
}

// FrameText returns the text chunks of a frame of an animation. They are those of Text, but the recipe has the camera
// and the number of samples of the frame. A single picture of this recipe is the same as the frame, bit for bit, if
// the animation shows one mesh.
func (p Picture) FrameText(in *Input, cam render.Camera, view View) []png.Text {
	text := p.Text(in, cam, view)
	frame := p.clone()
	frame.Camera = p.frameCamera(in, &cam)
	frame.Look.Samples = p.full().Look.Samples
	for i := range text {
		if text[i].Keyword == TextKey {
			text[i].Value = frame.Normal().recipeText(in)
		}
	}
	return text
}

// OwnView returns the view in the text chunks of a single picture. It is the default view if the recipe's view has no
// effect.
func (p Picture) OwnView(in *Input) View { return p.Normal().ViewOf(p.UpOf(in), in.Box) }

// recipeText returns the recipe in its normal form. It removes folders from the names of files, because folders change
// no pixel.
func (p Picture) recipeText(in *Input) string {
	p = p.clone()
	for i := range p.Meshes {
		if !p.Meshes[i].IsScene() {
			p.Meshes[i].File = filepath.Base(p.Meshes[i].File)
		}
	}
	p.Meshes[0].File = cmp.Or(in.Label, "-")
	if in.Axis != nil {
		p.Up = in.Axis.String()
	}
	text, err := json.Marshal(p.Normal())
	if err != nil {
		return ""
	}
	return escaped(string(text))
}

// escaped returns JSON text in ASCII, because every program that displays text chunks can show ASCII.
func escaped(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, "\\u%04x", unit)
		}
	}
	return b.String()
}

// cameraText returns the camera in coordinates of the file, with all digits. Far from the origin, rounded positions
// could make eye and target the same point.
func (p Picture) cameraText(in *Input, cam render.Camera, view View) string {
	c := p.CameraOf(in, &cam)
	point := func(v *Point) string { return numbers.ExactList(v[:]) }
	size := fmt.Sprintf(" fov=%.9g", c.Fov)
	if cam.Orthographic {
		size = fmt.Sprintf(" height=%.9g", c.Height)
	}
	if c.Shift != [2]float64{} {
		size += " shift=" + numbers.ExactList(c.Shift[:])
	}
	return fmt.Sprintf("eye=%s target=%s up=%s projection=%s%s zoom=%.9g view=%.9g,%.9g",
		point(c.Eye), point(c.Target), point(c.Upward), c.Projection, size, c.Zoom, view.Azimuth, view.Elevation)
}

// CameraOf converts the renderer's camera cam to a camera of a recipe. The eye of the result is in coordinates of the
// file.
func (p Picture) CameraOf(in *Input, cam *render.Camera) Camera {
	world := func(v [3]float64) *Point {
		for axis, o := range in.Source.Info().Origin {
			v[axis] += o
		}
		return (*Point)(&v)
	}
	own := p.full().Camera
	up := Point(cam.Up)
	c := Camera{Eye: world(cam.Eye), Target: world(cam.Target), Upward: &up, Projection: "perspective", Zoom: own.Zoom, Shift: own.Shift}
	if cam.Orthographic {
		c.Projection, c.Height = "orthographic", 1/cam.Magnification
	} else {
		c.Fov, c.Zoom = own.fovOf(cam)
	}
	return c
}

// fovOf returns a field of view in degrees and a zoom. Together they magnify as much as the perspective camera cam.
// If the field of view and the zoom of c magnify as much as cam, fovOf returns these two. Otherwise, for example
// between keyframes, the zoom is 1.
func (c *Camera) fovOf(cam *render.Camera) (fov, zoom float64) {
	const half = math.Pi / 360 // half a degree in radians
	if math.Abs(c.Zoom/(2*math.Tan(c.Fov*half))/cam.Magnification-1) > 1e-9 {
		return math.Atan(0.5/cam.Magnification) / half, 1
	}
	return c.Fov, c.Zoom
}
