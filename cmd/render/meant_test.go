package main

import (
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
	"lockstep/internal/pictureflags"
)

// TestMeantFlags checks that a line about an unknown flag suggests the flag that was probably meant.
func TestMeantFlags(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	for _, c := range []struct{ args, says string }{
		// Flags of other commands.
		{"MESH --turntable", "unknown flag --turntable, did you mean render animate --turntable? (see render animate --help)"},
		{"MESH --frames 3", "render animate --frames?"},
		{"MESH --fps=3", "unknown flag --fps, did you mean render animate --fps?"},
		{"MESH --json", "render info --json?"},
		{"MESH --to ply", "render convert --to?"},
		{"MESH --status", "did you mean renderfarm status -o DIR? (see render --help)"},
		{"MESH --join x", "renderfarm node --join? (see renderfarm node --help)"},
		{"animate MESH --status", "renderfarm status -o DIR?"},
		{"info MESH --size 3", "render image --size? (see render image --help)"},
		{"convert MESH a.ply --turntable", "render animate --turntable?"},
		// Flags of other programs.
		{"MESH --bg white", "--background COLOR? (see render --help)"},
		{"MESH --width 100", "--size WxH?"},
		{"MESH --height=100", "--size WxH?"},
		{"MESH --resolution 100", "--size WxH?"},
		{"MESH -w 100", "unknown flag -w, did you mean --size WxH?"},
		{"MESH --transparent", "--background none?"},
		{"MESH --rotate 90", "--view AZ,EL for another view, or --add MESH:rotate=X,Y,Z?"},
		{"MESH --output-dir x", "--output DIR?"},
		{"--input MESH", "MESH alone"},
		{"MESH --camera-position 1,2,3", "--eye X,Y,Z?"},
		{"MESH --wire", "--wireframe?"},
		{"MESH -j 4", "unknown flag -j, did you mean --workers N?"},
		{"MESH -v", "unknown flag -v, did you mean --stats text?"},
		{"MESH --headless", "did you mean no flag: processors draw, and no window opens?"},
		{"MESH --gif", "render animate -o FILE.gif?"},
		{"animate MESH --spin", "did you mean --turntable?"},
		{"MESH --spin", "did you mean render animate --turntable?"},
		{"info MESH --bg white", "render image --background COLOR? (see render image --help)"},
		// Misspelt flags.
		{"MESH --szie 3", "did you mean --size? (see render --help)"},
		{"MESH --widht 3", "--size WxH?"},
		{"MESH --bakground white", "--background?"},
		{"MESH --samp 4", "--samples?"},
		{"MESH --turntabel", "render animate --turntable?"},
		{"animate MESH --turntabel", "did you mean --turntable? (see render animate --help)"},
		{"MESH -size 5", "unknown flag -size, did you mean --size?"},
		{"MESH -rotate 5", "unknown flag -rotate, did you mean --view AZ,EL for another view"},
		{"MESH -resize 5", "unknown flag -resize, did you mean --size WxH?"},
		{"MESH -density 5", "--dpi N?"},
		{"MESH --png", "--format KIND?"},
		{"MESH --skybox dark", "unknown flag --skybox (see render --help)"},
		{"MESH --aos", "unknown flag --aos (see render --help)"},
		{"MESH --watch", "did you mean --with?"},
		{"MESH --oriantetion x", "--up AXIS?"},
		{"MESH -output=x", "unknown flag -output, did you mean --output?"},
	} {
		r := run(t, dir, "", strings.Fields(strings.ReplaceAll(c.args, "MESH", mesh))...)
		r.Want(t, cli.Usage, c.says)
		if strings.Count(r.Stderr, "\n") != 1 || r.Stdout != "" {
			t.Errorf("%s: not one line: %s", c.args, r.Stderr)
		}
	}
	// A flag that resembles no other one gets no suggestion, and neither does an argument after --.
	for _, args := range []string{"MESH --qwertyuiop", "MESH --z", "MESH --qqq", "MESH --kxqj"} {
		r := run(t, dir, "", strings.Fields(strings.ReplaceAll(args, "MESH", mesh))...)
		if r.Want(t, cli.Usage, "(see render --help)"); strings.Contains(r.Stderr, "did you mean") {
			t.Errorf("%s: %s", args, r.Stderr)
		}
	}
	run(t, dir, "", "-s", "16", "-o", "-", "--", mesh).Want(t, cli.Done)
	run(t, dir, "", "-o", "-", "--", "-size").Want(t, cli.Input, "-size: no such file")
	clitest.WantFiles(t, dir)
}

// TestMeantFlagsOfAll checks that every command suggests the right command for every flag of another command.
func TestMeantFlagsOfAll(t *testing.T) {
	others := commandLine.OtherFlags()
	for _, command := range commandLine.Commands {
		parser, err := commandLine.Parser(command.Name, command.New(), &cli.GlobalFlags{}, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		own := cli.OwnFlags(parser, io.EOF)
		for _, flag := range others {
			if slices.Contains(own, flag.Name) {
				continue
			}
			meant, other := pictureflags.SuggestFlag(flag.Name, own, others)
			if _, known := pictureflags.ForeignFlags[flag.Name]; !known && (meant != other+" --"+flag.Name || other == "") {
				t.Errorf("render %s --%s: %q, %q", command.Name, flag.Name, meant, other)
			}
		}
	}
}

// TestForeignFlags checks the list of flags of other programs. A flag in the list must not be a flag of this program,
// and the flag that is suggested in its place must exist.
func TestForeignFlags(t *testing.T) {
	all := commandLine.OtherFlags()
	has := func(name string) bool {
		return slices.ContainsFunc(all, func(f pictureflags.CommandFlag) bool { return f.Name == name })
	}
	for word, meaning := range pictureflags.ForeignFlags {
		if has(word) {
			t.Errorf("--%s is a flag", word)
		}
		for _, field := range strings.Fields(meaning) {
			if name, ok := strings.CutPrefix(field, "--"); ok && !has(strings.TrimRight(name, ",")) {
				t.Errorf("--%s: there is no flag --%s", word, name)
			}
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"size", "size", 0}, {"szie", "size", 1}, {"siz", "size", 1}, {"sizes", "size", 1}, {"sise", "size", 1}, {"light", "widht", 2}, {"abc", "cab", 2}} {
		if got := cli.Distance(c.a, c.b); got != c.want {
			t.Errorf("%s, %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOfN(rapid.RuneFrom([]rune("abc")), 0, 8, -1)
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		d := cli.Distance(a, b)
		if d != cli.Distance(b, a) || (d == 0) != (a == b) || d > max(len(a), len(b)) || d < max(len(a), len(b))-min(len(a), len(b)) {
			t.Fatalf("%q, %q: %d", a, b, d)
		}
	})
}
