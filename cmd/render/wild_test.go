package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// A wildCase is a small mesh, and the results that the command must have. The mesh is as other programs may write it,
// or as an attacker would write it.
type wildCase struct {
	name   string
	files  map[string]string // contents by name: the mesh and the files that it refers to
	mesh   string            // name of the mesh among files
	args   []string          // flags before the mesh
	code   cli.Code          // exit code of drawing it
	strict cli.Code          // exit code of drawing it with --strict
	// warns are words on standard error when the mesh is drawn without --strict. silent means that standard error
	// must be empty.
	warns  []string
	silent bool
	// bounds is the text of `info` for the bounding box, such as "11 0 0 to 12 1 1". If it is "", the box is not
	// checked.
	bounds string
	// look checks the file picture.png of 64x64 pixels in the folder dir. If look is nil, the picture is not checked.
	look func(t *testing.T, dir string)
}

// TestWild draws the files of all cases.
func TestWild(t *testing.T) {
	for _, c := range slices.Concat(wildText(), wildTrees()) {
		t.Run(c.name, func(t *testing.T) { c.check(t) })
	}
}

func (c wildCase) check(t *testing.T) {
	dir := t.TempDir()
	for name, data := range c.files {
		clitest.Write(t, filepath.Join(dir, name), data)
	}
	draw := slices.Concat(c.args, []string{"-s", "64x64", "-o", "picture.png", c.mesh})
	r := run(t, dir, "", draw...)
	r.Want(t, c.code, c.warns...)
	if c.silent && r.Stderr != "" {
		t.Errorf("standard error: %s", r.Stderr)
	}
	if n := strings.Count(r.Stderr, "\n"); n > 8 {
		t.Errorf("%d lines on standard error: %s", n, r.Stderr)
	}
	run(t, dir, "", append([]string{"--strict", "--fast", "--workers", "1"}, slices.Concat(c.args, []string{"-s", "64x64", "-o", "strict.png", c.mesh})...)...).Want(t, c.strict)
	if c.bounds != "" {
		if r := run(t, dir, "", "info", c.mesh); !strings.Contains(r.Stdout, c.bounds) {
			t.Errorf("info lacks the bounds %q: %s", c.bounds, r.Stdout)
		}
	}
	if c.look != nil {
		c.look(t, dir)
	}
}
