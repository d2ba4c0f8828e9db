package main

import (
	"bytes"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/cluster/film"
	"lockstep/internal/cli"
	"lockstep/internal/clitest"
	"lockstep/internal/framename"
	"lockstep/render"
	"lockstep/render/recipe"
	"lockstep/scenes"
	"lockstep/scenes/procedural"
	"lockstep/scenes/stl"
)

// filmFlags returns the flags of a film of a built-in scene that takes some seconds to draw.
func filmFlags(frames string) []string {
	return []string{"scene:knot?triangles=20k", "--turntable", "--frames", frames, "-s", "200x120", "--fast"}
}

// animation draws the same film in this process, and returns its folder.
func animation(t *testing.T, frames string) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "animation")
	animate(t, "", append(filmFlags(frames), "-o", dir)...)
	return dir
}

// animate draws the pictures of a film's command line in this process, by package recipe.
func animate(t *testing.T, dir string, args ...string) {
	t.Helper()
	if dir != "" {
		t.Chdir(dir)
	}
	flags := new(filmCommand)
	parser, err := commandLine.Parser("film", flags, &cli.GlobalFlags{}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := commandLine.Parse(parser, flags, args); err != nil {
		t.Fatal(err)
	}
	f, err := flags.film()
	if err != nil {
		t.Fatal(err)
	}
	names, err := framename.New(f.Output.File, string(flags.Mesh), int(flags.Frames))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(names.Folder(), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := new(recipe.Drawer).Frames(t.Context(), f.Animation, f.Output, func(k int, file []byte) error {
		return os.WriteFile(names.Name(k), file, 0o666)
	}); err != nil {
		t.Fatal(err)
	}
}

// saveScene writes a scene to a file.
func saveScene(t *testing.T, scene, name string) {
	t.Helper()
	s, err := procedural.Parse(scene)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := stl.Write(file, s, stl.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
}

// wantSameFrames checks that two folders hold the same files.
func wantSameFrames(t *testing.T, got, want string) {
	t.Helper()
	names := func(dir string) (list []string) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			list = append(list, e.Name())
		}
		return list
	}
	if g, w := names(got), names(want); !slices.Equal(g, w) {
		t.Fatalf("files %v, want %v", g, w)
	}
	for _, name := range names(want) {
		g, err := os.ReadFile(filepath.Join(got, name))
		if err != nil {
			t.Fatal(err)
		}
		w, err := os.ReadFile(filepath.Join(want, name))
		if err != nil {
			t.Fatal(err)
		}
		if string(g) != string(w) {
			t.Errorf("%s differs", name)
		}
	}
}

// TestFilmIsTheAnimation checks that a film has the pictures of the animation, and leaves nothing else in its folder.
func TestFilmIsTheAnimation(t *testing.T) {
	t.Parallel()
	want, dir := animation(t, "12"), t.TempDir()
	film := append(append([]string{"film"}, filmFlags("12")...), "-o", "out", "--nodes", "2")
	run(t, dir, "", film...).Want(t, cli.Done)
	wantSameFrames(t, filepath.Join(dir, "out"), want)
	wantRecipes(t, filepath.Join(dir, "out"), filmFlags("12")[0])
}

// TestSplitFilmIsTheAnimation checks the pictures of films in which several nodes draw each frame. They must equal
// those of the animation, with any look and any annotations. A slab of a PNG file may contain rows of several nodes.
func TestSplitFilmIsTheAnimation(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, look := range map[string][]string{
		"fast": {"--fast"}, "default": {}, "file": {"--fast", "--size", "90x200"}, "bands": {"--fast", "--size", "500x800"},
		"lines":  {"--edges", "--bounds", "--axes", "--scale-bar", "--label", "a knot", "--background", "none"},
		"ground": {"--ground", "--small"}, "wires": {"--wireframe"},
		"ground of a file": {"--fast", "--ground", "--size", "300x301"}, "prepared file": {},
	} {
		if !*long && name != "prepared file" && name != "lines" && name != "ground of a file" {
			continue
		}
		flags := append([]string{"--turntable", "--frames", "3", "-s", "160x120"}, look...)
		mesh := "scene:knot?triangles=20k"
		if name == "prepared file" {
			mesh = filepath.Join(dir, "knot.lkm")
			prepareScene(t, "scene:knot?triangles=20k", mesh)
		} else if strings.HasSuffix(name, "file") {
			mesh = filepath.Join(dir, "knot.stl")
			saveScene(t, "scene:knot?triangles=20k", mesh)
		}
		animate(t, "", append(append([]string{mesh}, flags...), "-o", filepath.Join(dir, name+"-whole"))...)
		r := run(t, dir, "", append(append([]string{"film", mesh}, flags...), "-o", name+"-split", "--nodes", "3", "--split", "always")...)
		r.Want(t, cli.Done)
		if strings.Contains(r.Stderr, "warning") {
			t.Errorf("%s: %s", name, r.Stderr)
		}
		wantSameFrames(t, filepath.Join(dir, name+"-split"), filepath.Join(dir, name+"-whole"))
		wantRecipes(t, filepath.Join(dir, name+"-split"), mesh)
	}
}

// prepareScene writes a scene as a prepared mesh.
func prepareScene(t *testing.T, scene, path string) {
	t.Helper()
	source, err := procedural.Parse(scene)
	if err != nil {
		t.Fatal(err)
	}
	mesh, err := scenes.Load(t.Context(), source, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := render.NewSurface(t.Context(), mesh, render.SurfaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := s.WritePrepared(t.Context(), &out, 0, 1); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestCroppedFilmIsTheAnimation checks that a film of cropped pictures, each drawn by one node, equals the animation.
func TestCroppedFilmIsTheAnimation(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	flags := []string{"scene:knot?triangles=5k", "--turntable", "--frames", "3", "-s", "160x120", "--crop", "30,20,77x91", "--axes"}
	animate(t, "", append(flags, "-o", filepath.Join(dir, "whole"))...)
	run(t, dir, "", append(append([]string{"film"}, flags...), "-o", "film", "--nodes", "2", "--split", "never")...).Want(t, cli.Done)
	wantSameFrames(t, filepath.Join(dir, "film"), filepath.Join(dir, "whole"))
	wantRecipes(t, filepath.Join(dir, "film"), flags[0])
}

// TestFilmSurvivesKills kills processes of a film, and checks that the same command completes it.
func TestFilmSurvivesKills(t *testing.T) {
	t.Parallel()
	for split, lease := range map[string]string{"never": "500ms", "always": "2s"} {
		t.Run("split="+split, func(t *testing.T) {
			t.Parallel()
			filmSurvivesKills(t, split, lease)
		})
	}
}

func filmSurvivesKills(t *testing.T, split, lease string) {
	if _, err := exec.LookPath("pkill"); err != nil {
		t.Skip("there is no pkill")
	}
	want, dir := animation(t, "40"), t.TempDir()
	out := filepath.Join(dir, "out")
	args := append(append([]string{"film"}, filmFlags("40")...), "-o", out, "--nodes", "2", "--lease", lease, "--tries", "20", "--split", split)

	disturbed(t, out, func() func() bool {
		first := command(t, dir, args...)
		if err := first.Start(); err != nil {
			t.Fatal(err)
		}
		return func() bool { first.Process.Kill(); first.Wait(); return countFrames(out) < 40 }
	})
	if _, err := os.Stat(filepath.Join(out, film.Folder)); err != nil {
		t.Fatalf("the queue is gone: %v", err)
	}

	second := command(t, dir, args...)
	var errs strings.Builder
	second.Stderr = &errs
	if err := second.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		for _, role := range []string{"local-0", "serve", "local-1"} {
			select {
			case <-done:
				return
			case <-time.After(150 * time.Millisecond):
			}
			exec.Command("pkill", "-9", "-f", tested.Path(t)+".*"+role+".*"+regexp.QuoteMeta(out)).Run()
		}
	}()
	err := second.Wait()
	close(done)
	if err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	wantSameFrames(t, out, want)
}

// disturbed starts a film, and calls the function disturb when the film has some pictures. On a busy machine all frames
// may already be drawn. Then disturb waits for the end of the film and returns false, and the film is started again.
func disturbed(t *testing.T, out string, start func() (disturb func() (inTime bool))) {
	t.Helper()
	for {
		disturb := start()
		waitFor(t, func() bool { return countFrames(out) > 3 })
		if disturb() {
			return
		}
		if err := os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}
	}
}

// countFrames returns how many pictures are in a folder.
func countFrames(dir string) int {
	names, _ := filepath.Glob(filepath.Join(dir, "*.png"))
	return len(names)
}

// waitFor waits until a condition holds, at most as long as a command may run.
func waitFor(t *testing.T, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(clitest.RunLimit); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not come")
		}
	}
}

// TestFilmFails checks that a frame on which nothing is visible fails with a line of its own, and that the other frames
// are drawn. The commands status, retry and cancel must work on the unfinished film.
func TestFilmFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	two := append(clitest.Cube([3]float32{-10, 0, 0}, 1), clitest.Cube([3]float32{10, 0, 0}, 1)...)
	clitest.Write(t, filepath.Join(dir, "two.stl"), clitest.STL(two))
	args := []string{"film", "two.stl", "--turntable", "--frames", "4", "-s", "100", "--fast", "--view", "front", "--zoom", "8", "-o", "out/two_####.png", "--nodes", "1"}
	once := func() {
		t.Helper()
		r := run(t, dir, "", args...)
		for _, words := range []string{"frame 0: ", "frame 2: ", "(try 1, on node local-0)", "2 of 4 frames failed: 0, 2"} {
			if r.Code != int(cli.Partial) || !strings.Contains(r.Stderr, words) {
				t.Errorf("code %d, want %d and %q: %s", r.Code, cli.Partial, words, r.Stderr)
			}
		}
		if n := countFrames(filepath.Join(dir, "out")); n != 2 {
			t.Errorf("%d pictures, want 2", n)
		}
	}
	once()

	ask := func(command string) clitest.Result { return run(t, dir, "", command, "-o", "out/two_####.png") }
	if r := ask("status"); r.Code != int(cli.Done) || !strings.Contains(r.Stdout, "2 of 4 frames drawn, 2 failed, finished") ||
		!strings.Contains(r.Stdout, "frame 2: ") {
		t.Errorf("status: %+v", r)
	}
	if r := ask("retry"); r.Code != int(cli.Done) || !strings.Contains(r.Stdout, "0 failed, in the queue") {
		t.Errorf("retry: %+v", r)
	}
	if r := ask("cancel"); r.Code != int(cli.Done) || !strings.Contains(r.Stdout, "cancelled") {
		t.Errorf("cancel: %+v", r)
	}
	// Submitting it again continues it.
	once()
}

func TestFilmUsage(t *testing.T) {
	dir, cube := clitest.CubeFile(t)
	flags := func(more ...string) []string {
		return append([]string{"film", cube, "--turntable", "--frames", "2", "-s", "20"}, more...)
	}
	for word, args := range map[string][]string{
		"expected -o DIR":      flags(),
		"into a folder":        flags("-o", "film.png"),
		"standard input":       {"film", "-", "--turntable", "--frames", "2", "-o", "out"},
		"--nodes 1000":         flags("-o", "out", "--nodes", "1000"),
		"draws one mesh":       flags("other.stl", "-o", "out"),
		"render animate draws": flags("other.stl", "-o", "out"),
		"--server":             flags("-o", "out", "--server", "localhost"),
		"one of them":          flags("-o", "out", "--server", "nats://h:1", "--listen", ":1"),
		"--tries 0":            flags("-o", "out", "--tries", "0"),
		"--join":               {"node", "--join", "localhost"},
		"--name local-9":       {"node", "--join", "nats://localhost:1", "--name", "local-9"},
		"--name submitter":     {"node", "--join", "nats://localhost:1", "--name", "submitter"},
		"--listen 5":           {"serve", "--dir", "s", "--listen", "5"},
		"status: expected -o":  {"status"},
		"render animate":       flags("-o", "out", "--stats", "json"),
		"cannot be read":       {"node", "--join", "nats://localhost:1", "--key", "missing"},
		"secret cannot be":     flags("-o", "out", "--server", "nats://localhost:1", "--key", "missing"),
	} {
		runHere(t, dir, args...).Want(t, cli.Usage, word)
	}
	runHere(t, dir, "status", "-o", dir).Want(t, cli.Input, "no film is under way")
	runHere(t, dir, "retry", "-o", "none/f_####.png").Want(t, cli.Input, "none: no film is under way", "there is no such folder")
	runHere(t, dir, "cancel", "-o", "f.png").Want(t, cli.Usage, "into a folder")
	// If a port is taken, the server prints one line and the film another.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	r := run(t, dir, "", flags("-o", "out", "--listen", l.Addr().String())...)
	if r.Code != int(cli.Output) || !strings.Contains(r.Stderr, "does not start") {
		t.Errorf("port that is taken: %+v", r)
	}
}

// TestServeKeepsSecrets checks that only the owner can read the secrets.
func TestServeKeepsSecrets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	serve := command(t, dir, "serve", "--dir", "s", "--child")
	in, err := serve.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 200)
	n, err := out.Read(line)
	if err != nil || !strings.HasPrefix(string(line[:n]), joinPrefix+"nats://127.0.0.1:") || !strings.Contains(string(line[:n]), "#sha256:") {
		t.Errorf("%q, %v", line[:n], err)
	}
	for _, name := range []string{submitKey, workKey, certificate} {
		info, err := os.Stat(filepath.Join(dir, "s", name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
	}
	// A node with the certificate but without the key is refused with one line.
	join := strings.Fields(string(line[:n]))[3]
	run(t, dir, "", "node", "--join", join).Want(t, cli.Input, "refused")
	in.Close()
	if err := serve.Wait(); err != nil {
		t.Errorf("the server ends with %v", err)
	}
}

// TestFilmOfClip draws a film of a clip in several processes, and checks that flags which contradict a clip are
// refused.
func TestFilmOfClip(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	clitest.Write(t, filepath.Join(dir, "a.gltf"), clitest.SlidingSquare())
	run(t, dir, "", "film", "a.gltf", "--clip", "slide", "--frames", "3", "-s", "40x30", "-o", "out", "--nodes", "2").Want(t, cli.Done)
	clitest.WantFiles(t, filepath.Join(dir, "out"), "a_0000.png", "a_0001.png", "a_0002.png")
	for flags, says := range map[string]string{
		"--split always": "--clip moves it", "--fit tight": "fitted by its box",
	} {
		line := append([]string{"film", "a.gltf", "-o", "x", "-s", "40x30", "--clip", "1"}, strings.Fields(flags)...)
		runHere(t, dir, line...).Want(t, cli.Usage, says)
	}
}
