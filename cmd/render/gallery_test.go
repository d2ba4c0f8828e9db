package main

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// TestGallery runs the commands of docs/gallery.md. The pictures must equal those in the folder of the gallery, to the
// last bit of a pixel.
func TestGallery(t *testing.T) {
	if testing.Short() {
		t.Skip("it draws all of the gallery")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "gallery.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir, drawn, commands := t.TempDir(), 0, 0
	for line := range strings.Lines(string(text)) {
		writer, command, isPipe := strings.Cut(line, " | ")
		if !isPipe {
			writer, command = "", line
		}
		args := strings.Fields(command)
		if len(args) == 0 || args[0] != "render" {
			continue
		}
		name := ""
		for i, arg := range args {
			if file, ok := strings.CutPrefix(arg, "docs/gallery/"); ok {
				name = file
				args[i] = filepath.Join(dir, file)
			}
		}
		if !strings.Contains(string(text), "(gallery/"+name+")") {
			t.Errorf("%s is not shown", name)
		}
		if commands++; slices.Contains(dearPictures, name) && !*long {
			continue
		}
		run(t, root, written(t, root, writer), args[1:]...).Want(t, cli.Done)
		if !samePicture(t, clitest.Read(t, filepath.Join(dir, name)), clitest.Read(t, filepath.Join(root, "docs", "gallery", name))) {
			t.Errorf("%s is another picture: make gallery, and look at it", name)
		}
		drawn++
	}
	if commands < 10 || drawn < commands-len(dearPictures) {
		t.Errorf("%d commands in the gallery, %d of them drawn", commands, drawn)
	}
}

// written returns the standard output of a command, or nothing if there is no command.
func written(t *testing.T, root, command string) string {
	t.Helper()
	if command == "" {
		return ""
	}
	args := strings.Fields(command)
	c := exec.Command(args[0], args[1:]...)
	c.Dir = root
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	return string(out)
}

// dearPictures are the pictures that take the most time. They are drawn with -long, and by .ci/run.
var dearPictures = []string{"glass.png", "diff.png", "two.png", "turn.gif", "knot.png", "sheet.png", "cloud.png"}

// samePicture reports whether two files show the same picture. Texts in PNG files are not compared.
func samePicture(t *testing.T, a, b []byte) bool {
	t.Helper()
	if !bytes.HasPrefix(a, []byte("\x89PNG")) {
		return bytes.Equal(a, b)
	}
	first, err := png.Decode(bytes.NewReader(a))
	if err != nil {
		t.Fatal(err)
	}
	second, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if first.Bounds() != second.Bounds() {
		return false
	}
	if a, ok := first.(*image.NRGBA); ok {
		if b, ok := second.(*image.NRGBA); ok && bytes.Equal(a.Pix, b.Pix) {
			return true
		}
	}
	for y := range first.Bounds().Dy() {
		for x := range first.Bounds().Dx() {
			if first.At(x, y) != second.At(x, y) {
				return false
			}
		}
	}
	return true
}
