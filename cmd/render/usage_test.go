package main

import (
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// usageErrors are wrong command lines, and words that their messages must contain. MESH stands for an existing mesh.
var usageErrors = []struct{ args, says string }{
	{"", "mesh"},
	{"image", "mesh"},
	{"MESH another.stl", "another.stl"},
	{"MESH --nonsense", "--nonsense"},
	{"MESH --size 0x10", "--size"},
	{"MESH --size 10x-1", "--size"},
	{"MESH --size -5", "--size"},
	{"MESH --size 10x10x10", "--size"},
	{"MESH --size 99999x10", "--size"},
	{"MESH --size 9999999999999999999999x1", "--size"},
	{"MESH --size 20000 --samples 4 -o a.bmp", "--samples 4"},
	{"animate MESH --turntable --frames 2 -o d --size 20000 --samples 4", "--samples 4"},
	{"MESH --size ten", "--size"},
	{"MESH --view nowhere", "--view"},
	{"MESH --view 10", "--view"},
	{"MESH --view 10,91", "elevation"},
	{"MESH --view 10,-90.5", "elevation"},
	{"MESH --view NaN,0", "--view"},
	{"MESH --view 0,Inf", "--view"},
	{"MESH --view", "--view"},
	{"MESH --zoom 0", "--zoom"},
	{"MESH --zoom -2", "--zoom"},
	{"MESH --zoom NaN", "--zoom"},
	{"MESH --zoom inf", "--zoom"},
	{"MESH --zoom 1e300", "zoom"},
	{"MESH --up w", "--up"},
	{"MESH --up -w", "--up"},
	{"MESH --up +-z", "--up"},
	{"MESH --up ++z", "--up"},
	{"MESH --dpi 0", "--dpi"},
	{"MESH --dpi 99999", "1 to 10000"},
	{"MESH --dpi many", "--dpi"},
	{"MESH --up --quiet", "--up"},
	{"MESH --fov 0", "--fov"},
	{"MESH --fov 180", "0.001 to 179 degrees"},
	{"MESH --fov 179.5", "0.001 to 179 degrees"},
	{"MESH --fov 0.0009", "0.001 to 179 degrees"},
	{"MESH --fov 1e-30", "--fov"},
	{"MESH --fov -30", "0.001 to 179 degrees"},
	{"MESH --fov NaN", "--fov"},
	{"MESH --projection fisheye", "--projection"},
	{"MESH --shading phong", "--shading"},
	{"MESH --color redd", "--color"},
	{"MESH --color #cc", "--color"},
	{"MESH --color #ggg", "--color"},
	{"MESH --background #ffff", "--background"},
	{"MESH --color ccc", "--color"},
	{"MESH --color +ccccc", "--color"},
	{"MESH --color none", "--color"},
	{"MESH --background source", "--background"},
	{"MESH --cull sides", "--cull"},
	{"MESH --cull", "--cull: expected a value (see"},
	{"MESH --cull --fast", `--cull: expected a value, not "--fast"`},
	{"MESH --samples 3", "--samples"},
	{"MESH --samples many", "--samples"},
	{"MESH --workers -1", `--workers: "-1": expected 0 to 1024`},
	{"MESH --workers 100000", "--workers"},
	{"MESH --workers two", "expected 0 to 1024"},
	{"MESH --isa mmx", "--isa"},
	{"MESH --balance sometimes", "--balance"},
	{"MESH --stats xml", `--stats: "xml": expected text or json`},
	{"MESH --trace=", "--trace"},
	{"MESH -o a.png --trace a.png", "would replace"},
	{"MESH --trace MESH", "would replace"},
	{"MESH -o - --trace -", "standard output takes one of them"},
	{"MESH --progress often", "--progress"},
	{"MESH --strict --lenient", "--strict"},
	{"MESH -o", "--output"},
	{"MESH -o --quiet", "--output"},
	{"MESH --output=", "--output"},
	{"MESH -o picture", "extension"},
	{"MESH -o picture.gif", ".gif"},
	{"MESH -o picture.jp2", "png"},
	{"MESH --depth d.jpg -o picture.png", ".tif"},
	{"MESH --target 0,0,0", "--eye"},
	{"MESH --eye 0,0", "X,Y,Z"},
	{"MESH --range 0,1", "--field"},
	{"MESH --field heat", "no numbers"},
	{"MESH --field heat --colormap rainbow", "viridis"},
	{"MESH --color facing --light headlight", "studio"},
	{"MESH --depth d.gif", ".gif"},
	{"MESH -s 16385x2 --fast -o a.webp", "16384x16384"},
	{"animate MESH --turntable --frames 2 -s 16385x2 --fast -o a.webp", "16384x16384"},
	{"MESH -o a.exr", "--depth"},
	{"MESH --normals n.tif", ".exr"},
	{"MESH --normals n.foo", "n.foo: expected .png or .exr"},
	{"MESH --depth d.foo", "d.foo: expected .png, .tif or .exr"},
	{"MESH --field f --range 1,0", "lower number first"},
	{"MESH --ids i.jpg", ".exr"},
	{"MESH --ids i.png --light headlight", "--light studio"},
	{"MESH --crop 10,10,100x100 -s 64", "--crop"},
	{"MESH --crop 10,10", "X,Y,WxH"},
	{"MESH --section w=3", "z=5"},
	{"MESH --section 0,0,0=3", "z=5"},
	{"MESH --section z=many", "z=5"},
	{"MESH --clip-box 0,0,0,1,1,0", "X0,Y0,Z0"},
	{"MESH --section-color bluish", "open"},
	{"MESH --legend", "--field"},
	{"MESH --line-width -1", "0 to 100"},
	{"MESH --camera a.json --eye 1,2,3", "--camera"},
	{"MESH --add a.stl:color=bluish", ":color="},
	{"MESH --add a.stl:scale=0", ":scale="},
	{"MESH --add -", "--add"},
	{"MESH --contact-sheet 5", "4 or 7"},
	{"MESH --contours 5", "--field"},
	{"MESH --contours 0", "1 to 1000"},
	{"MESH --dimension 1,2,3", "X0,Y0,Z0,X1,Y1,Z1"},
	{"MESH --contact-sheet 4 --eye 1,2,3", "--contact-sheet"},
	{"MESH --contact-sheet 4 --depth d.png", "--contact-sheet"},
	{"MESH --config missing.toml", "missing.toml"},
	{"completion", "bash, zsh or fish"},
	{"completion tcsh", "tcsh"},
	{"MESH -o a.png --depth a.png", "a.png"},
	{"MESH -o - --depth -", "standard output takes one of them"},
	{"MESH -o MESH --format png", "would replace"},
	{"MESH -o a.png --format jp2", "--format"},
	{"MESH --depth=", "--depth"},
	{"-", "standard input has no name to call the picture after: give -o FILE"},
	{"scene:nonsense", "nonsense"},
	{"scene:?triangles=2", "scene"},
	{"help nonsense", "there is help for image, animate, info, diff, view, convert, prepare, look, view"},
	{"scene:sphere?triangles=many", "triangles"},
	{"animate MESH", "-o DIR is missing"},
	{"animate MESH --turntable --frames 0 -o d", "--frames"},
	{"animate MESH --turntable --frames -3 -o d", "--frames"},
	{"animate MESH --turntable --frames 99999999 -o d", "--frames"},
	{"animate MESH --turntable --frames 2", "-o DIR"},
	{"animate MESH --turntable --frames 2 -o -", "-o DIR"},
	{"animate MESH --turntable --frames 2 -o a.avi", ".avi"},
	{"animate MESH --turntable --frames 2 -o d --fps 10", "--fps is for films"},
	{"animate MESH --turntable --frames 2 -o a.png --fps 0", "--fps"},
	{"animate MESH --turntable --frames 2 -o a.png --resume", "--resume"},
	{"animate MESH --turntable --frames 2 -o a_##_##.png", "one place"},
	{"animate MESH --turntable --frames 2 -o a_##.gif", ".png"},
	{"info", "mesh"},
	{"info MESH --nonsense", "--nonsense"},
	{"info MESH --size 3x3", "--size"},
	{"animate MESH --frames x", "(see render animate --help)"},
	{"bench tables", "go run ./bench EXPERIMENT"},
	{"help bench", "go run ./bench EXPERIMENT"},
	{"film MESH -o d", "renderfarm film"},
	{"node", "renderfarm node"},
	{"serve", "renderfarm serve"},
}

func TestUsageErrors(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	for _, c := range usageErrors {
		args := strings.Fields(strings.ReplaceAll(c.args, "MESH", mesh))
		r := run(t, dir, "", args...)
		if r.Code != int(cli.Usage) || r.Stdout != "" {
			t.Errorf("render %s: exit code %d, standard output %q, want %d and nothing", c.args, r.Code, r.Stdout, cli.Usage)
		}
		if !strings.Contains(r.Stderr, c.says) {
			t.Errorf("render %s: standard error lacks %q: %s", c.args, c.says, r.Stderr)
		}
	}
	r := run(t, dir, "", "")
	r.Want(t, cli.Usage, "mesh", "expected a name")
	clitest.WantFiles(t, dir)
}

func TestHelpAndVersion(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ args, says string }{
		{"--help", "Exit codes"},
		{"image --help", "--samples"},
		{"animate --help", "--turntable"},
		{"info --help", "--json"},
		{"--version", cli.Version},
	} {
		r := run(t, dir, "", strings.Fields(c.args)...)
		r.Want(t, cli.Done)
		if !strings.Contains(r.Stdout, c.says) || r.Stderr != "" {
			t.Errorf("render %s: standard output lacks %q or standard error is not empty: %q, %q", c.args, c.says, r.Stdout, r.Stderr)
		}
	}
}

// TestFlagPlaces checks that flags may be anywhere on the command line.
func TestFlagPlaces(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	want := ""
	for _, args := range [][]string{
		{"image", "--size", "64x48", "--view", "-30,20", "--up", "-x", mesh, "-o", "-"},
		{"--size", "64x48", "--view", "-30,20", "--up", "-x", "-o", "-", mesh},
		{mesh, "-s64x48", "--view=-30,20", "--up=-x", "-o-"},
		{"-s", "64,48", mesh, "--view=330,20", "--up=-x", "-o", "-"},
		{"-q", "--output=-", "--size=64x48", "--view", "-30,20", "--up", "-x", "--", mesh},
	} {
		r := run(t, dir, "", args...)
		r.Want(t, cli.Done)
		pixels := fmtPixels(t, r.Stdout)
		if want == "" {
			want = pixels
		}
		if pixels != want {
			t.Errorf("%q: another picture", args)
		}
	}
	clitest.WantFiles(t, dir)
}
