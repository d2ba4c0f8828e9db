package main

import (
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
	"lockstep/scenes/procedural"
)

// TestHelpPages checks that pages of help fit a screen, and that flags for research are only on a page of their own.
func TestHelpPages(t *testing.T) {
	dir := t.TempDir()
	research := []string{"--isa", "--balance", "--explain", "--trace"}
	for _, c := range []struct {
		args        string
		has, hasNot []string
	}{
		{"--help", []string{"Usage: render [image]", "render animate", "-o, --output", "--samples", "--dpi", "Exit codes"}, research},
		{"image --help", []string{"Usage: render [image]", "--depth"}, research},
		{"animate --help", []string{"Usage: render animate", "--turntable", "--fps"}, append(research, "--record-loads")},
		{"view --help", []string{"Usage: render view", "--export"}, append(research, "--record-loads")},
		{"prepare --help", []string{"Usage: render prepare", "--flat-normals"}, research},
		{"info --help", []string{"Usage: render info", "--json"}, research},
		{"help balancing", append(research, "--record-loads"), []string{"--samples", "--light"}},
		{"help colors", []string{"--field", "--against", "--part-color"}, []string{"--light"}},
		{"help look", []string{"--light", "--fit"}, []string{"--samples", "--balance"}},
	} {
		r := run(t, dir, "", strings.Fields(c.args)...)
		r.Want(t, cli.Done)
		lines := strings.Split(r.Stdout, "\n")
		if len(lines) > 40 {
			t.Errorf("%s: %d lines", c.args, len(lines))
		}
		for _, line := range lines {
			if len(line) > 80 {
				t.Errorf("%s: a line of %d characters: %s", c.args, len(line), line)
			}
		}
		for _, flag := range c.has {
			if !strings.Contains(r.Stdout, flag) {
				t.Errorf("%s says nothing of %s", c.args, flag)
			}
		}
		for _, flag := range c.hasNot {
			if strings.Contains(r.Stdout, flag) {
				t.Errorf("%s tells of %s", c.args, flag)
			}
		}
	}
}

// TestHelpInWords checks that words such as `help` and `version` have the same effect as flags.
func TestHelpInWords(t *testing.T) {
	dir := t.TempDir()
	for words, flags := range map[string]string{
		"help":                       "--help",
		"help image":                 "image --help",
		"help animate":               "animate --help",
		"version":                    "--version",
		"-q version":                 "--version",
		"--progress never help info": "info --help",
	} {
		said, want := run(t, dir, "", strings.Fields(words)...), run(t, dir, "", strings.Fields(flags)...)
		said.Want(t, cli.Done)
		if said.Stdout != want.Stdout || said.Stdout == "" || said.Stderr != "" {
			t.Errorf("%s says\n%s, and %s\n%s", words, said.Stdout, flags, want.Stdout)
		}
	}
}

func TestScenesAreListed(t *testing.T) {
	dir := t.TempDir()
	for _, args := range []string{"scene:", "info scene:", "animate scene:", "image scene: -s 16"} {
		r := run(t, dir, "", strings.Fields(args)...)
		r.Want(t, cli.Done)
		if lines := strings.Count(r.Stdout, "\n"); lines != len(procedural.Names()) || r.Stderr != "" {
			t.Errorf("%s: %d lines: %s", args, lines, r.Stdout)
		}
		for _, s := range procedural.Names() {
			if !strings.Contains(r.Stdout, s.Name+" ") || !strings.Contains(r.Stdout, s.Doc) {
				t.Errorf("%s says nothing of %s", args, s.Name)
			}
		}
	}
	clitest.WantFiles(t, dir)
}

// TestNamesOfColoursAndAxes checks names that mean the same colour or axis.
func TestNamesOfColoursAndAxes(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	for _, same := range [][]string{
		{"--color white", "--color ffffff", "--color #fff", "--color #FFFFFF", "--color WHITE"},
		{"--background #08f", "--background 0088ff"},
		{"--background gray", "--background grey", "--background 808080"},
		{"--up +x", "--up x"},
	} {
		want := ""
		for _, flags := range same {
			r := run(t, dir, "", append(strings.Fields(flags), mesh, "-s", "32", "-o", "-")...)
			r.Want(t, cli.Done)
			if want == "" {
				want = r.Stdout
			}
			if r.Stdout != want {
				t.Errorf("%s and %s are not the same", flags, same[0])
			}
		}
	}
}
