package main

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/clitest"
)

// coloredCube is a cube with two materials from another file.
const coloredCube = `mtllib cube.mtl
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
v 1 0 1
v 1 1 1
v 0 1 1
usemtl red
f 1 4 3 2
f 5 6 7 8
f 1 2 6 5
usemtl blue
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
`

// sourcesOf writes the files of a film that has every kind of file, and returns its command line. Each file contains an
// 8 that can be replaced by a 9.
func sourcesOf(t *testing.T, dir string) (files, args []string) {
	t.Helper()
	var texture bytes.Buffer
	picture := image.NewGray(image.Rect(0, 0, 2, 2))
	picture.Pix[0] = 200
	if err := png.Encode(&texture, picture); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"cube.obj":       "# 8\n" + strings.Replace(coloredCube, "usemtl red", "vt 0 0\nvt 1 0\nvt 1 1\nusemtl red\nf 1/1 2/2 3/3", 1),
		"cube.mtl":       "newmtl red\nKd 0.8 0 0\nmap_Kd skins/skin.png\nnewmtl blue\nKd 0 0 1\n",
		"skins/skin.png": texture.String() + "8",
		"more/added.obj": "# 8\n" + coloredCube,
		"more/cube.mtl":  "newmtl red\nKd 0 0.8 0\nnewmtl blue\nKd 0 1 1\n",
		"film.toml":      "zoom = 0.8\nkeyframes = \"keys.json\"\n",
		"keys.json":      `[{"frame": 0, "eye": [5, 6, 3], "target": [0, 0, 0]}, {"frame": 2, "eye": [5, 8, 3], "target": [0, 0, 0]}, {"frame": 5, "eye": [9, 3, 2], "target": [0, 0, 0]}]`,
	} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		clitest.Write(t, name, text)
		files = append(files, name)
	}
	return files, []string{"cube.obj", "--add", filepath.Join("more", "added.obj") + ":move=2,0,0:scale=0.5", "--frames", "6", "-s", "120x90", "--config", "film.toml"}
}
