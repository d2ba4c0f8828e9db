package render

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/cloud"
	"lockstep/render/internal/parts"
	"lockstep/scenes"
	"lockstep/vp/isa/isatest"
)

// testCloud returns points in a cube around the origin, with colours. Some points coincide, and some are not finite.
func testCloud(n int, size float32) *scenes.Points {
	r := rand.New(rand.NewPCG(3, uint64(n)))
	p := &scenes.Points{X: make([]float32, n), Y: make([]float32, n), Z: make([]float32, n), Colors: make([]uint32, n), Size: size}
	for i := range n {
		p.X[i], p.Y[i], p.Z[i] = 2*r.Float32()-1, 2*r.Float32()-1, 2*r.Float32()-1
		p.Colors[i] = r.Uint32() & 0xffffff
		switch {
		case i%10 == 9: // two points with equal depths
			p.X[i], p.Y[i], p.Z[i] = p.X[i-1], p.Y[i-1], p.Z[i-1]
		case i == 55:
			p.X[i] = float32(math.NaN())
		case i == 56:
			p.Z[i] = float32(math.Inf(-1))
		}
	}
	return p
}

// slowCloud draws discs sample by sample, directly by their definition. It returns the number of the point that each
// sample shows, or -1.
func slowCloud(p *scenes.Points, cam *Camera, o *Options) []int {
	v := cam.internal().Geometry(o.screen())
	shown, nearest := make([]int, int(v.Width)*int(v.Height)), make([]float32, int(v.Width)*int(v.Height))
	for i := range shown {
		shown[i] = -1
	}
	for i := range p.X {
		at, inverse, ok := v.Place(p.X[i], p.Y[i], p.Z[i])
		if !ok {
			continue
		}
		radius := math.Floor(float64(cloud.RadiusOf(&v, p.Size)*inverse) + 0.5)
		reach := int(radius)/array.Sub + 2
		px, py := int(at.X>>array.SubBits), int(at.Y>>array.SubBits)
		for y := max(py-reach, 0); y <= min(py+reach, int(v.Height)-1); y++ {
			for x := max(px-reach, 0); x <= min(px+reach, int(v.Width)-1); x++ {
				dx, dy := float64(x*array.Sub+array.Half-int(at.X)), float64(y*array.Sub+array.Half-int(at.Y))
				// The left end of a row belongs to the disc, and the right end does not. Half a chord is rounded down to whole
				// subpixels.
				half := math.Floor(math.Sqrt(max(radius*radius-dy*dy, 0)))
				covered := math.Abs(dy) <= radius && dy < radius && dx >= -half && dx < half
				if radius < 184 {
					covered = x == px && y == py
				}
				k := y*int(v.Width) + x
				if covered && (shown[k] < 0 || at.E > nearest[k]) {
					shown[k], nearest[k] = i, at.E
				}
			}
		}
	}
	return shown
}

func cloudCamera(box scenes.Box) Camera {
	c := Camera{Target: box.Center(), Box: box, Magnification: 1.8}
	c.Eye = mgl64.Vec3(c.Target).Add(mgl64.Vec3{3, -8, 3})
	c.Forward = c.Target.Sub(c.Eye).Normalize()
	c.Right = c.Forward.Cross(mgl64.Vec3{0, 0, 1}).Normalize()
	c.Up = c.Right.Cross(c.Forward)
	c.SetDepthRange(2, 20)
	return c
}

func cloudCameras() map[string]Camera {
	box := scenes.Box{Min: [3]float64{-1, -1, -1}, Max: [3]float64{1, 1, 1}}
	deep, inside := cloudCamera(box), cloudCamera(box)
	inside.Eye = inside.Eye.Mul(0.05)
	inside.SetDepthRange(-1, 2)
	flat := deep
	flat.Orthographic, flat.Magnification = true, 0.3
	flat.SetDepthRange(5, 13)
	far := deep // from this distance, the row E of the view computes the nearness
	far.Eye, far.Magnification = deep.Eye.Mul(100), 200
	d := far.Eye.Len()
	far.SetDepthRange(d-2, d+2)
	return map[string]Camera{"perspective": deep, "within": inside, "orthographic": flat, "distant": far}
}

// TestCloudDiscs compares pictures with discs that are drawn sample by sample. Points are smaller than a sample to
// forty pixels wide, and the eye may be among the points.
func TestCloudDiscs(t *testing.T) {
	for name, cam := range cloudCameras() {
		for _, c := range []struct {
			points, samples int
			size            float32
		}{{2000, 1, 1e-4}, {500, 1, 0.02}, {500, 4, 0.005}, {60, 1, 0.3}, {100, 16, 0.05}} {
			p := testCloud(c.points, c.size)
			o := Options{Width: 150, Height: 110, Samples: c.samples, Light: LightStudio, Triangles: true, Workers: 2}
			r, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			var pic Picture
			stats, err := r.Frame(t.Context(), p, cam, &pic)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if in := stats.Triangles.In; in != int64(c.points) {
				t.Errorf("%s: %d points in, expected %d", name, in, c.points)
			}
			o, _ = o.Check()
			shown, covered := slowCloud(p, &cam, &o), int64(0)
			for i := range pic.Triangles {
				x, y := i%o.Width*o.grid(), i/o.Width*o.grid()
				seen := map[uint32]bool{}
				for dy := range o.grid() {
					for dx := range o.grid() {
						if n := shown[(y+dy)*o.Width*o.grid()+x+dx]; n >= 0 {
							seen[uint32(n*scenes.PointTriangles)] = true
						}
					}
				}
				if len(seen) > 0 {
					covered++
				} else {
					seen[NoTriangle] = true
				}
				if !seen[pic.Triangles[i]] {
					t.Fatalf("%s, %d points of size %g, %d samples: pixel %d shows %d, expected one of %v", name, c.points, c.size, c.samples, i, pic.Triangles[i], seen)
				}
			}
			if stats.Covered != covered || covered < 50 {
				t.Errorf("%s, size %g, %d samples: %d pixels are covered, expected %d", name, c.size, c.samples, stats.Covered, covered)
			}
			r.Close()
		}
	}
}

// TestCloudSameBits draws a cloud in every look with 1 to 8 workers, every instruction set and policy, and in parts.
// All pictures must have the same bytes.
func TestCloudSameBits(t *testing.T) {
	p, cam := testCloud(9001, 0.02), cloudCameras()["perspective"]
	looks := map[string]Options{
		"headlight": {},
		"studio":    {Light: LightStudio},
		"colour":    {Light: LightStudio, Color: RGB(0x3366cc), Samples: 4},
		"dome":      {Light: LightStudio, EyeDome: true, Background: RGB(0xf0f0f0)},
		"default":   Options{}.Studio(),
		"occluded":  {Light: LightStudio, Shading: ShadingSmooth, Occlusion: true, Samples: 4},
		"smooth":    {Light: LightStudio, Shading: ShadingSmooth, Samples: 16, Depth: true, Normals: true},
	}
	for name, o := range looks {
		o.Width, o.Height = 211, 147
		var want Picture
		for _, level := range isatest.Levels(t) {
			for _, workers := range []int{1, 2, 8} {
				o.Workers, o.ISA, o.Balance = workers, level.String(), Balance(workers%3)
				r, err := New(o)
				if err != nil {
					t.Fatal(err)
				}
				var pic, timed Picture
				if _, err := r.Frame(t.Context(), p, cam, &pic); err != nil {
					t.Fatal(err)
				}
				if want.Pix == nil {
					want = pic
				}
				same := func(what string, of *Picture) {
					if !bytes.Equal(of.Pix, want.Pix) || !slices.Equal(of.Depth, want.Depth) || !slices.Equal(of.Normals, want.Normals) {
						t.Errorf("%s, %v, %d workers, %s: another picture", name, level, workers, what)
					}
				}
				same("whole", &pic)
				times := r.Options()
				times.TimeBlocks = true
				if err := r.SetOptions(times); err != nil {
					t.Fatal(err)
				}
				if _, err := r.Frame(t.Context(), p, cam, &timed); err != nil {
					t.Fatal(err)
				}
				same("timed", &timed)
				if n := len(r.BlockSeconds()); n != scenes.NumBlocks(p) {
					t.Errorf("%s: %d blocks were timed, expected %d", name, n, scenes.NumBlocks(p))
				}
				rows := Picture{}
				for lo := 0; lo < o.Height; lo += 48 {
					var part Picture
					hi := min(lo+48, o.Height)
					if _, err := r.Part(t.Context(), p, cam, parts.Part{Rows: &[2]int{lo, hi}}, &part); err != nil {
						t.Fatal(err)
					}
					rows.Pix, rows.Depth, rows.Normals = append(rows.Pix, part.Pix...), append(rows.Depth, part.Depth...), append(rows.Normals, part.Normals...)
				}
				same("rows", &rows)
				r.Close()
			}
		}
	}
}

// TestCloudLight compares a cloud with its octahedra. Points and octahedra are so large that both cover the same area.
// In flat pictures, points must be as bright as octahedra are on average.
func TestCloudLight(t *testing.T) {
	p := &scenes.Points{X: []float32{0}, Y: []float32{0}, Z: []float32{0}, Colors: []uint32{0x808080}, Size: 0.5}
	mesh, err := scenes.Load(t.Context(), p, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]Options{"headlight": {}, "studio": {Light: LightStudio}} {
		o.Width, o.Height, o.Workers = 300, 300, 1
		r, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		cam := cloudCameras()["orthographic"]
		mean := func(s scenes.Source) (area int64, light float64) {
			var pic Picture
			stats, err := r.Frame(t.Context(), s, cam, &pic)
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i < len(pic.Pix); i += 4 {
				if pic.Pix[i+3] != 0 {
					light += math.Pow(float64(pic.Pix[i])/255, 2.2) / float64(stats.Covered)
				}
			}
			return stats.Covered, light
		}
		area, light := mean(p)
		wantArea, want := mean(mesh)
		if math.Abs(light/want-1) > 0.02 {
			t.Errorf("%s: a disc is %.4f bright, an octahedron %.4f", name, light, want)
		}
		if ratio := float64(area) / float64(wantArea); ratio < 0.85 || ratio > 1.15 {
			t.Errorf("%s: a disc covers %d pixels, an octahedron %d", name, area, wantArea)
		}
		r.Close()
	}
}

// TestCloudCalledOff cancels a frame before it begins, and checks that the next frame is complete. The picture of an
// empty cloud must be blank.
func TestCloudCalledOff(t *testing.T) {
	p, cam := testCloud(5000, 0.02), cloudCameras()["perspective"]
	r, err := New(Options{Width: 200, Height: 100, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var want, again Picture
	if _, err := r.Frame(t.Context(), p, cam, &want); err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Frame(gone, p, cam, &again); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := r.Frame(t.Context(), p, cam, &again); err != nil || !bytes.Equal(again.Pix, want.Pix) {
		t.Error("another picture", err)
	}
	if _, err := r.Frame(t.Context(), &scenes.Points{Size: 1}, cam, &again); !errors.Is(err, ErrBlank) {
		t.Error(fmt.Sprint("an empty cloud: ", err))
	}
}

// TestCloudOf checks that the triangle by which points are lit faces the camera, and is a quarter to a half as wide as
// the cloud.
func TestCloudOf(t *testing.T) {
	for _, side := range []float64{1e-5, 0.3, 1, 7, 1e5} {
		cam := cloudCamera(scenes.Box{Max: [3]float64{side, side / 2, side / 3}})
		c := cloudOf(&scenes.Points{}, &cam)
		for name, of := range map[string][2]mgl64.Vec3{
			"right": {{float64(c.Right[0]), float64(c.Right[1]), float64(c.Right[2])}, cam.Right},
			"up":    {{float64(c.Up[0]), float64(c.Up[1]), float64(c.Up[2])}, cam.Up},
		} {
			if width := 2 * of[0].Len() / side; of[0].Normalize().Sub(of[1]).Len() > 1e-6 || width < 0.2499 || width > 0.5001 {
				t.Errorf("side %g, %s: %v along %v, %g as wide as the cloud", side, name, of[0], of[1], width)
			}
		}
	}
}
