package main

import (
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
	"lockstep/internal/pictureflags"
)

// counting lists flags of image and animate. Beside any other flag, such a flag has an effect or is refused as a
// contradiction. All other flags are in unheededLines.
const counting = `recipe dump-recipe still camera-up camera-height camera-shift camera-json part-color only hide
add axes background balance bounds clip clip-box camera config contact-sheet contours coverage crop cull depth dimension dpi edges explain
eye eye-dome fast field flyby fps frames ground help ids isa keyframes leaves legend lenient light material max-memory max-triangles metallic normals
occlusion orbit output parts point-size progress quiet range record-loads recursive resume roughness samples scale-bar sheet section shading size
stats strict target time trace trim turntable up version views wireframe with workers`

// unheededLines are commands with a flag that has no effect: the picture is the same without it, and one line says
// why. NAME stands for the name of the output without its extension.
var unheededLines = []struct{ args, flag, why string }{
	{"MESH", "--unit mm", "no length is written"},
	{"MESH --eye 50,40,30", "--view top", "--eye places the eye"},
	{"MESH --camera all.json", "--view 10,10", "--camera places the eye"},
	{"MESH --contact-sheet 4", "--view top", "--contact-sheet has views"},
	{"animate MESH --keyframes keys.json --frames 1", "--view top", "--keyframes places"},
	{"MESH --contact-sheet 4", "--fit tight", "have one scale"},
	{"MESH --contact-sheet 4", "--projection perspective", "is orthographic"},
	{"MESH --contact-sheet 4", "--fov 70", "orthographic"},
	{"wave.ply --field height", "--legend-title x", "--legend"},
	{"MESH --sheet 1 -o NAME.png", "--label x", "names of meshes"},
	{"MESH", "--first-angle", "--contact-sheet"},
	{"MESH --eye 50,40,30", "--fit box", "--eye places the eye"},
	{"animate MESH --keyframes keys.json --frames 1", "--fit box", "--keyframes places"},
	{"animate MESH --flyby --frames 1", "--fit box", "--flyby"},
	{"MESH --camera all.json", "--zoom 3", "--camera has its own"},
	{"MESH --camera all.json", "--fov 70", "--camera has its own"},
	{"MESH --camera all.json", "--projection orthographic", "--camera has its own"},
	{"MESH --camera parallel.json", "--zoom 3", "--camera has its own"},
	{"MESH --camera parallel.json", "--fov 70", "orthographic"},
	{"MESH --projection orthographic", "--fov 70", "orthographic"},
	{"MESH", "--colormap magma", "--field"},
	{"MESH --shading flat", "--crease 9", "smooth shading"},
	{"MESH --fast", "--crease 9", "smooth shading"},
	{"MESH --light headlight", "--crease 9", "smooth shading"},
	{"MESH", "--section-color red", "no cut"},
	{"MESH --label x", "--line-width 5", "no lines"},
	{"MESH --ground", "--line-color red", "no lines and no text"},
	{"scene:cube", "--format png,stl", "a scene is no file"},
	{"animate scene:cube --turntable --frames 1", "--format stl", "a scene is no file"},
	{"MESH -o NAME.jpg", "--small", "PNG and WebP"},
	{"animate MESH --turntable --frames 2 -o NAME.gif", "--small", "PNG and WebP"},
	{"MESH --light headlight", "--shading smooth", "it is flat"},
	{"MESH --light headlight", "--occlusion on", "it is off"},
	{"MESH --light headlight", "--eye-dome on", "it is off"},
	{"MESH --light headlight", "--material metal", "shows none"},
	{"MESH --light headlight", "--metallic 1", "shows none"},
	{"MESH --color facing", "--roughness 0.5", "shows none"},
	{"wave.ply --field height", "--material glass", "--field colours"},
	{"wave.ply --field height", "--color red", "--field colours"},
	{"wave.ply --field height", "--against scene:cube", "--field colours"},
	{"MESH --against scene:cube", "--color red", "--against colours"},
}

// heeded are command lines on which every flag has an effect.
var heeded = []string{
	"MESH --against scene:cube --unit mm --colormap grey --range -1,1 --legend",
	"MESH --unit mm --bounds", "MESH --unit mm --dimension -5,0,0,5,0,0 --line-width 2",
	"wave.ply --field height --legend --legend-title heat",
	"wave.ply --field height --contours 5 --line-width 2 --line-color red",
	"MESH --unit in --scale-bar",
	"MESH --camera plain.json --zoom 2 --up x --projection orthographic",
	"MESH --camera all.json --up x", // --up still sets the direction of the lights
	"MESH --eye 50,40,30 --zoom 2 --fov 50 --up x",
	"wave.ply --field height --colormap magma --range 0,1 --legend --line-width 2 --line-color red",
	"MESH --shading flat --edges --crease 9 --line-width 2",
	"MESH --section z=5 --section-color red --label x --line-color blue",
	"MESH --clip-box 0,0,0,5,5,15 --section-color red",
	"MESH --format png,stl --small",
	"MESH -o NAME.webp --small",
	"animate MESH --turntable --frames 2 -o NAME.apng --small --fit box --view top",
	"animate MESH --turntable --frames 2 -o NAME.webp --small",
	"animate MESH --turntable --frames 1 --format stl --small --zoom 2",
	"animate MESH --flyby --frames 1 --view right --zoom 2 --up x",
	"animate MESH --keyframes keys.json --frames 1 --zoom 2 --fov 50",
	"scene:cube --format png",
	"scene:cube -o NAME/ --small",
	"MESH --config plain.toml",
}

func TestUnheeded(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	clitest.Write(t, filepath.Join(dir, "wave.ply"), string(clitest.Read(t, "../../testdata/wave.ply")))
	clitest.Write(t, filepath.Join(dir, "all.json"), `{"eye":[50,40,30],"target":[0,0,10],"fov":40,"zoom":1.3,"up":[0,0,1],"projection":"perspective"}`)
	clitest.Write(t, filepath.Join(dir, "plain.json"), `{"eye":[50,40,30],"target":[0,0,10]}`)
	clitest.Write(t, filepath.Join(dir, "parallel.json"), `{"eye":[50,40,30],"target":[0,0,10],"projection":"orthographic","height":40}`)
	clitest.Write(t, filepath.Join(dir, "keys.json"), `[{"frame":0,"eye":[50,40,30]},{"frame":2,"eye":[60,40,30]}]`)
	clitest.Write(t, filepath.Join(dir, "plain.toml"), "colormap = \"magma\"\nline-width = 3\n")
	draw := func(line, name string) (clitest.Result, []byte) {
		if !strings.Contains(line, " -o ") {
			line += map[bool]string{true: " -o NAME_#.png", false: " -o NAME.png"}[strings.HasPrefix(line, "animate")]
		}
		args := strings.Fields(strings.NewReplacer("MESH", mesh, "NAME", name).Replace(line))
		file := args[len(args)-1]
		for i, arg := range args {
			if arg == "-o" {
				file = strings.Replace(args[i+1], "#", "0", 1)
			}
		}
		r := run(t, dir, "", append(args, "-s", "48x40", "--workers", "1")...)
		r.Want(t, cli.Done)
		if strings.HasSuffix(file, "/") {
			return r, nil
		}
		return r, clitest.Read(t, filepath.Join(dir, file))
	}
	for _, c := range unheededLines {
		r, with := draw(c.args+" "+c.flag, "with")
		name, _, _ := strings.Cut(c.flag, " ")
		if strings.Count(r.Stderr, "\n") != 1 || !strings.HasPrefix(r.Stderr, "render: warning: "+name) || !strings.Contains(r.Stderr, "is ignored: ") || !strings.Contains(r.Stderr, c.why) {
			t.Errorf("%s %s: %q, want a line with %q", c.args, c.flag, r.Stderr, c.why)
		}
		if _, without := draw(c.args, "without"); !samePicture(t, with, without) {
			t.Errorf("%s %s: counts", c.args, c.flag)
		}
	}
	for _, line := range heeded {
		if r, _ := draw(line, "heeded"); r.Stderr != "" {
			t.Errorf("%s: %q", line, r.Stderr)
		}
	}
	for line, want := range map[string]string{
		"--flyby --eye 1,2,3":                       "--eye",
		"--keyframes keys.json --camera plain.json": "--camera",
		"--orbit --eye 1,2,3":                       "--eye",
	} {
		run(t, dir, "", append([]string{"animate", mesh, "--frames", "1", "-o", "d"}, strings.Fields(line)...)...).Want(t, cli.Usage, want)
	}
}

// TestEveryFlagIsDecided checks that every flag of image and animate either always has an effect or is in a rule.
func TestEveryFlagIsDecided(t *testing.T) {
	decided := map[string]bool{}
	for name := range strings.FieldsSeq(counting) {
		decided[name] = true
	}
	for _, r := range new(pictureflags.Draw).Rules(pictureflags.RuleContext{}) {
		for name := range strings.FieldsSeq(r.Flags) {
			if decided[name] {
				t.Errorf("--%s is decided twice", name)
			}
			decided[name] = true
		}
	}
	decided["hidden-lines"] = true // its rule is in imageCommand.vectorRules
	for _, command := range []string{"image", "animate"} {
		flags, err := commandLine.FlagsOf(command)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range flags {
			if !decided[f.Name] {
				t.Errorf("--%s of %s: beside which flags does it not count?", f.Name, command)
			}
		}
	}
}
