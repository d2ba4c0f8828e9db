package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
	"lockstep/vp"
)

// TestExplainWithoutFrames checks that each loop has a line even if no frame was drawn.
func TestExplainWithoutFrames(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	nan := float32(math.NaN())
	clitest.Write(t, filepath.Join(dir, "nan.stl"), clitest.STL([]clitest.Triangle{{{nan, nan, nan}, {nan, nan, nan}, {nan, nan, nan}}}))
	want := "scan: not balanced: it had nothing to do\nzbuffer: not balanced: it had nothing to do\n"
	args := []string{"--quiet", "-s", "16", "--explain"}
	animate := append([]string{"animate", mesh, "--turntable", "--frames", "2", "-o", "out"}, args...)
	run(t, dir, "", animate...).Want(t, cli.Done)
	for _, c := range []struct {
		args []string
		code cli.Code
	}{
		{append(animate, "--resume"), cli.Done},
		{append(args, "nan.stl"), cli.Input},
		{append(args, "nan.stl", "--balance", "never"), cli.Input},
		{append(args, mesh, "--zoom", "1e-5"), cli.Blank},
	} {
		r := run(t, dir, "", c.args...)
		r.Want(t, c.code)
		if !strings.HasPrefix(r.Stderr, want) {
			t.Errorf("%q: %q", c.args, r.Stderr)
		}
	}
}

// TestExplainZBuffer checks the explanation of the z-buffer's loop: slivers leave most lanes idle, but there is no
// work to move to them.
func TestExplainZBuffer(t *testing.T) {
	l := loopStatistics{}
	l.Name, l.Iterations, l.IterationsUnbalanced, l.LaneUse = "zbuffer", 100, 100, 0.062
	s := statistics{Balance: balanceStatistics{Policy: "cost", Loops: []loopStatistics{l}}}
	var b strings.Builder
	if err := s.printExplanations(&b); err != nil {
		t.Fatal(err)
	}
	want := "zbuffer: not balanced: all lanes work on one run of one span, so there is nothing to move; the runs fill 6.2 % of the lanes\n"
	if b.String() != want {
		t.Errorf("got  %s\nwant %s", b.String(), want)
	}
}

// TestExplainNormals checks the explanation of the loops that determine normals. A picture with --fast has no such
// loop.
func TestExplainNormals(t *testing.T) {
	for _, c := range []struct {
		normals vp.Stats
		want    string
	}{
		{vp.Stats{}, ""},
		{vp.Stats{Processors: 1, Tasks: 8}, "normals: not balanced: 8 tasks on 1 worker\n"},
		{vp.Stats{Processors: 2, Tasks: 8}, "normals: balancing made no difference: no move of tasks would have saved more than its estimated cost; 8 tasks on 2 workers\n"},
		{vp.Stats{Processors: 4, Tasks: 80, Redistributions: 3}, "normals: balancing moved tasks 3 times to workers that had none left; 80 tasks on 4 workers\n"},
	} {
		var b strings.Builder
		if err := (&statistics{normals: c.normals}).printExplanations(&b); err != nil || b.String() != c.want {
			t.Errorf("%+v: %q, %v, want %q", c.normals, b.String(), err, c.want)
		}
	}
	dir := t.TempDir()
	for flags, want := range map[string]string{"--workers 1": "normals: not balanced: ", "--workers 2": " tasks on 2 workers\n", "--fast": ""} {
		r := runIn(t, "off", dir, append(strings.Fields(flags), "scene:bumpy?triangles=40k", "-s", "64", "--explain", "-o", "o.png")...)
		r.Want(t, cli.Done, want)
		if lines := strings.Count(r.Stderr, "\n"); want == "" && lines != 2 || strings.Count(r.Stderr, "normals: ") > 1 {
			t.Errorf("%s: %q", flags, r.Stderr)
		}
	}
}

// TestExplainShared checks the explanation if polygons are shared between workers, whose iterations are not
// predicted.
func TestExplainShared(t *testing.T) {
	r := runIn(t, "off", t.TempDir(), "scene:cube", "--fast", "-s", "4000", "--isa", "generic", "--explain", "-o", "o.png")
	r.Want(t, cli.Done, "scan: balancing gave polygons to several workers; how much time that saved was not measured; 12 of the largest polygons were divided among several workers; ")
	if strings.Contains(r.Stderr, "were moved") || strings.Contains(r.Stderr, " ms") {
		t.Errorf("a time that nobody measured: %s", r.Stderr)
	}
}
