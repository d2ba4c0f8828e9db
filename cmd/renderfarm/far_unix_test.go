//go:build unix

package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"lockstep/cluster"
	"lockstep/internal/cli"
	"lockstep/internal/clitest"
	"lockstep/internal/pictureflags"
)

// An outputCollector collects the output of a running process.
type outputCollector struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *outputCollector) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *outputCollector) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// joinLine matches the line that a film prints for other machines.
var joinLine = regexp.MustCompile(`renderfarm node --join (\S+) --key (\S+)`)

// startOpenFilm starts a film without local nodes, and returns its address and the file with the nodes' key.
func startOpenFilm(t *testing.T, dir string, args ...string) (film *exec.Cmd, text *outputCollector, join, key string) {
	t.Helper()
	text = new(outputCollector)
	film = command(t, dir, append(append([]string{"film"}, args...), "--nodes", "0", "--listen", "127.0.0.1:"+clitest.FreePort(t))...)
	film.Stdout, film.Stderr = text, text
	if err := film.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { film.Process.Kill(); film.Wait() })
	waitFor(t, func() bool { return joinLine.MatchString(text.String()) })
	words := joinLine.FindStringSubmatch(text.String())
	return film, text, words[1], filepath.Join(dir, filepath.FromSlash(words[2]))
}

// farNode starts a node in an empty root directory, without the mesh and the folder of the pictures.
func farNode(t *testing.T, root, join, key string, more ...string) *exec.Cmd {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("another root is for the superuser")
	}
	for from, to := range map[string]string{tested.Path(t): program, key: "work.key"} {
		in, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, to), in, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(root, "tmp"), 0o777); err != nil {
		t.Fatal(err)
	}
	node := command(t, "/", append([]string{"node", "--join", join, "--key", "/work.key", "--cache", "/cache"}, more...)...)
	node.Path = "/" + program
	node.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
	return node
}

// drawnFarAway draws a film with a node in an empty root directory, and compares the pictures with those of render
// animate. It returns the names of the files in the node's cache.
func drawnFarAway(t *testing.T, dir string, flags []string, more ...string) (cached []string) {
	t.Helper()
	root := t.TempDir()
	animate(t, dir, append(flags[:len(flags):len(flags)], "-o", "want")...)
	film, text, join, key := startOpenFilm(t, dir, append(append(flags, "-o", "out"), more...)...)
	node := farNode(t, root, join, key)
	stderr := new(outputCollector)
	node.Stderr = stderr
	in, err := node.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	node.Args = append(node.Args, "--child")
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	err = film.Wait()
	in.Close()
	if e := node.Wait(); e != nil {
		t.Errorf("the node ends with %v", e)
	}
	if err != nil {
		t.Fatalf("%v: %s\n%s", err, text, stderr)
	}
	wantSameFrames(t, filepath.Join(dir, "out"), filepath.Join(dir, "want"))
	cache := filepath.Join(root, "cache")
	filepath.WalkDir(cache, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(cache, path)
			_, name, _ = strings.Cut(filepath.ToSlash(name), "/") // removes the folder of the set from the name
			cached = append(cached, name)
		}
		return err
	})
	return cached
}

// TestFilmOnFarMachine checks that a node on another machine downloads the mesh, the files to which the mesh refers,
// and the files that flags name. It must upload its pictures.
func TestFilmOnFarMachine(t *testing.T) {
	for _, split := range []string{"never", "always"} {
		t.Run("split="+split, func(t *testing.T) {
			dir := t.TempDir()
			_, flags := sourcesOf(t, dir)
			got := drawnFarAway(t, dir, flags, "--split", split)
			want := []string{"add-0/added.obj", "add-0/cube.mtl", "mesh/cube.mtl", "mesh/cube.obj", "mesh/skins/skin.png"}
			if !slices.Equal(got, want) {
				t.Errorf("the node keeps %v, want %v", got, want)
			}
		})
	}
	t.Run("camera", func(t *testing.T) {
		dir, cube := clitest.CubeFile(t)
		clitest.Write(t, filepath.Join(dir, "camera.json"), `{"eye": [5, 6, 3], "target": [0, 0, 0], "fov": 28}`)
		drawnFarAway(t, dir, []string{cube, "--turntable", "--frames", "6", "-s", "120x90", "--camera=camera.json"})
	})
}

// A faultyDrawer draws every frame wrongly.
type faultyDrawer struct{}

func (faultyDrawer) Open(context.Context, cluster.Job) (cluster.Frames, error) {
	return faultyDrawer{}, nil
}
func (faultyDrawer) Draw(context.Context, int) ([]byte, error)                 { return []byte("a forgery"), nil }
func (faultyDrawer) Save(context.Context, int, []byte) (saved bool, err error) { return false, nil }
func (faultyDrawer) Close() error                                              { return nil }

// TestSpotChecks checks that the film's command finds a node with wrong pictures, by drawing one of its frames. The
// command must name and block the node, and replace its pictures.
func TestSpotChecks(t *testing.T) {
	t.Parallel()
	want, dir := animation(t, "12"), t.TempDir()
	film, text, join, key := startOpenFilm(t, dir, append(filmFlags("12"), "-o", "out")...)
	address, err := cluster.ParseAddress(join)
	if err != nil {
		t.Fatal(err)
	}
	if address.Seed, err = readKey(pictureflags.Path(key)); err != nil {
		t.Fatal(err)
	}
	conn, err := cluster.Dial(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(t.Context(), clitest.RunLimit/2)
	defer cancel()
	if err := conn.Work(ctx, ctx, faultyDrawer{}, cluster.WorkOptions{Name: "forger"}); !errors.Is(err, cluster.ErrBlocked) {
		t.Fatalf("the forger ends with %v: %s", err, text)
	}
	node := command(t, dir, "node", "--join", join, "--key", key)
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	if err := film.Wait(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	node.Process.Kill()
	node.Wait()
	if !strings.Contains(text.String(), "node forger drew frame 0 differently") {
		t.Errorf("it is not named: %s", text)
	}
	wantSameFrames(t, filepath.Join(dir, "out"), want)
}

// TestAskRunningFilm checks that other commands can print the progress of a running film and cancel it, and that a node
// with --idle ends after the film's server has ended.
func TestAskRunningFilm(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	film, text, join, key := startOpenFilm(t, dir, append(filmFlags("3"), "-o", "out")...)
	theJob(t, join, key) // wait until it is submitted
	run(t, dir, "", "status", "-o", "out").WantOut(t, "0 of 3 frames drawn, 0 failed, in the queue")
	run(t, dir, "", "cancel", "-o", "out").WantOut(t, "cancelled")
	err := film.Wait()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() != int(cli.Partial) || !strings.Contains(text.String(), "the film was cancelled after 0 of 3 frames") {
		t.Errorf("the command ends with %v: %s", err, text)
	}
	again, _, join, key := startOpenFilm(t, dir, append(filmFlags("3"), "-o", "out")...)
	theJob(t, join, key) // a node that starts earlier would find nothing to draw, and end
	node := command(t, dir, "node", "--join", join, "--key", key, "--idle", "500ms", "--workers", "1")
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(again.Wait(), node.Wait()); err != nil {
		t.Errorf("a film that is taken up again, and its node: %v", err)
	}
}
