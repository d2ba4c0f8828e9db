package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A wildCase is a small mesh of a kind that people's programs write, or that a person with bad
// intentions would, and the answer of the command to it.
type wildCase struct {
	name   string
	files  map[string]string // contents by name; the mesh and what it names
	mesh   string            // name of the mesh among files
	args   []string          // flags before the mesh
	code   exitCode          // of drawing it
	strict exitCode          // of drawing it with --strict
	// warns are words of standard error when it is drawn without --strict; silent means that it must be empty.
	warns  []string
	silent bool
	// bounds are the words that `info` prints for the bounding box, such as "11 0 0 to 12 1 1"; "" is not looked at.
	bounds string
	// look checks the picture of 64x64 pixels in picture.png of a folder; nil: no look at it.
	look func(t *testing.T, dir string)
}

// TestWild draws files of the wild as a user would.
func TestWild(t *testing.T) {
	for _, c := range slices.Concat(wildText(), wildTrees()) {
		t.Run(c.name, func(t *testing.T) { c.check(t) })
	}
}

func (c wildCase) check(t *testing.T) {
	dir := t.TempDir()
	for name, data := range c.files {
		write(t, filepath.Join(dir, name), data)
	}
	draw := slices.Concat(c.args, []string{"-s", "64x64", "-o", "picture.png", c.mesh})
	r := run(t, dir, "", draw...)
	r.want(t, c.code, c.warns...)
	if c.silent && r.stderr != "" {
		t.Errorf("standard error: %s", r.stderr)
	}
	if n := strings.Count(r.stderr, "\n"); n > 8 {
		t.Errorf("%d lines on standard error: %s", n, r.stderr)
	}
	run(t, dir, "", append([]string{"--strict"}, slices.Concat(c.args, []string{"-s", "64x64", "-o", "strict.png", c.mesh})...)...).want(t, c.strict)
	if c.bounds != "" {
		if r := run(t, dir, "", "info", c.mesh); !strings.Contains(r.stdout, c.bounds) {
			t.Errorf("info lacks the bounds %q: %s", c.bounds, r.stdout)
		}
	}
	if c.look != nil {
		c.look(t, dir)
	}
}
