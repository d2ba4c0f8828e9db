package nbody

import (
	"context"
	"fmt"
	"math"

	"lockstep/bench/report"
	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/png"
	"lockstep/scenes"
)

// A film writes an animation of particles, coloured by their owner. Methods of a nil film do nothing.
type film struct {
	out       report.File
	setup     *Setup
	pes       int
	every     int // least number of iterations between two frames
	nextFrame int // first iteration that the next frame may show
	renderer  *render.Renderer
	camera    render.Camera
	mesh      scenes.Mesh
	picture   render.Picture
	encoder   png.Encoder
	animation *png.Animation
}

// The largest number of frames, the size and the speed of a film, and the colour of the box. A film lasts at most ten
// seconds.
const (
	filmFrames = 100
	filmSide   = 480
	filmDelay  = 10 // frames per second
	wallColor  = 0xA0A0A0
)

// openFilm opens the file that --film names. It returns nil if --film is not set.
func (e *Experiment) openFilm(out report.Output) (*film, error) {
	if e.Film == "" {
		return nil, nil
	}
	f, err := out.File(string(e.Film))
	if err != nil {
		return nil, err
	}
	return &film{out: f}, nil
}

// begin prepares the film of a set-up. The argument `seen` is the number of iterations from one call of drawFrame to
// the next.
func (f *film) begin(s *Setup, seen int) (err error) {
	if f == nil {
		return nil
	}
	f.setup, f.pes = s, s.PEs
	frames := min(filmFrames, (s.Iterations-1)/seen+1)
	f.every = (s.Iterations + frames - 1) / frames
	// count becomes the number of frames of the film. A frame is drawn for the first iteration after at least f.every
	// iterations without one.
	count := 0
	for t, next := 0, 0; t < s.Iterations; t += seen {
		if t >= next {
			count, next = count+1, next+f.every
		}
	}
	if f.renderer, err = render.New(render.Options{Width: filmSide, Height: filmSide, Samples: 4}); err != nil {
		return err
	}
	box := scenes.Box{Max: [3]float64{s.Side, 0, s.Side}}
	view := camera.Options{Orthographic: true}
	if s.Dim == 3 {
		box.Max[1] = s.Side
		view = camera.Options{Azimuth: 30, Elevation: 20}
	}
	if f.camera, err = camera.Fit(box, filmSide, filmSide, view); err != nil {
		return err
	}
	walls := boxEdges(s.Side, s.Dim)
	f.mesh.Block = scenes.MakeBlock(2*s.Particles + len(walls))
	f.mesh.Colors = make([]uint32, f.mesh.Len())
	for k, triangle := range walls {
		f.mesh.Set(2*s.Particles+k, triangle)
		f.mesh.Colors[2*s.Particles+k] = wallColor
	}
	f.animation, err = f.encoder.Animate(f.out, filmSide, filmSide, count, 0, nil)
	return err
}

// drawFrame draws the particles of iteration t. It does nothing if the last frame was less than f.every iterations ago.
func (f *film) drawFrame(t int, y *System, owner []int32) error {
	if f == nil || t < f.nextFrame {
		return nil
	}
	f.nextFrame += f.every
	f.updateMesh(y, owner)
	if _, err := f.renderer.Frame(context.Background(), &f.mesh, f.camera, &f.picture); err != nil {
		return fmt.Errorf("draw iteration %d: %w", t, err)
	}
	return f.animation.Frame(f.picture.Pix, 4*f.picture.Width, png.Delay{Num: 1, Den: filmDelay})
}

// updateMesh makes a diamond of two triangles for every particle, facing the viewer. In the picture z is up, so a
// particle's second coordinate becomes z.
func (f *film) updateMesh(y *System, owner []int32) {
	// With this size the diamonds of all particles together have half the area of the box.
	size := f.setup.Side / math.Sqrt(float64(y.Len())) / 2
	for i := range y.Len() {
		at := [3]float64{y.At[0][i], 0, y.At[1][i]}
		if y.Dim == 3 {
			at[1] = y.At[2][i]
		}
		corner := func(dx, dz float64) [3]float32 {
			return [3]float32{float32(at[0] + dx*size), float32(at[1]), float32(at[2] + dz*size)}
		}
		f.mesh.Set(2*i, [3][3]float32{corner(-1, 0), corner(0, -1), corner(1, 0)})
		f.mesh.Set(2*i+1, [3][3]float32{corner(-1, 0), corner(1, 0), corner(0, 1)})
		c := colorOf(owner[i])
		f.mesh.Colors[2*i], f.mesh.Colors[2*i+1] = c, c
	}
}

// colorOf returns a colour for an owner. The hues of successive owners differ by 0.618 (the golden section) of the
// circle of hues, and there are three brightnesses. So owners with neighbouring numbers have clearly different colours.
func colorOf(owner int32) uint32 {
	hue := math.Mod(float64(owner)*0.6180339887, 1) * 6
	value := []float64{230, 170, 200}[owner%3]
	var c uint32
	for k := range 3 {
		// Each primary colour, as a function of the hue, is a ramp up, a plateau and a ramp down.
		d := math.Abs(math.Mod(hue+6-float64(2*k)+3, 6) - 3)
		c = c<<8 | uint32(value*(0.25+0.75*min(1, max(0, 2-d))))
	}
	return c
}

// commit finishes the film and gives the file its final name.
func (f *film) commit() error {
	if f == nil {
		return nil
	}
	if err := f.animation.Close(); err != nil {
		return err
	}
	f.renderer.Close()
	f.renderer = nil
	return f.out.Commit()
}

// abort removes the file if it was not committed.
func (f *film) abort() {
	if f == nil {
		return
	}
	if f.renderer != nil {
		f.renderer.Close()
	}
	f.out.Abort()
}

// boxEdges returns thin strips of two triangles each along the edges of the box. A box in the plane has 4 strips, in
// the plane of x and z. A box in space has 24 strips, two for each edge. The two are at right angles, so an edge is
// visible from any direction.
func boxEdges(side float64, dim int) (strips [][3][3]float32) {
	axes := []int{0, 2}
	if dim == 3 {
		axes = []int{0, 1, 2}
	}
	for _, along := range axes {
		var across []int
		for _, a := range axes {
			if a != along {
				across = append(across, a)
			}
		}
		for corner := range 1 << len(across) {
			var from [3]float64
			for k, a := range across {
				from[a] = side * float64(corner>>k&1)
			}
			for _, a := range across {
				strips = append(strips, edgeStrip(from, along, a, side)...)
			}
		}
	}
	return strips
}

// edgeStrip returns the two triangles of a strip that starts at from. Its length is in the direction of axis `along`,
// and its width in the direction of axis `wide`. Both are numbers of axes.
func edgeStrip(from [3]float64, along, wide int, side float64) [][3][3]float32 {
	width := side / 400 // about a pixel
	var c [4][3]float32
	for k := range c {
		at := from
		at[along] += side * float64(k>>1)
		at[wide] += width * (float64(k&1) - 0.5)
		c[k] = [3]float32{float32(at[0]), float32(at[1]), float32(at[2])}
	}
	return [][3][3]float32{{c[0], c[1], c[2]}, {c[2], c[1], c[3]}}
}
