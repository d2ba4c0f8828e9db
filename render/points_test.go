package render_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/scenes"
	"lockstep/vp/trace"
)

// gridSide is the number of rows of a grid of points. With as many columns, the grid has more than two units of 4096
// points.
const gridSide = 95

// gridColors hold all extremes of a channel, and different values in each channel.
var gridColors = []uint32{0, 0xffffff, 0xff0000, 0x00ff00, 0x0000ff, 0x010000, 0x000100, 0x000001, 0xfe8040, 0x4080fe, 0x80fe40, 0x123456}

// gridCloud returns side times side points in a plane, in a random order, and a camera. In a picture that is several
// times as wide as side, every point has a pixel of its own. All lengths are multiplied by size.
func gridCloud(side int, size float64) (*scenes.Points, render.Camera) {
	p := &scenes.Points{Size: float32(1e-4 * size)}
	for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(side * side) {
		p.X = append(p.X, float32(size*(float64(i%side)/float64(side)-0.5)))
		p.Z = append(p.Z, float32(size*(float64(i/side)/float64(side)-0.5)))
		p.Y = append(p.Y, 0)
		p.Colors = append(p.Colors, gridColors[i%len(gridColors)])
	}
	half := size / 2
	box := scenes.Box{Min: [3]float64{-half, -half, -half}, Max: [3]float64{half, half, half}}
	cam := render.Camera{Target: box.Center(), Box: box, Magnification: 0.9 / size, Orthographic: true}
	cam.Eye, cam.Forward, cam.Right, cam.Up = mgl64.Vec3{0, -2 * size, 0}, mgl64.Vec3{0, 1, 0}, mgl64.Vec3{1, 0, 0}, mgl64.Vec3{0, 0, 1}
	cam.SetDepthRange(size, 3*size)
	return p, cam
}

var pointLooks = map[string]render.Options{
	"headlight": {},
	"studio":    {Light: render.LightStudio},
	"smooth":    {Light: render.LightStudio, Shading: render.ShadingSmooth},
	"default":   render.Options{}.Studio(),
}

// TestPointColors compares each point of a cloud of many colours with the same point of a cloud in a single colour,
// which the option Color sets.
func TestPointColors(t *testing.T) {
	p, cam := gridCloud(gridSide, 1)
	shown, _ := drawn(t, p, cam, render.Options{Width: 300, Height: 300, Light: render.LightStudio, Triangles: true})
	for name, o := range pointLooks {
		o.Width, o.Height, o.Workers = 300, 300, 2
		got, stats := drawn(t, p, cam, o)
		if stats.Covered != int64(len(p.X)) {
			t.Fatalf("%s: %d pixels are covered, expected %d", name, stats.Covered, len(p.X))
		}
		for _, color := range gridColors {
			o.Color = render.RGB(color)
			want, _ := drawn(t, p, cam, o)
			checked, one := 0, []byte(nil)
			for i, n := range shown.Triangles {
				if n == render.NoTriangle {
					continue
				}
				a, b := got.Pix[4*i:4*i+4], want.Pix[4*i:4*i+4]
				if p.Colors[int(n)/scenes.PointTriangles] == color {
					if checked++; !bytes.Equal(a, b) {
						t.Fatalf("%s: a point of colour %06x is %v, want %v", name, color, a, b)
					}
				}
				if one == nil {
					one = b
				} else if name != "default" && !bytes.Equal(b, one) { // here, the background is visible beside points
					t.Fatalf("%s: all points in the colour %06x are %v and %v", name, color, b, one)
				}
			}
			if checked < 700 {
				t.Errorf("%s: %d points of colour %06x", name, checked, color)
			}
		}
	}
}

// TestPointsOfAnySize draws the same cloud in three sizes. Points are lit by means of a triangle. In single precision,
// that triangle must not become too small.
func TestPointsOfAnySize(t *testing.T) {
	for name, o := range pointLooks {
		o.Width, o.Height, o.Workers, o.Normals = 300, 300, 2, o.Light == render.LightStudio
		p, cam := gridCloud(gridSide, 1)
		want, _ := drawn(t, p, cam, o)
		for _, size := range []float64{1e-5, 1e5} {
			p, cam := gridCloud(gridSide, size)
			got, stats := drawn(t, p, cam, o)
			worst := 0.0
			for i := range got.Pix {
				worst = max(worst, math.Abs(float64(got.Pix[i])-float64(want.Pix[i])))
			}
			for i, n := range got.Normals {
				if d := (mgl64.Vec3{float64(n[0]), float64(n[1]), float64(n[2])}).Sub(mgl64.Vec3{float64(want.Normals[i][0]), float64(want.Normals[i][1]), float64(want.Normals[i][2])}); d.Len() > 1e-6 {
					t.Fatalf("%s: %g as large: normal %v, want %v", name, size, n, want.Normals[i])
				}
			}
			if stats.Covered != int64(len(p.X)) || worst > 1 {
				t.Errorf("%s: %g as large: %d pixels are covered, a channel differs by %v", name, size, stats.Covered, worst)
			}
		}
	}
}

// TestTraceOfPoints checks that the trace of a cloud is the same for any number of workers, and that a trace does not
// change the picture or the counts. Frames after a traced or timed frame must be neither traced nor timed.
func TestTraceOfPoints(t *testing.T) {
	p, cam := gridCloud(300, 1) // the cloud has 22 units
	o := render.Options{Width: 300, Height: 300}
	var first []trace.Step
	for _, o.Workers = range []int{1, 2, 3} {
		want, wantStats := drawn(t, p, cam, o)
		got, stats, steps := traced(t, p, cam, o)
		if err := same(got, want, stats, wantStats); err != nil || stats.Loops != wantStats.Loops {
			t.Fatalf("%d workers: %v, loops %+v, want %+v", o.Workers, err, stats.Loops, wantStats.Loops)
		}
		checkOrder(t, "points", steps)
		if first == nil {
			first = steps
		}
		if len(steps) == 0 || steps[len(steps)-1].Block != (len(p.X)-1)/4096 || !slices.Equal(steps, first) {
			t.Fatalf("%d workers: %d steps of blocks to %d", o.Workers, len(steps), steps[len(steps)-1].Block)
		}
	}
	r := newRenderer(t, o)
	count := 0
	for _, on := range []bool{true, true, false} {
		count = 0
		setTrace(t, r, nil)
		if on {
			setTrace(t, r, func(trace.Step) error { count++; return nil })
		}
		if _, err := r.Frame(t.Context(), p, cam, new(render.Picture)); err != nil || on != (count == len(first)) {
			t.Errorf("traced %v: %d steps, %v", on, count, err)
		}
	}
	for _, on := range []bool{false, true, false} {
		options := r.Options()
		options.TimeBlocks = on
		if err := r.SetOptions(options); err != nil {
			t.Fatal(err)
		}
		before := slices.Clone(r.BlockSeconds())
		if _, err := r.Frame(t.Context(), p, cam, new(render.Picture)); err != nil {
			t.Fatal(err)
		}
		if now := r.BlockSeconds(); on != (len(now) > 0 && !slices.Equal(now, before)) {
			t.Errorf("timed %v: the times are %v, before %v", on, now, before)
		}
	}
}

// TestPointsCalledOff cancels a frame while it draws its first unit. The other units must not be drawn.
func TestPointsCalledOff(t *testing.T) {
	p, cam := gridCloud(gridSide, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	last := 0
	o := render.Options{Width: 300, Height: 300, Workers: 1}
	o.Trace = func(s trace.Step) error {
		cancel()
		last = s.Block
		return nil
	}
	r := newRenderer(t, o)
	if _, err := r.Frame(ctx, p, cam, new(render.Picture)); !errors.Is(err, context.Canceled) || last != 0 {
		t.Errorf("error %v, the last block is %d", err, last)
	}
}
