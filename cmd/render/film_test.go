package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// A chunk is a chunk of a PNG file.
type chunk struct {
	kind string
	data []byte
}

// chunks returns the chunks of a PNG file.
func chunks(t *testing.T, file []byte) (all []chunk) {
	t.Helper()
	file, ok := bytes.CutPrefix(file, []byte("\x89PNG\r\n\x1a\n"))
	if !ok {
		t.Fatal("no PNG file")
	}
	for len(file) > 0 {
		n := int(binary.BigEndian.Uint32(file))
		all = append(all, chunk{string(file[4:8]), file[8 : 8+n]})
		file = file[12+n:]
	}
	return all
}

// still returns frame k of a film as a PNG file of its own: the header of the film and the data of the frame.
func still(t *testing.T, film []chunk, k int) []byte {
	t.Helper()
	file := []byte("\x89PNG\r\n\x1a\n")
	add := func(kind string, data []byte) {
		file = binary.BigEndian.AppendUint32(file, uint32(len(data)))
		start := len(file)
		file = append(append(file, kind...), data...)
		file = binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(file[start:]))
	}
	add("IHDR", film[0].data)
	at := -1
	for _, c := range film {
		switch {
		case c.kind == "fcTL":
			at++
		case at == k && c.kind == "IDAT":
			add("IDAT", c.data)
		case at == k && c.kind == "fdAT":
			add("IDAT", c.data[4:])
		}
	}
	add("IEND", nil)
	return file
}

// TestFilm checks that a film has the same pictures as a folder.
func TestFilm(t *testing.T) {
	dir := t.TempDir()
	const frames = 5
	args := []string{"animate", "scene:torus?triangles=500", "--turntable", "--frames", "5", "-s", "64x48"}
	run(t, dir, "", append(args, "-o", "folder")...).Want(t, cli.Done)
	for name, delay := range map[string]uint16{"turn.png": 25, "turn.apng": 10} {
		flags := []string{"-o", name, "--workers", "2"}
		if delay != 25 {
			flags = append(flags, "--fps", "10")
		}
		run(t, dir, "", append(args, flags...)...).Want(t, cli.Done)
		film := chunks(t, clitest.Read(t, filepath.Join(dir, name)))
		shown := 0
		for _, c := range film {
			switch c.kind {
			case "acTL":
				if n, plays := binary.BigEndian.Uint32(c.data), binary.BigEndian.Uint32(c.data[4:]); n != frames || plays != 0 {
					t.Errorf("%s: %d frames, %d times", name, n, plays)
				}
			case "fcTL":
				shown++
				if num, den := binary.BigEndian.Uint16(c.data[20:]), binary.BigEndian.Uint16(c.data[22:]); num != 1 || den != delay {
					t.Errorf("%s: a frame lasts %d/%d seconds", name, num, den)
				}
			}
		}
		if shown != frames {
			t.Errorf("%s: %d frames", name, shown)
		}
		for k := range frames {
			want := clitest.Read(t, filepath.Join(dir, "folder", fmt.Sprintf("torus_%04d.png", k)))
			if !samePixels(picture(t, still(t, film, k)), picture(t, want)) {
				t.Errorf("%s: frame %d is another picture", name, k)
			}
		}
	}
	clitest.WantFiles(t, dir, "folder", "folder/torus_0000.png", "folder/torus_0001.png", "folder/torus_0002.png", "folder/torus_0003.png", "folder/torus_0004.png", "turn.apng", "turn.png")
}

// TestFilmWithBlankFrames checks that blank frames stay in a film, because the film would jump without them. A message
// must name the blank frames. A film of only blank frames must not be written.
func TestFilmWithBlankFrames(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, filepath.Join(dir, "plane.stl"), clitest.STL([]clitest.Triangle{{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}}))
	args := []string{"animate", "plane.stl", "--turntable", "--frames", "4", "-s", "32", "--view", "0,0", "--projection", "orthographic", "--background", "none", "-o", "a.png"}
	run(t, dir, "", args...).Want(t, cli.Partial, "2 frames of 4: 1, 3")
	film := chunks(t, clitest.Read(t, filepath.Join(dir, "a.png")))
	for k := range 4 {
		if n := covered(picture(t, still(t, film, k))); (n > 0) != (k%2 == 0) {
			t.Errorf("frame %d: %d pixels covered", k, n)
		}
	}
	run(t, dir, "", append(args, "--cull", "back", "--frames", "1", "--view", "180,0", "-o", "b.png")...).Want(t, cli.Blank)
	clitest.WantFiles(t, dir, "a.png", "plane.stl")
}

func TestFilmReplacesNothing(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	film := []string{"animate", mesh, "--turntable", "--frames", "2", "-s", "16", "-o", "a.png"}
	for _, flags := range []string{"--trace a.png", "--record-loads ./a.png"} {
		run(t, dir, "", append(film, strings.Fields(flags)...)...).Want(t, cli.Usage, "would replace")
	}
	clitest.WantFiles(t, dir)
}

// TestResolutionAndSmallFiles checks that --dpi is stated in the files, and that --small makes files smaller without
// changing a pixel.
func TestResolutionAndSmallFiles(t *testing.T) {
	dir := t.TempDir()
	args := []string{"scene:knot?triangles=5000", "-s", "320x240", "--depth", "d.png", "--color", "grey", "--background", "white", "-o"}
	run(t, dir, "", append(args, "plain.png")...).Want(t, cli.Done)
	run(t, dir, "", append(args, "small.png", "--small", "--dpi", "300")...).Want(t, cli.Done)
	plain, small := clitest.Read(t, filepath.Join(dir, "plain.png")), clitest.Read(t, filepath.Join(dir, "small.png"))
	if len(small) >= len(plain) {
		t.Errorf("%d bytes, and %d small", len(plain), len(small))
	}
	if !samePixels(picture(t, plain), picture(t, small)) {
		t.Error("small files show another picture")
	}
	for _, name := range []string{"small.png", "d.png"} {
		stated := false
		for _, c := range chunks(t, clitest.Read(t, filepath.Join(dir, name))) {
			// 300 dots per inch are 11811 per metre.
			stated = stated || c.kind == "pHYs" && binary.BigEndian.Uint32(c.data) == 11811 && binary.BigEndian.Uint32(c.data[4:]) == 11811 && c.data[8] == 1
		}
		if !stated {
			t.Errorf("%s does not state its resolution", name)
		}
	}
}

func samePixels(a, b image.Image) bool {
	if a.Bounds() != b.Bounds() {
		return false
	}
	for y := range a.Bounds().Max.Y {
		for x := range a.Bounds().Max.X {
			ar, ag, ab, aa := a.At(x, y).RGBA()
			br, bg, bb, ba := b.At(x, y).RGBA()
			if ar != br || ag != bg || ab != bb || aa != ba {
				return false
			}
		}
	}
	return true
}

// TestFramesAtOnceAreTheSame checks that files do not depend on the number of workers that draw frames at the same
// time, and that damage is reported once.
func TestFramesAtOnceAreTheSame(t *testing.T) {
	dir := t.TempDir()
	far := []clitest.Triangle{{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}, {{0, 0, 0}, {0, 1, 0}, {0, 0, 1}}}
	clitest.Write(t, filepath.Join(dir, "mesh.stl"), clitest.STL(append(far, clitest.Cube([3]float32{2, 0, 0}, 1)...)))
	for _, output := range []string{"pictures", "film.png", "film.gif", "film.webp"} {
		var want [][]byte
		for _, workers := range []string{"1", "2", "7"} {
			out := filepath.Join(dir, workers, output)
			run(t, dir, "", "animate", "mesh.stl", "--turntable", "--frames", "9", "-s", "90x60", "--workers", workers, "-o", filepath.Join(workers, output)).Want(t, cli.Done)
			got := [][]byte{}
			if output == "pictures" {
				for _, name := range clitest.Files(t, out) {
					got = append(got, clitest.Read(t, filepath.Join(out, name)))
				}
			} else {
				got = append(got, clitest.Read(t, out))
			}
			if want == nil {
				want = got
			}
			if len(got) != len(want) {
				t.Fatalf("%s: %d files with %s workers, want %d", output, len(got), workers, len(want))
			}
			for i := range want {
				if !bytes.Equal(got[i], want[i]) {
					t.Errorf("%s: file %d is another with %s workers", output, i, workers)
				}
			}
		}
	}
}
