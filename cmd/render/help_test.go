package main

import (
	"strings"
	"testing"

	"lockstep/scenes/procedural"
)

// The page that everybody sees first fits a screen, and flags for research have one of
// their own.
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
		{"info --help", []string{"Usage: render info", "--json"}, research},
		{"help balancing", append(research, "--record-loads"), []string{"--samples", "--light"}},
		{"help look", []string{"--light", "--fit"}, []string{"--samples", "--balance"}},
	} {
		r := run(t, dir, "", strings.Fields(c.args)...)
		r.want(t, exitDone)
		lines := strings.Split(r.stdout, "\n")
		if len(lines) > 40 {
			t.Errorf("%s: %d lines", c.args, len(lines))
		}
		for _, line := range lines {
			if len(line) > 80 {
				t.Errorf("%s: a line of %d characters: %s", c.args, len(line), line)
			}
		}
		for _, flag := range c.has {
			if !strings.Contains(r.stdout, flag) {
				t.Errorf("%s says nothing of %s", c.args, flag)
			}
		}
		for _, flag := range c.hasNot {
			if strings.Contains(r.stdout, flag) {
				t.Errorf("%s tells of %s", c.args, flag)
			}
		}
	}
}

// The same can be asked for in words.
func TestHelpInWords(t *testing.T) {
	dir := t.TempDir()
	for words, flags := range map[string]string{
		"help":                       "--help",
		"help image":                 "image --help",
		"help animate":               "animate --help",
		"help bench":                 "bench --help",
		"help bench circuit":         "bench circuit --help",
		"version":                    "--version",
		"-q version":                 "--version",
		"--progress never help info": "info --help",
	} {
		said, want := run(t, dir, "", strings.Fields(words)...), run(t, dir, "", strings.Fields(flags)...)
		said.want(t, exitDone)
		if said.stdout != want.stdout || said.stdout == "" || said.stderr != "" {
			t.Errorf("%s says\n%s, and %s\n%s", words, said.stdout, flags, want.stdout)
		}
	}
}

func TestScenesAreListed(t *testing.T) {
	dir := t.TempDir()
	for _, args := range []string{"scene:", "info scene:", "animate scene:", "image scene: -s 16"} {
		r := run(t, dir, "", strings.Fields(args)...)
		r.want(t, exitDone)
		if lines := strings.Count(r.stdout, "\n"); lines != len(procedural.Names()) || r.stderr != "" {
			t.Errorf("%s: %d lines: %s", args, lines, r.stdout)
		}
		for _, s := range procedural.Names() {
			if !strings.Contains(r.stdout, s.Name+" ") || !strings.Contains(r.stdout, s.Doc) {
				t.Errorf("%s says nothing of %s", args, s.Name)
			}
		}
	}
	wantFiles(t, dir)
}

// A colour and an axis have several names.
func TestNamesOfColoursAndAxes(t *testing.T) {
	dir, mesh := cubeFile(t)
	for _, same := range [][]string{
		{"--color white", "--color ffffff", "--color #fff", "--color #FFFFFF", "--color WHITE"},
		{"--background #08f", "--background 0088ff"},
		{"--background gray", "--background grey", "--background 808080"},
		{"--up +x", "--up x"},
	} {
		want := ""
		for _, flags := range same {
			r := run(t, dir, "", append(strings.Fields(flags), mesh, "-s", "32", "-o", "-")...)
			r.want(t, exitDone)
			if want == "" {
				want = r.stdout
			}
			if r.stdout != want {
				t.Errorf("%s and %s are not the same", flags, same[0])
			}
		}
	}
}
