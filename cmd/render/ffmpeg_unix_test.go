//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// TestVideo passes frames to a program in place of ffmpeg. The sizes of frames must be even. The background must be
// white unless the video can be transparent. The arguments must name the format of the colours.
func TestVideo(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, filepath.Join(dir, "bin", "ffmpeg"), "#!/bin/sh\necho \"$@\" > "+filepath.Join(dir, "args")+"\nexec cat\n")
	if err := os.Chmod(filepath.Join(dir, "bin", "ffmpeg"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Join(dir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	const width, height, frames = 33, 21, 2
	for _, c := range []struct {
		name, background, layout, planes string
		bytes                            int // number of bytes of a pixel
	}{
		{"a.mp4", "none", "rgb24", "yuv420p", 3},
		{"a.mp4", "white", "rgb24", "yuv420p", 3},
		{"a.webm", "none", "rgba", "yuva420p", 4},
		{"a.webm", "white", "rgb24", "yuv420p", 3},
	} {
		run(t, dir, "", "animate", "-q", "--turntable", "--frames", "2", "--fps", "23.976", "-s", "33x21", "--background", c.background, "-o", c.name, "scene:cube").Want(t, cli.Done)
		args := string(clitest.Read(t, filepath.Join(dir, "args")))
		for _, want := range []string{"-pixel_format " + c.layout + " ", "-pix_fmt " + c.planes + " ", "-video_size 34x22 ", "-framerate 24000/1001 ", "out_color_matrix=bt709", "-colorspace bt709 "} {
			if !strings.Contains(args, want) {
				t.Errorf("%s, %s: no %q in %s", c.name, c.background, want, args)
			}
		}
		pix := clitest.Read(t, filepath.Join(dir, c.name))
		if len(pix) != frames*(width+1)*(height+1)*c.bytes {
			t.Fatalf("%s, %s: %d bytes", c.name, c.background, len(pix))
		}
		want := []byte{255, 255, 255, 255}
		if c.bytes == 4 {
			want = make([]byte, 4)
		}
		for _, corner := range []int{0, width, (width + 1) * height, (width+1)*(height+1) - 1} {
			if got := pix[corner*c.bytes:][:c.bytes]; string(got) != string(want[:c.bytes]) {
				t.Errorf("%s, %s: pixel %d is %v", c.name, c.background, corner, got)
			}
		}
	}
}
