package tile

import "testing"

// TestStride has widths in tiles whose rows would lie a page apart, and others; an odd
// number of lines, of eight keys, lies between rows.
func TestStride(t *testing.T) {
	for _, c := range []struct{ tiles, stride int }{
		{1, 128 + 8}, {8, 512 + 136}, {16, 1024 + 136}, {30, 1920 + 8}, {12, 768 + 8}, {512, 32768 + 136}, {15, 960 + 200}, {9, 640 + 8},
	} {
		if got := stride(c.tiles); got != c.stride {
			t.Errorf("%d tiles: %d keys a row, want %d", c.tiles, got, c.stride)
		}
	}
}

// TestStoreChunks wants spans kept beside frames of a mebibyte and more, unless most chunks would
// stay empty or a row of tiles has too many keys, in half of the frame's size and 64 MiB at most.
func TestStoreChunks(t *testing.T) {
	for _, c := range []struct{ width, height, chunks int }{
		{64, 64, 0}, {256, 448, 0}, // 924 KiB
		{256, 512, 65}, {1920, 1080, 1023}, {8192, 16_384, 8188},
		{64, 65_536, 0}, {32_768, 64, 0},
	} {
		if got := New(c.width, c.height).StoreChunks(); got != c.chunks {
			t.Errorf("%dx%d: %d chunks of spans, want %d", c.width, c.height, got, c.chunks)
		}
	}
}
