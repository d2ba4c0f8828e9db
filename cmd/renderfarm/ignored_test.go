package main

import (
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
	"lockstep/internal/pictureflags"
)

// TestIgnoredFlags checks the warnings about flags of films that have no effect.
func TestIgnoredFlags(t *testing.T) {
	t.Parallel()
	dir, mesh := clitest.CubeFile(t)
	clitest.Write(t, filepath.Join(dir, "key"), "a secret of some length, for no server")
	film := func(flags string) string {
		r := run(t, dir, "", append([]string{"film", mesh, "--turntable", "--frames", "2", "--nodes", "1", "-s", "32", "-o", "f"}, strings.Fields(flags)...)...)
		r.Want(t, cli.Done)
		return r.Stderr
	}
	got := film("--when payback --how few --key key --priority 3  --explain --split never")
	for _, name := range strings.Fields("when how key priority  explain") {
		if !strings.Contains(got, "warning: --"+name+" is ignored: ") {
			t.Errorf("--%s: %q", name, got)
		}
	}
	if got = film("--split always --when payback --how few --explain"); strings.Contains(got, "is ignored") {
		t.Error(got)
	}
}

// TestEveryFlagIsDecided checks every flag of films. A flag must be in a rule, or in the list of flags that always have
// an effect.
func TestEveryFlagIsDecided(t *testing.T) {
	decided := map[string]bool{}
	for name := range strings.FieldsSeq(counting) {
		decided[name] = true
	}
	c := new(filmCommand)
	for _, r := range append(c.Rules(pictureflags.RuleContext{}), c.rules()...) {
		for name := range strings.FieldsSeq(r.Flags) {
			if decided[name] && name != "explain" {
				t.Errorf("--%s is decided twice", name)
			}
			decided[name] = true
		}
	}
	flags, err := commandLine.FlagsOf("film")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range flags {
		if !decided[f.Name] {
			t.Errorf("--%s: beside which flags does it not count?", f.Name)
		}
	}
}

// counting lists flags of films. Beside any other flag, such a flag has an effect or is refused as a contradiction.
const counting = `recipe dump-recipe still camera-up camera-height camera-shift part-color only hide add axes background balance
bounds clip clip-box camera config contours crop cull dimension dpi edges eye eye-dome fast field flyby frames ground help isa keyframes lease
leaves legend lenient light listen material max-memory max-triangles metallic nodes occlusion orbit output point-size progress quiet range replicas roughness samples
scale-bar section server shading size split stats status-page store strict target time timeout trace tries turntable up version
views wireframe with workers`

// TestSuggestedFlags checks the messages about flags of the other program and of earlier versions.
func TestSuggestedFlags(t *testing.T) {
	dir := t.TempDir()
	for line, says := range map[string]string{
		"film scene:cube -o f --fps 30":         "unknown flag --fps, did you mean render animate --fps? (see render animate --help)",
		"film scene:cube -o f --depth d":        "render image --depth?",
		"film scene:cube -o f --nodse 2":        "did you mean --nodes? (see renderfarm film --help)",
		"film scene:cube -o f --join x":         "renderfarm node --join?",
		"film --status -o f":                    "renderfarm status -o DIR",
		"node --listen :1":                      "renderfarm film --listen?",
		"film scene:cube scene:knot -o f":       "unexpected argument scene:knot",
		"film scene:cube -o f --view x":         "--view",
		"film scene:cube -o f --views 3":        "--views is for render animate",
		"film scene:cube -o f --config no.toml": "no.toml: no such file",
		"":                                      "expected a command",
		"nonsense":                              "expected a command",
	} {
		runHere(t, dir, strings.Fields(line)...).Want(t, cli.Usage, says)
	}
	// Tables of the other program are ignored, and so are its flags.
	clitest.Write(t, filepath.Join(dir, "both.toml"), "fps = 30\nsize = [16, 16]\n[animate]\nunknown = 1\n[film]\nnodes = 1\n")
	run(t, dir, "", "film", "scene:cube", "--frames", "2", "-o", "f", "--config", "both.toml").Want(t, cli.Done)
	clitest.Write(t, filepath.Join(dir, "bad.toml"), "[film]\nnodse = 1\n")
	runHere(t, dir, "film", "scene:cube", "--frames", "2", "-o", "f", "--config", "bad.toml").Want(t, cli.Usage, "did you mean nodes?")
	clitest.Write(t, filepath.Join(dir, "other.toml"), "[film]\nfps = 3\n")
	runHere(t, dir, "film", "scene:cube", "--frames", "2", "-o", "f", "--config", "other.toml").Want(t, cli.Usage, "fps")
	// Errors in flags name the flags, and errors in files name the files.
	clitest.Write(t, filepath.Join(dir, "more.json"), `{"version":1,"picture":{"meshes":[{"file":"scene:cube"}]},"more":[{"file":"b.stl"}]}`)
	clitest.Write(t, filepath.Join(dir, "none.json"), "[]")
	clitest.Write(t, filepath.Join(dir, "keys.json"), `[{"frame":2,"eye":[9,9,9]},{"frame":1,"eye":[9,9,8]}]`)
	for line, want := range map[string]struct {
		code cli.Code
		says string
	}{
		"--recipe more.json":               {cli.Usage, "draws one mesh"},
		"scene:cube --keyframes none.json": {cli.Input, "none.json: "},
		"scene:cube --keyframes keys.json": {cli.Input, "keys.json: "},
		"scene:cube --when bogus":          {cli.Usage, "--when bogus"},
		"/dev/null":                        {cli.Usage, "/dev/null: every node reads the mesh"},
		"--fast -s 16 -- --status":         {cli.Input, "--status: no such file"},
	} {
		run(t, dir, "", append([]string{"film", "--frames", "2", "-o", "g"}, strings.Fields(line)...)...).Want(t, want.code, want.says)
	}
	for line, says := range map[string]string{"--help": "renderfarm node", "film --help": "--nodes", "help film": "--nodes", "status --help": "--server", "--version": "renderfarm (Lockstep)", "version": "renderfarm (Lockstep)"} {
		if r := runHere(t, dir, strings.Fields(line)...); r.Code != 0 || !strings.Contains(r.Stdout, says) {
			t.Errorf("%s: %+v", line, r)
		}
	}
	for line := range strings.Lines(runHere(t, dir, "film", "--help").Stdout) {
		if len(line) > 81 {
			t.Errorf("a line of %d characters: %s", len(line)-1, line)
		}
	}
}
