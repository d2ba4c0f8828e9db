package main

import (
	"path/filepath"
	"reflect"
	"testing"

	"lockstep/internal/budget"
	"lockstep/internal/cli"
	"lockstep/internal/clitest"
	"lockstep/render"
)

func TestCheckMemory(t *testing.T) {
	r := budget.New()
	if err := checkMemory(&r, render.Options{Width: 64, Height: 64, Samples: 16, Depth: true}); err != nil {
		t.Error(err)
	}
	if r.Memory == 0 {
		t.Skip("this system does not tell")
	}
	// 13 terabytes.
	if err := checkMemory(&r, render.Options{Width: 1 << 20, Height: 1 << 20, Samples: 1}); cli.CodeOf(err) != cli.Usage {
		t.Errorf("a picture larger than memory: %v", err)
	}
}

// TestNormalsBeyondMaxMemory checks that normals are left out if they need more memory than allowed. The picture is
// then shaded flat, and a warning states the memory that smooth shading needs.
func TestNormalsBeyondMaxMemory(t *testing.T) {
	dir := t.TempDir()
	const mesh = "scene:torus?triangles=100000" // it needs 12.4 million bytes with normals, and 4 million without
	run(t, dir, "", mesh, "-s", "32", "-o", "flat.png", "--shading", "flat").Want(t, cli.Done)
	run(t, dir, "", mesh, "-s", "32", "-o", "smooth.png").Want(t, cli.Done)
	warning := "render: warning: " + mesh + ": shaded flat: smooth shading needs at least 0.01 GiB of memory, and 0.01 GiB are available\n"
	for _, c := range []struct{ limit, same, stderr string }{
		{"12300000", "flat.png", warning},
		{"12500000", "smooth.png", ""},
	} {
		r := run(t, dir, "", mesh, "-s", "32", "-o", "o.png", "--max-memory", c.limit)
		r.Want(t, cli.Done)
		if r.Stderr != c.stderr {
			t.Errorf("%s: %s", c.limit, r.Stderr)
		}
		if got, want := picture(t, clitest.Read(t, filepath.Join(dir, "o.png"))), picture(t, clitest.Read(t, filepath.Join(dir, c.same))); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: another picture than %s", c.limit, c.same)
		}
	}
}
