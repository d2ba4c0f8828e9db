package render

import "testing"

// TestFrameStride has widths in tiles whose rows would lie a page apart, and others; an odd
// number of lines, of eight keys, lies between rows.
func TestFrameStride(t *testing.T) {
	for _, c := range []struct{ tiles, stride int }{
		{1, 128 + 8}, {8, 512 + 136}, {16, 1024 + 136}, {30, 1920 + 8}, {12, 768 + 8}, {512, 32768 + 136}, {15, 960 + 200}, {9, 640 + 8},
	} {
		if got := frameStride(c.tiles); got != c.stride {
			t.Errorf("%d tiles: %d keys a row, want %d", c.tiles, got, c.stride)
		}
	}
}

// TestFrameBytes compares with the frame that is made.
func TestFrameBytes(t *testing.T) {
	for _, o := range []Options{{}, {Width: 512, Height: 1}, {Width: 1, Height: 700, Samples: 16}} {
		got, err := o.FrameBytes()
		full, _ := o.withDefaults()
		var f frame
		f.resize(newLayout(full.Width*full.grid(), full.Height*full.grid()), 1, 0)
		if err != nil || got != 8*int64(len(f.keys)) {
			t.Errorf("%+v: %d bytes, %v; there are %d keys", o, got, err, len(f.keys))
		}
	}
	if _, err := (Options{Samples: 3}).FrameBytes(); err == nil {
		t.Error("three samples have a size")
	}
}
