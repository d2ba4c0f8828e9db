package main

import (
	"fmt"
	"image/color"
	"path/filepath"
	"testing"
)

// TestCropOfLines puts a picture with lines, text and a legend together from parts: it is the whole
// picture but for a few pixels, whose corners round another way. Lines are as wide in the parts,
// and what stands in a corner of the whole picture does not stand in each of theirs.
func TestCropOfLines(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "wave.ply"), string(read(t, "../../testdata/wave.ply")))
	args := []string{
		"wave.ply", "--field", "height", "--legend", "--edges", "--bounds", "--axes", "--scale-bar", "--label", "Wave",
		"--occlusion", "off", "-s", "1200x900", "-q", "-o", "o.png",
	}
	run(t, dir, "", args...).want(t, exitDone)
	whole := pictureFile(t, dir, "o.png")
	for _, more := range [][]string{nil, {"--max-memory", "9M"}} {
		differ := 0
		for _, part := range []string{"0,0,700x500", "700,0,500x500", "0,500,700x400", "700,500,500x400"} {
			run(t, dir, "", append(append(args, "--crop", part), more...)...).want(t, exitDone)
			var x0, y0, w, h int
			fmt.Sscanf(part, "%d,%d,%dx%d", &x0, &y0, &w, &h)
			got := pictureFile(t, dir, "o.png")
			for y := range h {
				for x := range w {
					if far(got.At(x, y), whole.At(x0+x, y0+y)) {
						differ++
					}
				}
			}
		}
		if differ > 40 {
			t.Errorf("%v: %d pixels differ", more, differ)
		}
	}
}

// far reports whether colours differ by more than rounding.
func far(a, b color.Color) bool {
	p, q := color.NRGBAModel.Convert(a).(color.NRGBA), color.NRGBAModel.Convert(b).(color.NRGBA)
	apart := func(x, y uint8) bool { return max(x, y)-min(x, y) > 2 }
	return apart(p.R, q.R) || apart(p.G, q.G) || apart(p.B, q.B) || apart(p.A, q.A)
}
