package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

var update = flag.Bool("update", false, "write the golden pictures instead of comparing with them")

// goldenCommands are commands whose pictures must never change by a single bit. There is one command for each feature
// without a golden picture in other packages. FILE stands for the name of a golden file of data.
var goldenCommands = []struct{ name, args string }{
	{"colors", "scene:torus?triangles=2000 --color #f80 --view iso"},
	{"facing", "scene:perforator --color facing --cull none --section x=50%"},
	{"sections", "scene:gear?triangles=3000 --section z=60% --section 1,1,0<0.2 --section-color teal"},
	{"clip-box", "scene:torus?triangles=2000 --clip-box 0,-2,-2,2,2,0.1"},
	{"added", "scene:sphere?triangles=500 --add scene:cube:color=c04020:scale=0.8:rotate=0,30,45:move=1.8,0,0 --view 20,20"},
	{"ground", "scene:gear?triangles=2000 --ground --view 30,30"},
	{"furniture", "scene:cube --axes --bounds --scale-bar --label Cube --view 30,25"},
	{"crop", "scene:knot?triangles=3000 --crop 40,20,90x60"},
	{"trim", "scene:knot?triangles=3000 --trim --background none"},
	{"sheet", "scene:gear?triangles=2000 --contact-sheet 7 -s 320x180"},
	{"eye", "scene:gear?triangles=2000 --eye 1.2,-2,0.6 --target 0,0,0.1"},
	{"headlight", "scene:gear?triangles=2000 --light headlight --fit box --samples 1"},
	{"fast", "scene:gear?triangles=2000 --fast"},
	{"depth", "scene:torus?triangles=2000 -o /dev/null --format png --depth FILE"},
	{"normals", "scene:torus?triangles=2000 -o /dev/null --format png --normals FILE"},
	{"ids", "scene:torus?triangles=2000 -o /dev/null --format png --ids FILE"},
	{"coverage", "scene:torus?triangles=2000 -o /dev/null --format png --coverage FILE"},
	{"orbit", "animate scene:gear?triangles=1000 --orbit --frames 5 -s 80x60"},
	{"keyframes", "animate scene:gear?triangles=1000 --keyframes keys.json --frames 5 -s 80x60"},
	{"series", "animate scene:gear?triangles=1000 scene:sphere?triangles=500 scene:cube -s 80x60"},
}

const goldenKeys = `[{"frame":0,"eye":[3,-2,1],"target":[0,0,0]},{"frame":2,"eye":[0,-4,2],"target":[0,0,0.2],"fov":25},{"frame":4,"eye":[-3,0,1],"target":[0,0,0],"zoom":1.5}]`

func TestGoldenCommands(t *testing.T) {
	folder, err := filepath.Abs("../../testdata/golden")
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range goldenCommands {
		t.Run(g.name, func(t *testing.T) {
			dir := t.TempDir()
			clitest.Write(t, filepath.Join(dir, "keys.json"), goldenKeys)
			made := filepath.Join(dir, "made.png")
			args := strings.Fields(strings.ReplaceAll(g.args, "FILE", made))
			if !strings.Contains(g.args, "FILE") {
				args = append(args, "-o", made)
			}
			if !strings.Contains(g.args, "-s ") {
				args = append(args, "-s", "160x120")
			}
			run(t, dir, "", append(args, "--small")...).Want(t, cli.Done)
			file := filepath.Join(folder, "command-"+g.name+".png")
			if *update {
				clitest.Write(t, file, string(clitest.Read(t, made)))
				return
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got := clitest.Read(t, made); !bytes.Equal(got, want) && !sameFrames(t, got, want) {
				t.Errorf("not the picture in %s; if it should have changed, run the test with -update", file)
			}
		})
	}
}

// sameFrames reports whether two pictures or films are equal, apart from their texts and compression.
func sameFrames(t *testing.T, a, b []byte) bool {
	filmA, filmB := chunks(t, a), chunks(t, b)
	count := func(film []chunk) (n int) {
		for _, c := range film {
			if c.kind == "fcTL" {
				n++
			}
		}
		return n
	}
	if count(filmA) != count(filmB) {
		return false
	}
	for k := range count(filmA) {
		if !samePixels(picture(t, still(t, filmA, k)), picture(t, still(t, filmB, k))) {
			return false
		}
	}
	return samePixels(picture(t, a), picture(t, b))
}
