package render

import (
	"bytes"
	"flag"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"lockstep/scenes"
)

// gridCloud returns points in rows and columns of a square, as seen from -y. up returns the distance of each point
// along y.
func gridCloud(side int, up func(x, z float64) float64) *scenes.Points {
	p := &scenes.Points{Size: 1.8 / float32(side)}
	for i := range side * side {
		x, z := 2*float64(i%side)/float64(side)-1, 2*float64(i/side)/float64(side)-1
		p.X, p.Y, p.Z = append(p.X, float32(x)), append(p.Y, float32(-up(x, z))), append(p.Z, float32(z))
	}
	return p
}

// frontCamera looks along y at a cloud of size 2, from a distance.
func frontCamera(distance float64, orthographic bool) Camera {
	box := scenes.Box{Min: [3]float64{-1, -1, -1}, Max: [3]float64{1, 1, 1}}
	c := Camera{Target: box.Center(), Box: box, Magnification: 0.4 * distance, Orthographic: orthographic}
	c.Eye, c.Forward, c.Right, c.Up = [3]float64{0, -distance, 0}, [3]float64{0, 1, 0}, [3]float64{1, 0, 0}, [3]float64{0, 0, 1}
	if orthographic {
		c.Magnification = 0.4
	}
	c.SetDepthRange(distance-1, distance+1)
	return c
}

// domePicture draws a cloud, and returns the picture and the row of values through its middle.
func domePicture(t *testing.T, p *scenes.Points, cam Camera, o Options) (*Picture, []byte) {
	t.Helper()
	o.Width, o.Height, o.Light, o.Workers = 200, 200, LightStudio, 2
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	pic := new(Picture)
	if _, err := r.Frame(t.Context(), p, cam, pic); err != nil {
		t.Fatal(err)
	}
	row := make([]byte, o.Width)
	for x := range row {
		row[x] = pic.Pix[4*(o.Width*101+x)]
	}
	return pic, row
}

// domeCameras returns one camera for each of the three methods by which levels are computed.
func domeCameras() map[string]Camera {
	return map[string]Camera{"perspective": frontCamera(6, false), "orthographic": frontCamera(6, true), "distant": frontCamera(500, false)}
}

// TestEyeDomePlane checks that a plane that faces the eye keeps its colour, in each kind of view and look.
func TestEyeDomePlane(t *testing.T) {
	p := gridCloud(300, func(_, _ float64) float64 { return 0 })
	for name, cam := range domeCameras() {
		for _, o := range []Options{{}, {Samples: 4, Shading: ShadingSmooth}} {
			plain, _ := domePicture(t, p, cam, o)
			o.EyeDome = true
			pic, _ := domePicture(t, p, cam, o)
			if !bytes.Equal(pic.Pix, plain.Pix) {
				t.Errorf("%s, %d samples: a plane gets darker", name, o.Samples)
			}
		}
	}
}

// TestEyeDomeStep checks that eye-dome light darkens only the farther surface at a step. A slope of 45 degrees must be
// equally dark in every type of view.
func TestEyeDomeStep(t *testing.T) {
	step := gridCloud(300, func(x, _ float64) float64 { return math.Copysign(0.2, x) })
	slope := gridCloud(500, func(x, _ float64) float64 { return x })
	for name, cam := range domeCameras() {
		_, plain := domePicture(t, step, cam, Options{})
		_, row := domePicture(t, step, cam, Options{EyeDome: true})
		for x := range row {
			beside := x >= 100-4 && x < 100+4
			if row[x] > plain[x] || !beside && row[x] != plain[x] {
				t.Errorf("%s: %d at %d, without eye-dome light %d", name, row[x], x, plain[x])
			}
		}
		if least := min(row[97], row[98], row[99]); int(least) > int(plain[97])*3/4 {
			t.Errorf("%s: the far side of a step has %d of %d", name, least, plain[97])
		}
		if row[102] != plain[102] {
			t.Errorf("%s: the near side of a step gets darker", name)
		}
		mean := 0.0
		_, row = domePicture(t, slope, cam, Options{EyeDome: true})
		for _, v := range row[60:140] {
			mean += float64(v) / 80 / float64(plain[50])
		}
		if mean < 0.8 || mean > 0.93 {
			t.Errorf("%s: a slope has %.3f of its light", name, mean)
		}
	}
}

// TestEyeDomeIsOfClouds checks that eye-dome light does not change the picture of a mesh.
func TestEyeDomeIsOfClouds(t *testing.T) {
	mesh, err := scenes.Load(t.Context(), testCloud(300, 0.1), scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cam := cloudCameras()["perspective"]
	var want []byte
	for _, on := range []bool{false, true} {
		r, err := New(Options{Width: 100, Height: 80, Light: LightStudio, EyeDome: on, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		var pic Picture
		if _, err := r.Frame(t.Context(), mesh, cam, &pic); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = pic.Pix
		}
		if !bytes.Equal(pic.Pix, want) {
			t.Error("another picture")
		}
		r.Close()
	}
}

// TestGoldenCloud compares a cloud in the look of the command with the golden picture.
func TestGoldenCloud(t *testing.T) {
	p := gridCloud(400, func(x, z float64) float64 {
		return 0.3*math.Sin(5*x)*math.Cos(4*z) + math.Copysign(0.1, math.Sin(11*x+2))
	})
	o := Options{Width: 320, Height: 180}.Studio()
	o.Workers = 2
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var pic Picture
	if _, err := r.Frame(t.Context(), p, frontCamera(6, false), &pic); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("..", "testdata", "golden", "studio-cloud.png")
	if flag.Lookup("update").Value.String() == "true" {
		var b bytes.Buffer
		if err := png.Encode(&b, &image.NRGBA{Pix: pic.Pix, Stride: 4 * pic.Width, Rect: image.Rect(0, 0, pic.Width, pic.Height)}); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	for i := range pic.Width * pic.Height {
		r, g, b, _ := want.At(i%pic.Width, i/pic.Width).RGBA()
		if p := pic.Pix[4*i:]; byte(r>>8) != p[0] || byte(g>>8) != p[1] || byte(b>>8) != p[2] {
			t.Fatalf("pixel %d,%d is %v, want %v", i%pic.Width, i/pic.Width, p[:4], want.At(i%pic.Width, i/pic.Width))
		}
	}
}
