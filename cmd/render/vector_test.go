package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// TestDrawing draws a cube as SVG and PDF.
func TestDrawing(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	read := func(name string) string { return string(clitest.Read(t, filepath.Join(dir, name))) }
	draw := func(args ...string) clitest.Result {
		t.Helper()
		return run(t, dir, "", append(args, "-s", "80x60", mesh)...)
	}
	r := draw("-o", "a.svg", "--hidden-lines", "dashed", "--dpi", "40", "--background", "203040", "--line-width", "2")
	r.Want(t, cli.Done)
	a := read("a.svg")
	for _, part := range []string{`width="2in" height="1.5in" viewBox="0 0 80 60"`, `fill="#203040"/>`, `id="surface" fill="#203040"`, `stroke="#e4e7eb" stroke-width="1"`, `stroke-width="2"`, "stroke-dasharray", "<title>" + filepath.Base(mesh) + "</title>"} {
		if !strings.Contains(a, part) {
			t.Errorf("lacks %s:\n%s", part, a)
		}
	}
	draw("-o", "b.svg", "--color", "ff0000", "--background", "none", "--line-color", "00ff00").Want(t, cli.Done)
	b := read("b.svg")
	if strings.Contains(b, "<rect") || strings.Contains(b, "hidden") || !strings.Contains(b, `id="surface" fill="#ff0000"`) || !strings.Contains(b, `stroke="#00ff00"`) {
		t.Error(b)
	}
	draw("-o", "c.pdf").Want(t, cli.Done)
	if c := read("c.pdf"); !strings.HasPrefix(c, "%PDF-1.4\n") || !strings.Contains(c, "/MediaBox [0 0 60 45]") {
		t.Errorf("%q", c)
	}
	if out := draw("-o", "-", "--format", "svg", "--color", "ff0000", "--background", "none", "--line-color", "00ff00", "--workers", "1", "--isa", "generic"); out.Stdout != b {
		t.Errorf("standard output has another drawing: %s", out.Stdout)
	}
	draw("-o", "d.svg", "--wireframe", "--fast", "--projection", "orthographic", "--view", "front", "--camera-json", "d.json").Want(t, cli.Done)
	if d := read("d.svg"); !strings.Contains(d, `id="wires"`) {
		t.Error(d)
	}
	if !strings.Contains(read("d.json"), `"K"`) {
		t.Error("the camera is not written")
	}
}

// TestDrawingsRefuse checks flags that cannot change a drawing. Some of these flags are errors, and others are ignored.
func TestDrawingsRefuse(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	for _, flags := range []string{"--crop 1,1,5x5", "--trim", "--contact-sheet 4 -s 400x300", "--ids i.png", "--trace t.jsonl"} {
		run(t, dir, "", append(strings.Fields(flags), "-o", "a.svg", mesh)...).Want(t, cli.Usage, "a.svg: is a drawing")
	}
	run(t, dir, "", "diff", mesh, mesh, "-o", "a.pdf").Want(t, cli.Usage, "a drawing has lines alone")
	run(t, dir, "", mesh, mesh, "-o", "out/", "--format", "svg").Want(t, cli.Usage, "--format svg")
	run(t, dir, "", "-o", "no/such/a.svg", mesh).Want(t, cli.Output)
	run(t, dir, "", "-o", "a.svg", "--eye", "999,999,999", "--target", "2000,2000,2000", mesh).Want(t, cli.Blank)
	clitest.WantFiles(t, dir)
	for _, flag := range []string{"--samples 4", "--label a", "--axes", "--occlusion on", "--ground"} {
		r := run(t, dir, "", append(strings.Fields(flag), "-s", "40x30", "-o", "a.svg", mesh)...)
		r.Want(t, cli.Done)
		if want := fmt.Sprintf("%s is ignored: a drawing has lines alone", strings.Fields(flag)[0]); !strings.Contains(r.Stderr, want) {
			t.Errorf("%s: %q", flag, r.Stderr)
		}
	}
	r := run(t, dir, "", "--hidden-lines", "dashed", "-s", "40x30", "-o", "a.png", mesh)
	if r.Want(t, cli.Done); !strings.Contains(r.Stderr, "--hidden-lines is ignored: it is for .svg and .pdf") {
		t.Errorf("%q", r.Stderr)
	}
}
