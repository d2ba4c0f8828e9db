package main

import (
	"context"
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/internal/cli"
	"lockstep/internal/framename"
	"lockstep/internal/pictureflags"
	"lockstep/render"
	"lockstep/render/atomicfile"
	"lockstep/render/encode"
	"lockstep/render/png"
	"lockstep/scenes"
)

// dataFlags are the flags for files that hold data about pixels other than their colours.
type dataFlags struct {
	Depth    pictureflags.Path `placeholder:"FILE" help:"Also write distances: .png, .tif or .exr."`
	Normals  pictureflags.Path `group:"data" placeholder:"FILE" help:"Also write normals in the axes of the camera, x to the right, y up, z towards the eye: .png from 0 to 255 for -1 to 1, or float32 .exr."`
	Ids      pictureflags.Path `group:"data" name:"ids" placeholder:"FILE" help:"Also write numbers of triangles: .png with 1 plus the number in R, G and B, 0 for none, or uint32 .exr."`
	Parts    pictureflags.Path `group:"data" placeholder:"FILE" help:"Also write numbers of parts, in the order of render info, as --ids does."`
	Coverage pictureflags.Path `group:"data" placeholder:"FILE" help:"Also write how much of each pixel is covered: 8-bit grey .png, or float32 .exr."`
}

// A dataFile is the output file of one of the dataFlags.
type dataFile struct {
	name, kind string
	out        outFile
	write      func(ctx context.Context, w *pipeline, f *dataFile, pic *render.Picture, cam *render.Camera, text []png.Text) error
}

// files returns one dataFile for each flag, in the order of the flags. If a flag is not given, its file has no name.
func (f *dataFlags) files() []*dataFile {
	return []*dataFile{
		{name: string(f.Depth), write: writeDepth},
		{name: string(f.Normals), write: writeNormals},
		{name: string(f.Ids), write: writeIds},
		{name: string(f.Parts), write: writeParts},
		{name: string(f.Coverage), write: writeCoverage},
	}
}

// givenNames returns the names of the files whose flags are given.
func (f *dataFlags) givenNames() (names []string) {
	for _, file := range f.files() {
		if file.name != "" {
			names = append(names, file.name)
		}
	}
	return names
}

// setDataOptions sets the renderer's options for the data of the files.
func (f *dataFlags) setDataOptions(o *render.Options) {
	o.Depth = o.Depth || f.Depth != ""
	o.Normals = f.Normals != ""
	o.Triangles = f.Ids != "" || f.Parts != ""
	o.Coverage = o.Coverage || f.Coverage != ""
}

// needsMesh reports whether any of the files needs the mesh in memory.
func (f *dataFlags) needsMesh() bool { return f.Normals != "" || f.Ids != "" || f.Parts != "" }

// checkData returns an error if a file's format cannot hold its data. The parameter format is the value of --format.
func (f *dataFlags) checkData(light, format string) error {
	if f.needsMesh() && light == "headlight" {
		return cli.Usagef("--normals, --ids and --parts need --light studio")
	}
	for _, file := range f.files() {
		err := checkFormat(file.name, "")
		if err != nil && framename.IsFolder(file.name) {
			return err
		}
		kind := pictureKind(file.name, "")
		ok := (err == nil || format == "png") && (kind == "png" || kind == "exr" || kind == "tiff" && file.name == string(f.Depth))
		if file.name != "" && !ok {
			want := ".png or .exr"
			if file.name == string(f.Depth) {
				want = ".png, .tif or .exr"
			}
			return cli.Usagef("%s: expected %s", file.name, want)
		}
	}
	return nil
}

// open creates the files whose flags are given.
func (f *dataFlags) open(a *app) (files []*dataFile, err error) {
	for _, file := range f.files() {
		if file.name == "" {
			continue
		}
		file.kind = pictureKind(file.name, "")
		if file.out, err = a.create(file.name); err != nil {
			abortData(files)
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

func abortData(files []*dataFile) {
	for _, f := range files {
		f.out.Abort()
	}
}

// encodeData writes the files.
func (w *pipeline) encodeData(ctx context.Context, files []*dataFile, pic *render.Picture, cam *render.Camera, text []png.Text) error {
	defer w.timeEncoding()()
	for _, f := range files {
		if err := f.write(ctx, w, f, pic, cam, text); err != nil {
			return atomicfile.Failure(err)
		}
	}
	return nil
}

func writeDepth(ctx context.Context, w *pipeline, f *dataFile, pic *render.Picture, _ *render.Camera, text []png.Text) error {
	switch f.kind {
	case "tiff":
		return encode.FloatTIFF(f.out, pic.Depth, pic.Width, pic.Height)
	case "exr":
		return encode.EXR(f.out, []encode.Channel{{Name: "Z", Float: pic.Depth}}, pic.Width, pic.Height)
	}
	near, far := depthRange(pic.Depth)
	text = append(text[:len(text):len(text)], png.Text{
		Keyword: "Depth",
		Value:   fmt.Sprintf("near=%.9g far=%.9g: 0 is empty, v>0 is near+(far-near)*(v-1)/65534 mesh units along the view", near, far),
	})
	return w.encoder.EncodeGray16(f.out, quantizeDepth(pic.Depth, near, far), pic.Width, pic.Width, pic.Height, w.pngOptions(ctx, text))
}

// writeNormals writes the normals in the axes of the camera.
func writeNormals(ctx context.Context, w *pipeline, f *dataFile, pic *render.Picture, cam *render.Camera, text []png.Text) error {
	axes := [3]mgl64.Vec3{cam.Right, cam.Up, cam.Forward.Mul(-1)}
	var planes [3][]float32
	for c := range planes {
		planes[c] = make([]float32, len(pic.Normals))
		for i, n := range pic.Normals {
			v := 0.0
			for k := range 3 {
				v += float64(float64(n[k]) * axes[c][k])
			}
			planes[c][i] = float32(v)
		}
	}
	if f.kind == "exr" {
		channels := []encode.Channel{{Name: "N.X", Float: planes[0]}, {Name: "N.Y", Float: planes[1]}, {Name: "N.Z", Float: planes[2]}}
		return encode.EXR(f.out, channels, pic.Width, pic.Height)
	}
	pix := make([]byte, 4*len(pic.Normals))
	for i, n := range pic.Normals {
		if n == [3]float32{} {
			continue
		}
		for c := range planes {
			pix[4*i+c] = uint8(math.Round(float64((float64(planes[c][i]) + 1) * 127.5)))
		}
		pix[4*i+3] = 255
	}
	return w.encodePNG(ctx, f.out, pix, pic, png.ChannelsRGBA, text)
}

func writeIds(ctx context.Context, w *pipeline, f *dataFile, pic *render.Picture, _ *render.Camera, text []png.Text) error {
	return w.encodeNumbers(ctx, f, pic.Triangles, "id", pic, text)
}

// writeParts writes for each pixel the number of the part that its triangle belongs to.
func writeParts(ctx context.Context, w *pipeline, f *dataFile, pic *render.Picture, _ *render.Camera, text []png.Text) error {
	numbers := make([]uint32, len(pic.Triangles))
	for i, t := range pic.Triangles {
		numbers[i] = render.NoTriangle
		if t != render.NoTriangle {
			numbers[i] = partOf(w.Input.Parts, int(t))
		}
	}
	return w.encodeNumbers(ctx, f, numbers, "part", pic, text)
}

// partOf returns the number of the part that triangle t belongs to, or 0 in a mesh without parts.
func partOf(parts []scenes.Part, t int) uint32 {
	low, high := 0, len(parts)
	for low+1 < high {
		if middle := (low + high) / 2; parts[middle].First <= t {
			low = middle
		} else {
			high = middle
		}
	}
	return uint32(low)
}

// mostIds is the largest number of triangles or parts that the three channels of a PNG can tell apart. One of the 1<<24
// values is reserved: it means that the pixel shows no triangle.
const mostIds = 1<<24 - 1

// encodeNumbers writes the number of a triangle or a part for each pixel.
func (w *pipeline) encodeNumbers(ctx context.Context, f *dataFile, numbers []uint32, channel string, pic *render.Picture, text []png.Text) error {
	if f.kind == "exr" {
		return encode.EXR(f.out, []encode.Channel{{Name: channel, Uint: numbers}}, pic.Width, pic.Height)
	}
	pix := make([]byte, 4*len(numbers))
	for i, n := range numbers {
		if n == render.NoTriangle {
			continue
		}
		if n >= mostIds {
			return cli.Usagef("%s: PNG holds numbers up to %d: expected .exr", f.name, mostIds-1)
		}
		n++
		pix[4*i], pix[4*i+1], pix[4*i+2] = uint8(n>>16), uint8(n>>8), uint8(n)
	}
	return w.encodePNG(ctx, f.out, pix, pic, png.ChannelsRGB, text)
}

func writeCoverage(ctx context.Context, w *pipeline, f *dataFile, pic *render.Picture, _ *render.Camera, text []png.Text) error {
	if f.kind == "exr" {
		part := make([]float32, len(pic.Coverage))
		for i, c := range pic.Coverage {
			part[i] = float32(c) / 255
		}
		return encode.EXR(f.out, []encode.Channel{{Name: "A", Float: part}}, pic.Width, pic.Height)
	}
	pix := make([]byte, 4*len(pic.Coverage))
	for i, c := range pic.Coverage {
		pix[4*i], pix[4*i+1], pix[4*i+2], pix[4*i+3] = c, c, c, 255
	}
	return w.encodePNG(ctx, f.out, pix, pic, png.ChannelsLeast, text)
}

// encodePNG writes a PNG file whose pixels hold data instead of colours.
func (w *pipeline) encodePNG(ctx context.Context, out outFile, pix []byte, pic *render.Picture, channels png.Channels, text []png.Text) error {
	options := w.pngOptions(ctx, text)
	options.Channels = channels
	return w.encoder.EncodeRGBA(out, pix, 4*pic.Width, pic.Width, pic.Height, options)
}

// depthRange returns the least and the greatest finite depth.
func depthRange(depths []float32) (near, far float64) {
	near, far = math.Inf(1), math.Inf(-1)
	for _, d := range depths {
		if v := float64(d); !math.IsInf(v, 0) {
			near, far = min(near, v), max(far, v)
		}
	}
	return near, far
}

// quantizeDepth maps depths from near to far linearly to 1..65535. Infinite depths, where nothing was drawn, become 0.
func quantizeDepth(depths []float32, near, far float64) []uint16 {
	steps := 0.0 // output values per unit of depth; 0 if all depths are equal, so that all output values are 1
	if far > near {
		steps = 65534 / (far - near)
	}
	grey := make([]uint16, len(depths))
	for i, d := range depths {
		if v := float64(d); !math.IsInf(v, 0) {
			grey[i] = uint16(1 + math.RoundToEven(float64((v-near)*steps)))
		}
	}
	return grey
}
