// Package ground draws the shadow that a mesh throws on the ground it stands on, as under an
// overcast sky: dark where the mesh is close to the ground, wide and faint where it is high
// above.
//
// The mesh is drawn once from below and once from above. The two depths are its lowest and its
// highest point over every point of the ground. The heights between them are cut into a few
// slices, and the part in each slice throws a shadow, the more blurred the higher the slice is.
// The shadow lies behind the mesh in every picture. It is a function of the mesh, the camera
// and the picture: the same bits on any number of cores and every processor. Products are
// rounded before they are added.
package ground

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/internal/sources"
	"lockstep/render/internal/surface"
	"lockstep/scenes"
)

const (
	// mapSize is the width and height of the map of the ground in texels: shadows are blurred
	// by several of them.
	mapSize = 512
	// mapZoom leaves room around the mesh for the widest blur: the box spans the part
	// camera.Margin*mapZoom of the map.
	mapZoom = 0.45
)

// slices are the parts of the mesh by height over the ground, in parts of the mesh's size:
// where each ends, how far its shadow is blurred (the standard deviation), and how dark it
// is. The blur is about a third of the height, as under a sky that is bright overhead.
var slices = [...]struct{ top, blur, dark float64 }{
	{0.03, 0.008, 0.55},
	{0.10, 0.025, 0.45},
	{0.30, 0.065, 0.38},
	{math.Inf(1), 0.14, 0.32},
}

// A Ground is the shadow of one mesh. It may be used by several goroutines at a time.
type Ground struct {
	up     mgl64.Vec3
	level  float64       // of the ground along up
	camera render.Camera // from below, that made the map
	shadow []float32     // of texels: the part of the light that is missing
	linear *surface.Colors
}

// New finds the shadow of a mesh whose box and up axis are given. That takes two small
// pictures of the mesh and some 20 ms.
func New(ctx context.Context, source scenes.Source, box scenes.Box, up scenes.Axis) (*Ground, error) {
	if err := sources.Check(ctx, source); err != nil {
		return nil, fmt.Errorf("ground: %w", err)
	}
	g := &Ground{up: up.Vector(), level: math.Inf(1), linear: surface.NewColors()}
	for _, corner := range [2][3]float64{box.Min, box.Max} {
		g.level = math.Min(g.level, dot(corner, g.up))
	}
	r, err := render.New(render.Options{Width: mapSize, Height: mapSize, Depth: true})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var cams [2]render.Camera
	var pics [2]render.Picture
	for i, elevation := range [2]float64{-90, 90} {
		o := camera.Options{Up: up, Elevation: elevation, Orthographic: true, Zoom: mapZoom}
		if cams[i], err = camera.Fit(box, mapSize, mapSize, o); err != nil {
			return nil, err
		}
		if _, err := r.Frame(ctx, source, cams[i], &pics[i]); err != nil && !errors.Is(err, render.ErrBlank) {
			return nil, err
		}
	}
	g.camera = cams[0]
	low, high := make([]float64, mapSize*mapSize), make([]float64, mapSize*mapSize)
	for i := range low {
		x, y := float64(i%mapSize)+0.5, float64(i/mapSize)+0.5
		p := cams[0].Unproject(x, y, float64(pics[0].Depth[i]), mapSize, mapSize)
		low[i], high[i] = g.above(p), math.Inf(-1)
		if p = cams[0].Unproject(x, y, 0, mapSize, mapSize); low[i]-low[i] == 0 {
			x, y, _ = cams[1].Project(p, mapSize, mapSize)
			d := pics[1].Depth[min(int(y), mapSize-1)*mapSize+min(int(x), mapSize-1)]
			high[i] = math.Max(low[i], g.above(cams[1].Eye)-float64(d))
		}
	}
	g.blur(low, high, size(box, g.up))
	return g, nil
}

// size returns the larger of the mesh's extents along the ground.
func size(box scenes.Box, up mgl64.Vec3) (most float64) {
	for axis, s := range box.Size() {
		if up[axis] == 0 {
			most = math.Max(most, s)
		}
	}
	return most
}

// blur computes the shadow. low and high are the lowest and the highest point of the mesh over
// each texel, size the size of the mesh.
func (g *Ground) blur(low, high []float64, size float64) {
	texel := 1 / (g.camera.Magnification * mapSize)
	g.shadow = make([]float32, mapSize*mapSize)
	light := make([]float32, len(g.shadow))
	for i := range light {
		light[i] = 1
	}
	slice, spare := make([]float32, len(light)), make([]float32, len(light))
	bottom := math.Inf(-1)
	for _, s := range slices {
		top := float64(s.top * size)
		for i := range slice {
			slice[i] = 0
			if high[i] >= bottom && low[i] < top {
				slice[i] = 1
			}
		}
		gauss(slice, spare, float64(s.blur*size)/texel)
		for i, part := range slice {
			light[i] *= 1 - float32(float32(s.dark)*part)
		}
		bottom = top
	}
	for i, l := range light {
		g.shadow[i] = 1 - l
	}
}

// gauss blurs a square map about as a Gaussian of a standard deviation in texels does: by
// three boxes each way. Source: Wells, Efficient Synthesis of Gaussian Filters by Cascaded
// Uniform Filters, 1986.
func gauss(texels, spare []float32, deviation float64) {
	// Three boxes of 2r+1 texels have a variance of r (r+1).
	r := int(math.Round((math.Sqrt(1+float64(4*deviation*deviation)) - 1) / 2))
	if r < 1 {
		return
	}
	for range 3 {
		box(texels, spare, r, mapSize, 1)
		box(spare, texels, r, 1, mapSize)
	}
}

// box writes into to the means of 2r+1 neighbouring texels of from. line is the step from line
// to line, step that from texel to texel in a line. Texels beyond the map count as 0.
func box(from, to []float32, r, line, step int) {
	for l := range mapSize {
		at := func(i int) float64 {
			if i < 0 || i >= mapSize {
				return 0
			}
			return float64(from[l*line+i*step])
		}
		sum := 0.0
		for i := range r {
			sum += at(i)
		}
		for i := range mapSize {
			sum += at(i + r)
			sum -= at(i - r - 1)
			to[l*line+i*step] = float32(math.Max(sum, 0) / float64(2*r+1))
		}
	}
}

// Draw lays the shadow between a picture's mesh and its background. The picture must have its
// Coverage, see render.Options; background is nil for a transparent one. Cameras below the
// ground see no shadow.
func (g *Ground) Draw(ctx context.Context, pic *render.Picture, cam *render.Camera, background color.Color) error {
	height := 0
	if pic != nil {
		height = pic.Height
	}
	return g.DrawRows(ctx, pic, cam, background, height, 0)
}

// DrawRows is Draw for a picture height pixels high, of which pic holds the rows from top on.
func (g *Ground) DrawRows(ctx context.Context, pic *render.Picture, cam *render.Camera, background color.Color, height, top int) error {
	if ctx == nil || pic == nil || cam == nil {
		return errors.New("ground: expected a context, a picture and a camera, not nil")
	}
	if len(pic.Coverage) != pic.Width*pic.Height {
		return errors.New("ground: expected a picture with its coverage")
	}
	if g.above(cam.Eye) <= 0 && !cam.Orthographic || dot(cam.Forward, g.up) >= 0 && cam.Orthographic {
		return nil
	}
	var behind [3]float32
	if background != nil {
		c := color.NRGBAModel.Convert(background).(color.NRGBA)
		behind = g.linear.Linear(uint32(c.R)<<16 | uint32(c.G)<<8 | uint32(c.B))
	}
	var next atomic.Int64
	var done sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		done.Go(func() {
			for y := int(next.Add(1) - 1); y < pic.Height && ctx.Err() == nil; y = int(next.Add(1) - 1) {
				g.row(pic, cam, y, behind, height, top)
			}
		})
	}
	done.Wait()
	return ctx.Err()
}

// above returns how high a point is over the ground.
func (g *Ground) above(p mgl64.Vec3) float64 { return dot(p, g.up) - g.level }

// row draws row y of the pixels of a picture that begins with row top of a higher one.
func (g *Ground) row(pic *render.Picture, cam *render.Camera, y int, background [3]float32, height, top int) {
	line := float64(y+top) + 0.5
	for x := range pic.Width {
		at := y*pic.Width + x
		if pic.Coverage[at] == 255 {
			continue
		}
		near := cam.Unproject(float64(x)+0.5, line, 0, pic.Width, height)
		far := cam.Unproject(float64(x)+0.5, line, 1, pic.Width, height)
		from, to := g.above(near), g.above(far)
		if from-to <= 1e-9*math.Abs(from) {
			continue // along the horizon, or up
		}
		if shade := g.at(near.Add(scaled(far.Sub(near), from/(from-to)))); shade > 0 {
			g.darken(pic.Pix[4*at:4*at+4:4*at+4], float32(pic.Coverage[at])/255, shade, background)
		}
	}
}

// at returns the shadow at a point of the ground, between the four texels around it.
func (g *Ground) at(p mgl64.Vec3) float32 {
	x, y, _ := g.camera.Project(p, mapSize, mapSize)
	x, y = x-0.5, y-0.5
	if !(x >= 0 && y >= 0 && x < mapSize-1 && y < mapSize-1) {
		return 0
	}
	i, j := int(x), int(y)
	fx, fy := float32(x-float64(i)), float32(y-float64(j))
	t := g.shadow[j*mapSize+i:]
	top := t[0] + float32(fx*(t[1]-t[0]))
	bottom := t[mapSize] + float32(fx*(t[mapSize+1]-t[mapSize]))
	return top + float32(fy*(bottom-top))
}

// darken takes the part shade of the light away from the part of a pixel that the mesh does
// not cover. There the background shows, given in linear light. Over a transparent background
// the shadow is black with the opacity shade.
func (g *Ground) darken(px []byte, cover, shade float32, background [3]float32) {
	open := float32((1 - cover) * shade)
	mixed := g.linear.Linear(uint32(px[0])<<16 | uint32(px[1])<<8 | uint32(px[2]))
	if px[3] == 255 {
		for c := range mixed {
			mixed[c] = max(mixed[c]-float32(open*background[c]), 0)
		}
	} else {
		alpha := float32(px[3]) / 255
		total := alpha + open
		for c := range mixed {
			mixed[c] = float32(mixed[c]*alpha) / total
		}
		px[3] = uint8(min(float32(total*255)+0.5, 255))
	}
	v := g.linear.Pixel(mixed, surface.Light{Diffuse: 1})
	px[0], px[1], px[2] = uint8(v), uint8(v>>8), uint8(v>>16)
}

// dot and scaled round every product.
func dot(a [3]float64, b mgl64.Vec3) float64 {
	return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2])
}

func scaled(v mgl64.Vec3, by float64) mgl64.Vec3 {
	return mgl64.Vec3{float64(v[0] * by), float64(v[1] * by), float64(v[2] * by)}
}
