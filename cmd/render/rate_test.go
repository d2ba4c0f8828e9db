package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// TestRateOf checks the fraction for a number of frames per second.
func TestRateOf(t *testing.T) {
	for v, want := range map[float64]fpsFlag{
		25: {25, 1}, 1: {1, 1}, 1000: {1000, 1}, 12.5: {25, 2}, 23.976: {24000, 1001}, 23.98: {24000, 1001}, 29.97: {30000, 1001},
		59.94: {60000, 1001}, 47.952: {48000, 1001}, 1.001: {1001, 1000}, 29.5: {59, 2}, 24.375: {195, 8},
	} {
		if got := rateOf(v); got != want {
			t.Errorf("%v: %v, want %v", v, got, want)
		}
	}
}

// TestRateFlag draws films with rates that are not whole numbers, and checks that invalid rates are refused.
func TestRateFlag(t *testing.T) {
	dir := t.TempDir()
	film := func(fps, name string) clitest.Result {
		return run(t, dir, "", "animate", "--turntable", "--frames", "3", "-s", "16", "--fps", fps, "-o", name, "scene:cube")
	}
	for fps, want := range map[string][]byte{"29.97": {0x03, 0xe9, 0x75, 0x30}, "25": {0, 1, 0, 25}, "24000/1001": {0x03, 0xe9, 0x5d, 0xc0}} {
		film(fps, "a.png").Want(t, cli.Done)
		// A chunk fcTL holds a number, the width, height, x and y, and the duration of the frame as a fraction.
		file := clitest.Read(t, filepath.Join(dir, "a.png"))
		at := bytes.Index(file, []byte("fcTL"))
		if at < 0 || !bytes.Equal(file[at+24:][:4], want) {
			t.Errorf("%s: a frame lasts % x, want % x", fps, file[at+24:][:4], want)
		}
	}
	for _, fps := range []string{"0", "-1", "1001", "0.5", "1/2", "25/0", "25/", "/1", "NaN", "x", "70000/70", "2e-300"} {
		film(fps, "b.png").Want(t, cli.Usage, "--fps")
	}
	film("60", "c.gif").Want(t, cli.Done, "c.gif", "at most 50 frames a second")
	film("50", "c.gif").Want(t, cli.Done)
}

// TestDPILeftOut checks the warning for files that cannot state a resolution.
func TestDPILeftOut(t *testing.T) {
	dir := t.TempDir()
	run(t, dir, "", "-s", "16", "--dpi", "300", "-o", "a.webp", "scene:cube").Want(t, cli.Done, "a.webp", "--dpi")
	run(t, dir, "", "animate", "--turntable", "--frames", "2", "-s", "16", "--dpi", "300", "-o", "a.gif", "scene:cube").Want(t, cli.Done, "a.gif", "--dpi")
	for _, name := range []string{"a.png", "a.jpg", "a.tif", "a.bmp"} {
		run(t, dir, "", "-s", "16", "--dpi", "300", "-o", name, "scene:cube").Want(t, cli.Done)
		file := clitest.Read(t, filepath.Join(dir, name))
		run(t, dir, "", "-s", "16", "-o", name, "scene:cube").Want(t, cli.Done)
		if bytes.Equal(file, clitest.Read(t, filepath.Join(dir, name))) {
			t.Errorf("%s: the same with --dpi", name)
		}
	}
}
