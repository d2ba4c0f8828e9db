package recipe_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/camera"
	pngfile "lockstep/render/png"
	"lockstep/render/recipe"
)

// A filmed is an animation with the cameras and the texts of its frames.
type filmed struct {
	animation recipe.Animation
	drawing   *recipe.Drawing
	origin    mgl64.Vec3
	cams      []render.Camera
	views     []recipe.View
	texts     []map[string]string // by keyword
}

// filmOf returns the animation of a long bar far away from the origin.
func filmOf(t *testing.T, flags string, a recipe.Animation) (f filmed) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "bar.obj")
	var obj strings.Builder
	for i := range 8 {
		fmt.Fprintln(&obj, "v", 1000000.31+10*float64(i&1), -2000000.31+float64(i>>1&1), 500000.31+2*float64(i>>2))
	}
	obj.WriteString("f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n")
	if err := os.WriteFile(file, []byte(obj.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := recipe.Parse(append(strings.Fields(flags), "--up=z", "--size=64x48", file))
	if err != nil {
		t.Fatal(err)
	}
	a.Picture = p
	f.animation = a.Full()
	var d recipe.Drawer
	if f.drawing, err = d.Start(t.Context(), p, false, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.drawing.Close)
	in := f.drawing.Input
	if f.origin = in.Source.Info().Origin; f.origin == (mgl64.Vec3{}) {
		t.Fatal("the file has no origin of its own")
	}
	if f.cams, f.views, err = d.Cameras(t.Context(), a, in); err != nil {
		t.Fatal(err)
	}
	for k, cam := range f.cams {
		f.texts = append(f.texts, map[string]string{})
		for _, text := range p.FrameText(in, cam, f.views[k]) {
			f.texts[k][text.Keyword] = text.Value
		}
	}
	return f
}

// picture returns the recipe in the text of frame k.
func (f *filmed) picture(t *testing.T, k int) (p recipe.Picture) {
	t.Helper()
	if err := json.Unmarshal([]byte(f.texts[k][recipe.TextKey]), &p); err != nil {
		t.Fatal(err)
	}
	p.Meshes[0].File = f.animation.Picture.Meshes[0].File // texts leave out folders
	return p
}

// toEye returns the unit vector from the target to the eye.
func toEye(v recipe.View) mgl64.Vec3 {
	sinA, cosA := math.Sincos(v.Azimuth * math.Pi / 180)
	sinE, cosE := math.Sincos(v.Elevation * math.Pi / 180)
	return mgl64.Vec3{sinA * cosE, -cosA * cosE, sinE}
}

// TestMotions compares the cameras of animations with the directions in which the eye must stand, and with the
// directions that the texts of the frames state. All cameras that turn around the bar are equally far away, and so far
// that it fits into every frame.
func TestMotions(t *testing.T) {
	const frames, azimuth, elevation = 5, 12., 34.
	turned := func(k int) recipe.View {
		return recipe.View{Azimuth: azimuth + 360*float64(k)/frames, Elevation: elevation}
	}
	along := func(place func(az, el, part float64) (float64, float64)) func(k int) recipe.View {
		return func(k int) (v recipe.View) {
			v.Azimuth, v.Elevation = place(azimuth, elevation, float64(k)/frames)
			return v
		}
	}
	for _, c := range []struct {
		motion, flags string
		view          func(k int) recipe.View
	}{
		{"turntable", "", turned},
		{"turntable", "--projection=orthographic --fit=box", turned},
		{"orbit", "", along(camera.Circle)},
		{"orbit", "--fit=box", along(camera.Circle)},
		{"views", "", along(camera.Sphere(frames))},
		{"still", "", func(int) recipe.View { return recipe.View{Azimuth: azimuth, Elevation: elevation} }},
	} {
		f := filmOf(t, fmt.Sprintf("--view=%v,%v %s", azimuth, elevation, c.flags), recipe.Animation{Motion: c.motion, Frames: frames})
		name := c.motion + " " + c.flags
		if len(f.cams) != frames || len(f.views) != frames {
			t.Fatalf("%s: %d cameras, %d directions", name, len(f.cams), len(f.views))
		}
		fullest := 0.0
		for k, cam := range f.cams {
			want := c.view(k)
			if away := cam.Eye.Sub(cam.Target).Normalize().Sub(toEye(want)).Len(); away > 1e-6 {
				t.Errorf("%s: frame %d is seen from %v, want %v", name, k, cam.Eye.Sub(cam.Target).Normalize(), toEye(want))
			}
			if got := f.views[k]; math.Abs(got.Azimuth-want.Azimuth)+math.Abs(got.Elevation-want.Elevation) > 1e-9 {
				t.Errorf("%s: frame %d has the direction %v, want %v", name, k, got, want)
			}
			if text := fmt.Sprintf(" view=%.9g,%.9g", want.Azimuth, want.Elevation); !strings.HasSuffix(f.texts[k][recipe.CameraKey], text) {
				t.Errorf("%s: frame %d states %q, want%s", name, k, f.texts[k][recipe.CameraKey], text)
			}
			first := f.cams[0]
			if d := cam.Eye.Sub(cam.Target).Len() / first.Eye.Sub(first.Target).Len(); !cam.Orthographic && math.Abs(d-1) > 1e-9 || math.Abs(cam.Magnification/first.Magnification-1) > 1e-9 {
				t.Errorf("%s: the eye of frame %d is %g times as far away as the first, or magnifies otherwise", name, k, d)
			}
			fullest = max(fullest, f.fills(&cam))
		}
		if least := map[string]float64{"still": 0.8}[c.motion]; fullest > 1 || fullest < max(least, 0.6) {
			t.Errorf("%s: the bar fills %.3f of the picture", name, fullest)
		}
	}
}

// fills returns the share of the picture that the bar fills along the side where it comes nearest to the edge.
func (f *filmed) fills(cam *render.Camera) (most float64) {
	const width, height = 64, 48
	box := f.drawing.Input.Box
	for i := range 8 {
		p := mgl64.Vec3(box.Min)
		for axis := range 3 {
			if i>>axis&1 == 1 {
				p[axis] = box.Max[axis]
			}
		}
		x, y, _ := cam.Project(p, width, height)
		most = max(most, math.Abs(2*x/width-1), math.Abs(2*y/height-1))
	}
	return most
}

// TestMotionsFromPlaces checks the cameras of animations that begin where the recipe says: a turntable keeps the size
// and the shift of its first frame, keyframes are in coordinates of the file, and the eye of a fly-by moves to the
// right.
func TestMotionsFromPlaces(t *testing.T) {
	place := "--eye=1000030,-2000040,500020 --target=1000004,-1999999,500001 --camera-shift=0.05,-0.1"
	for _, c := range []struct{ motion, flags string }{
		{"turntable", ""}, {"still", ""}, {"turntable", "--projection=orthographic --camera-height=20"},
	} {
		f := filmOf(t, place+" "+c.flags, recipe.Animation{Motion: c.motion, Frames: 4})
		target, away := mgl64.Vec3{1000004, -1999999, 500001}, mgl64.Vec3{26, -41, 19}
		for k, cam := range f.cams {
			want := away
			for range k * map[string]int{"turntable": 1}[c.motion] { // a quarter turn, counter-clockwise
				want = mgl64.Vec3{-want[1], want[0], want[2]}
			}
			if got := cam.Eye.Add(f.origin).Sub(target); got.Sub(want).Len() > 1e-4 {
				t.Errorf("%s %s: eye of frame %d at %v from the target, want %v", c.motion, c.flags, k, got, want)
			}
			if cam.ShiftX != 0.05 || cam.ShiftY != -0.1 || cam.Orthographic && math.Abs(20*cam.Magnification-1) > 1e-9 {
				t.Errorf("%s %s: frame %d has the shift %g, %g and the magnification %g", c.motion, c.flags, k, cam.ShiftX, cam.ShiftY, cam.Magnification)
			}
		}
	}
	key := func(frame float64, eye, target recipe.Point, zoom float64) recipe.Keyframe {
		return recipe.Keyframe{Frame: frame, Eye: &eye, Target: target, Zoom: zoom}
	}
	keys := []recipe.Keyframe{
		key(0, recipe.Point{1000030, -2000040, 500020}, recipe.Point{1000004, -1999999, 500001}, 1), key(3, recipe.Point{999970, -2000030, 500030}, recipe.Point{1000006, -2000001, 500000}, 2),
	}
	f := filmOf(t, "", recipe.Animation{Keyframes: keys})
	for _, k := range keys {
		cam := f.cams[int(k.Frame)]
		eye, ahead := cam.Eye.Add(f.origin), mgl64.Vec3(k.Target).Sub(mgl64.Vec3(*k.Eye)).Normalize()
		if eye.Sub(mgl64.Vec3(*k.Eye)).Len() > 1e-4 || cam.Forward.Sub(ahead).Len() > 1e-6 || math.Abs(cam.Magnification/f.cams[0].Magnification/k.Zoom-1) > 1e-9 {
			t.Errorf("keyframe %g: eye %v looking along %v, want %v and %v", k.Frame, eye, cam.Forward, *k.Eye, ahead)
		}
	}
	f = filmOf(t, "--view=0,0", recipe.Animation{Motion: "flyby", Frames: 4})
	for k := range f.cams[1:] {
		if step := f.cams[k+1].Eye.Sub(f.cams[k].Eye); step[0] < 1 || math.Abs(step[1])+math.Abs(step[2]) > 1e-6 {
			t.Errorf("fly-by: frame %d is %v from the frame before", k+1, step)
		}
	}
}

// TestFramesFromTheirRecipes draws animations, and each frame again as a single picture from the recipe in its file.
// The pixels must be the same, and so must the text, except that a frame states the direction of its motion.
func TestFramesFromTheirRecipes(t *testing.T) {
	eye := recipe.Point{1000030, -2000040, 500020}
	for _, c := range []struct {
		flags     string
		animation recipe.Animation
	}{
		{"--view=12,34", recipe.Animation{Motion: "turntable", Frames: 3}},
		{"--view=12,34 --projection=orthographic --fit=box", recipe.Animation{Motion: "turntable", Frames: 3}},
		{"--eye=1000030,-2000040,500020 --camera-shift=0.05,-0.1", recipe.Animation{Motion: "turntable", Frames: 3}},
		{"--zoom=1.3 --fov=41", recipe.Animation{Motion: "orbit", Frames: 3}},
		{"--view=0,30 --fov=80", recipe.Animation{Motion: "flyby", Frames: 4}},
		{"--fast", recipe.Animation{Motion: "views", Frames: 3}},
		{"", recipe.Animation{Frames: 3, Keyframes: []recipe.Keyframe{
			{Eye: &eye, Target: recipe.Point{1000004, -1999999, 500001}},
			{Frame: 2, Eye: &recipe.Point{999970, -2000030, 500030}, Target: recipe.Point{1000006, -2000001, 500000}, Fov: 33.3, Zoom: 1.7},
		}}},
	} {
		f := filmOf(t, c.flags, c.animation)
		var before []byte
		err := new(recipe.Drawer).Frames(t.Context(), f.animation, recipe.Output{}, func(k int, file []byte) error {
			for keyword, value := range f.texts[k] {
				if keyword != recipe.ContentsKey && !bytes.Contains(file, []byte(keyword+"\x00"+value)) {
					t.Errorf("%s, frame %d: the file lacks %s %s", c.flags, k, keyword, value)
				}
			}
			pix := pixels(t, file)
			if again := f.again(t, k); !bytes.Equal(again.Pix, pix) {
				t.Errorf("%s, frame %d: its recipe gives another picture", c.flags, k)
			}
			if bytes.Equal(pix, before) {
				t.Errorf("%s: frame %d shows the same as the frame before", c.flags, k)
			}
			before = pix
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// pixels returns the pixels of a PNG file with straight alpha.
func pixels(t *testing.T, file []byte) []byte {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	straight := image.NewNRGBA(img.Bounds())
	draw.Draw(straight, straight.Rect, img, image.Point{}, draw.Src)
	return straight.Pix
}

// again draws the recipe of frame k as a single picture.
func (f *filmed) again(t *testing.T, k int) *render.Picture {
	t.Helper()
	p := f.picture(t, k)
	g, err := new(recipe.Drawer).Start(t.Context(), p, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	pic := new(render.Picture)
	cam, _, err := g.Fitted(t.Context(), func(cam render.Camera) (render.Stats, error) {
		return g.Frame(t.Context(), g.Input.Source, cam, pic)
	})
	if err != nil {
		t.Fatal(err)
	}
	if p.Look.Samples == 0 { // single pictures have more samples than frames, unless they say how many
		t.Errorf("frame %d does not state its number of samples", k)
	}
	cam.Aspect = f.cams[k].Aspect
	if cam != f.cams[k] {
		t.Errorf("frame %d: its recipe gives the camera %+v, want %+v", k, cam, f.cams[k])
	}
	text := p.Text(g.Input, cam, f.views[k])
	at := slices.IndexFunc(text, func(x pngfile.Text) bool { return x.Keyword == recipe.TextKey })
	if text[at].Value != f.texts[k][recipe.TextKey] {
		t.Errorf("frame %d: drawn again, the recipe is %s, want %s", k, text[at].Value, f.texts[k][recipe.TextKey])
	}
	return pic
}
