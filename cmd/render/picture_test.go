package main

import (
	"encoding/json"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
	"lockstep/render"
	"lockstep/render/recipe"
)

// pictureFile reads a PNG file of a folder.
func pictureFile(t *testing.T, dir, name string) image.Image {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return img
}

// TestCameraOfPicture checks that the camera of a picture draws the same picture again, in both projections.
func TestCameraOfPicture(t *testing.T) {
	dir := t.TempDir()
	for _, projection := range []string{"perspective", "orthographic"} {
		base := "scene:gear?triangles=1000 -s 96x64 --samples 1 --projection " + projection
		run(t, dir, "", strings.Fields(base+" --view 50,-20 --zoom 1.3 -o a.png")...).Want(t, cli.Done)
		run(t, dir, "", strings.Fields(base+" --camera a.png -o b.png")...).Want(t, cli.Done)
		a, b := pictureFile(t, dir, "a.png"), pictureFile(t, dir, "b.png")
		differ := 0
		for y := range 64 {
			for x := range 96 {
				if a.At(x, y) != b.At(x, y) {
					differ++
				}
			}
		}
		if differ > 20 { // depths are rounded differently in a few pixels
			t.Errorf("%s: %d pixels differ", projection, differ)
		}
	}
	camera, _ := json.Marshal(map[string]any{"eye": []float64{0, -10, 0}, "target": []float64{0, 0, 0}, "up": []float64{1, 0, 0}, "projection": "orthographic", "height": 4})
	if err := os.WriteFile(filepath.Join(dir, "c.json"), camera, 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "", "scene:cube", "-s", "64", "--camera", "c.json", "-o", "c.png").Want(t, cli.Done)
	for name, content := range map[string]string{
		"empty.json": "{}", "bad.json": "{", "unknown.json": `{"eye":[0,0,0],"target":[1,1,1],"iso":1}`, "height.json": `{"eye":[0,0,0],"target":[1,1,1],"height":1}`,
		"short.png": "\x89PNG\r\n\x1a\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		run(t, dir, "", "scene:cube", "-s", "64", "--camera", name, "-o", "d.png").Want(t, cli.Input, name)
	}
	run(t, dir, "", "scene:cube", "-s", "64", "--camera", "missing.json", "-o", "d.png").Want(t, cli.Input, "missing.json")
}

// TestCropAndTrim checks that a crop equals that part of the whole picture, and that a trimmed picture has no empty
// rows and columns at its borders.
func TestCropAndTrim(t *testing.T) {
	dir := t.TempDir()
	base := "scene:cube --fast --projection orthographic --view front --color ff0000 "
	run(t, dir, "", strings.Fields(base+"-s 200x100 -o whole.png")...).Want(t, cli.Done)
	run(t, dir, "", strings.Fields(base+"-s 200x100 --crop 40,20,80x60 -o part.png --ids ids.png")...).Want(t, cli.Done)
	whole, part := pictureFile(t, dir, "whole.png"), pictureFile(t, dir, "part.png")
	if part.Bounds() != image.Rect(0, 0, 80, 60) {
		t.Fatalf("the part is %v", part.Bounds())
	}
	for y := range 60 {
		for x := range 80 {
			if part.At(x, y) != whole.At(x+40, y+20) {
				t.Fatalf("pixel %d,%d: %v, want %v", x, y, part.At(x, y), whole.At(x+40, y+20))
			}
		}
	}
	run(t, dir, "", strings.Fields(base+"-s 200x100 --trim -o trimmed.png --coverage c.png")...).Want(t, cli.Done)
	for _, name := range []string{"trimmed.png", "c.png"} {
		if b := pictureFile(t, dir, name).Bounds(); b != image.Rect(0, 0, 90, 90) {
			t.Errorf("%s is %v", name, b)
		}
	}
}

// TestSection checks that a cut through the middle of a cube has the colour of --section-color, with any look.
func TestSection(t *testing.T) {
	dir := t.TempDir()
	for _, look := range []string{"", " --fast", " --color ffffff", " --edges --shading flat"} {
		run(t, dir, "", strings.Fields("scene:cube -s 64 --view front --section y=50% --section-color 00ff00 -o a.png"+look)...).Want(t, cli.Done)
		r, g, b, _ := pictureFile(t, dir, "a.png").At(32, 32).RGBA()
		if g < 2*r || g < 2*b {
			t.Errorf("%q: %x %x %x", look, r, g, b)
		}
	}
	run(t, dir, "", "scene:cube", "-s", "64", "--section", "z<-100", "-o", "b.png").Want(t, cli.Blank, "leaves nothing", "box -1,-1,-1,1,1,1")
	run(t, dir, "", "scene:cube", "-s", "64", "--clip-box", "0,0,0,10,10,10", "-o", "c.png").Want(t, cli.Done)
	run(t, dir, "", "scene:cube", "-s", "64", "-o", "c.gif").Want(t, cli.Usage, "render animate")
}

// TestAdd checks the positions and colours of added meshes.
func TestAdd(t *testing.T) {
	dir := t.TempDir()
	run(t, dir, "", strings.Fields("scene:cube -s 128x64 --view front --projection orthographic --color 0000ff --add scene:cube:color=ff0000:scale=1:move=4,0,0 -o a.png --parts p.png")...).Want(t, cli.Done)
	a, p := pictureFile(t, dir, "a.png"), pictureFile(t, dir, "p.png")
	r, _, b, _ := a.At(30, 32).RGBA()
	r2, _, b2, _ := a.At(98, 32).RGBA()
	if b < 2*r || r2 < 2*b2 {
		t.Errorf("left %x %x, right %x %x", r, b, r2, b2)
	}
	_, _, left, _ := p.At(30, 32).RGBA()
	_, _, right, _ := p.At(98, 32).RGBA()
	if left>>8 != 1 || right>>8 != 2 {
		t.Errorf("parts %d and %d", left>>8, right>>8)
	}
	run(t, dir, "", "scene:cube", "--add", "missing.stl", "-o", "b.png").Want(t, cli.Input, "missing.stl")
}

// TestFieldOfSomeMeshes checks that a field colours only the meshes that have it. Other meshes, meshes with a colour
// and cuts keep their own colours. The legend must not list them as parts without numbers.
func TestFieldOfSomeMeshes(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, filepath.Join(dir, "wave.ply"), string(clitest.Read(t, "../../testdata/wave.ply")))
	clitest.Write(t, filepath.Join(dir, "lime.obj"), "mtllib m.mtl\nusemtl m\nv 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nf 1 2 3 4\n")
	clitest.Write(t, filepath.Join(dir, "m.mtl"), "newmtl m\nKd 0 1 0\n")
	look := strings.Fields(" -s 90x30 -q --view top --projection orthographic --fit box --occlusion off --samples 1 -o a.png")
	for _, c := range []struct{ flags, colors string }{ // colours of the left, the middle and the right mesh
		{"wave.ply --field height --add scene:cube:color=red:scale=3:move=6,0,0 --add lime.obj:scale=3:move=9,-3,0", "field red green"},
		{"wave.ply --field height --add wave.ply:color=red:move=6,0,0 --add wave.ply:move=12,0,0", "field red field"},
		{"scene:cube --add wave.ply:scale=0.33333:move=2,0,0 --add lime.obj:move=3,-1,0 --field height --color red", "plain field green"},
	} {
		run(t, dir, "", append(strings.Fields(c.flags+" --isa generic"), look...)...)
		generic := pictureFile(t, dir, "a.png")
		run(t, dir, "", append(strings.Fields(c.flags), look...)...)
		img := pictureFile(t, dir, "a.png")
		if !samePixels(img, generic) {
			t.Errorf("%s: another picture without vectors", c.flags)
		}
		for i, want := range strings.Fields(c.colors) {
			r, g, b, _ := img.At(18+27*i, 15).RGBA()
			got := "field" // the middle of the wave is green with some red
			switch {
			case r > 2*g && r > 2*b:
				got = "red"
			case g > 4*r && g > 4*b:
				got = "green"
			case b > g:
				got = "plain"
			}
			if got != want {
				t.Errorf("%s: mesh %d is %s (%x %x %x), want %s", c.flags, i, got, r>>8, g>>8, b>>8, want)
			}
		}
	}
	draw := func(name string, more ...string) image.Image {
		args := append(strings.Fields("wave.ply --field height --legend -s 300x200 -q --occlusion off --background white --no-ground"), more...)
		run(t, dir, "", append(args, "-o", name)...).Want(t, cli.Done)
		return pictureFile(t, dir, name)
	}
	one, two := draw("one.png"), draw("two.png", "--add", "scene:cube:scale=2")
	for y := range 200 {
		for x := 255; x < 300; x++ {
			if one.At(x, y) != two.At(x, y) {
				t.Fatalf("the legend differs at %d,%d", x, y)
			}
		}
	}
}

// TestContactSheet checks that a sheet shows all views of one mesh.
func TestContactSheet(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []string{"4", "7"} {
		run(t, dir, "", "scene:cube", "-s", "160x96", "--contact-sheet", n, "-o", "a.png").Want(t, cli.Done)
		img := pictureFile(t, dir, "a.png")
		if img.Bounds() != image.Rect(0, 0, 160, 96) {
			t.Fatalf("%v", img.Bounds())
		}
		// The iso view is in the upper right corner.
		if r, _, _, _ := img.At(120, 24).RGBA(); r>>8 > 0xd0 {
			t.Errorf("%s views: nothing in the iso view", n)
		}
	}
}

// TestConfig checks that flags have precedence over a configuration, and that tables of a configuration have precedence
// over its other lines.
func TestConfig(t *testing.T) {
	dir := t.TempDir()
	text := "size = [96, 64]\nedges = true\nsamples = 1\nsection = [\"z=50%\", \"x<1\"]\n[image]\nsize = \"48x32\"\n[animate]\nframes = 2\nturntable = true\n"
	if err := os.WriteFile(filepath.Join(dir, "c.toml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for size, flags := range map[image.Point]string{{X: 48, Y: 32}: "", {X: 20, Y: 10}: " -s 20x10"} {
		run(t, dir, "", strings.Fields("--config c.toml scene:cube -o a.png"+flags)...).Want(t, cli.Done)
		if b := pictureFile(t, dir, "a.png").Bounds(); b.Max != size {
			t.Errorf("%q: %v", flags, b)
		}
	}
	run(t, dir, "", strings.Fields("animate --config c.toml scene:cube -o turn")...).Want(t, cli.Done)
	if b := pictureFile(t, dir, "turn/cube_0001.png").Bounds(); b.Max != (image.Point{X: 96, Y: 64}) {
		t.Errorf("a frame of %v", b)
	}
	for content, says := range map[string]string{"sizes = 1": "sizes", "size = ": "line 1", "size = [1,2,3]": "WxH", "[info]\njson = true": "[info]"} {
		if err := os.WriteFile(filepath.Join(dir, "bad.toml"), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		run(t, dir, "", "--config", "bad.toml", "scene:cube", "-o", "b.png").Want(t, cli.Usage, says)
	}
}

// TestMotions draws films of keyframes and of a turntable, and checks that damaged files are named.
func TestMotions(t *testing.T) {
	dir := t.TempDir()
	keys := `[{"frame":0,"eye":[9,-9,5]},{"frame":2,"eye":[0,-9,3],"target":[0,0,0.2],"fov":20,"zoom":1.5}]`
	if err := os.WriteFile(filepath.Join(dir, "k.json"), []byte(keys), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "", strings.Fields("animate --keyframes k.json --frames 3 -s 32 scene:cube -o k")...).Want(t, cli.Done)
	run(t, dir, "", strings.Fields("animate --turntable --eye 5,5,5 --frames 4 -s 32 --samples 1 scene:cube -o o")...).Want(t, cli.Done)
	// After half a turn a cube looks the same, apart from its light.
	a, b := pictureFile(t, dir, "o/cube_0000.png"), pictureFile(t, dir, "o/cube_0002.png")
	background := a.At(0, 0)
	for y := range 32 {
		for x := range 32 {
			if (a.At(x, y) == background) != (b.At(x, y) == background) {
				t.Fatalf("pixel %d,%d", x, y)
			}
		}
	}
	for name, content := range map[string]string{"e.json": `[{"frame":1}]`, "s.json": "[", "u.json": `[{"eye":[1,1,1],"roll":3}]`, "o.json": `[{"frame":1,"eye":[1,1,1]},{"frame":0,"eye":[1,1,1]}]`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		run(t, dir, "", "animate", "--keyframes", name, "--frames", "2", "-s", "32", "scene:cube", "-o", "x").Want(t, cli.Input, name)
	}
}

// TestShell checks that completions and the manual contain the flags.
func TestShell(t *testing.T) {
	dir := t.TempDir()
	for _, args := range []string{"completion bash", "completion zsh", "completion fish", "man"} {
		r := run(t, dir, "", strings.Fields(args)...)
		r.Want(t, cli.Done)
		text := strings.ReplaceAll(r.Stdout, "\\-", "-")
		for _, flag := range []string{"turntable", "section", "colormap", "contact-sheet", "fps"} {
			if !strings.Contains(text, "-"+flag) && !strings.Contains(text, "-l "+flag) {
				t.Errorf("%s lacks --%s", args, flag)
			}
		}
	}
	run(t, dir, "", "thumbnailer").Want(t, cli.Done)
	for line := range strings.Lines(run(t, dir, "", "man").Stdout) {
		if strings.HasPrefix(line, " ") {
			t.Errorf("the manual is indented: %q", line)
		}
	}
}

// TestCompletions lets bash complete words, if it is installed.
func TestCompletions(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	script := run(t, dir, "", "completion", "bash").Stdout
	for _, c := range []struct{ words, want string }{
		{"render ani", "animate"},
		{"render completion z", "zsh"},
		{"render help li", "limits lines"},
		{"render --color fa", "facing"},
		{"render --background no", "none"},
		{"render --line-color tomat", "tomato"},
		{"render image --projection = o", "orthographic"}, // bash separates words at =
		{"render animate --projection =", "perspective orthographic"},
		{"render --contact-sheet 7", "7"},
		{"render --stats j", "json"},
		{"render --up -", "-x -y -z"},
		{"render animate --turn", "--turntable"},
	} {
		command := exec.Command(bash, "--norc", "-c", script+"\nCOMP_WORDS=("+c.words+"); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _render; echo ${COMPREPLY[*]}")
		command.Dir = dir
		out, err := command.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != c.want {
			t.Errorf("%s: %q, want %q; %v", c.words, got, c.want, err)
		}
	}
}

// TestColorNames checks that colours can be given by name, in upper or lower case, and in hexadecimal.
func TestColorNames(t *testing.T) {
	for text, want := range map[string]render.RGB{
		"orange": 0xffa500, "Tomato": 0xff6347, "grey": 0x808080, "lime": 0x00ff00, "green": 0x008000, "#fa0": 0xffaa00, "12ab9F": 0x12ab9f,
	} {
		if got, ok := recipe.ParseColor(text); !ok || got != want {
			t.Errorf("%s: %06x, %v, want %06x", text, got, ok, want)
		}
	}
	for _, text := range []string{"bluish", "fa0", "#12345", "1234567", ""} {
		if _, ok := recipe.ParseColor(text); ok {
			t.Errorf("%q is a colour", text)
		}
	}
}

// TestConfigBlamed checks that the message names the configuration if and only if the wrong value comes from there.
func TestConfigBlamed(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, filepath.Join(dir, "bad.toml"), "samples = 3\nsize = \"big\"\nshading = \"gouraud\"\n")
	for _, c := range []struct{ args, begins string }{
		{"--config bad.toml -s 16", "render: bad.toml: --"},
		{"--config=bad.toml --samples 1 --size 16", "render: bad.toml: --shading must"},
		{"--config bad.toml --samples 1 --shading flat", "render: bad.toml: --size: "},
		{"--config bad.toml --samples 1 --shading flat -s small", "render: --size: "},
		{"--config bad.toml --samples 1 --shading flat -ssmall", "render: --size: "},
		{"--config bad.toml -s 16 --shading flat --samples=5", "render: --samples: "},
	} {
		r := run(t, dir, "", append(strings.Fields(c.args), "scene:cube", "-o", "a.png")...)
		if r.Want(t, cli.Usage); !strings.HasPrefix(r.Stderr, c.begins) {
			t.Errorf("%s: %s", c.args, r.Stderr)
		}
	}
}
