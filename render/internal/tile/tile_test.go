package tile

import "testing"

// TestStride checks strides for several widths, including widths for which rows would lie a page apart. A stride is an
// odd number of cache lines, which hold eight keys each.
func TestStride(t *testing.T) {
	for _, c := range []struct{ tiles, stride int }{
		{1, 128 + 8}, {8, 512 + 136}, {16, 1024 + 136}, {30, 1920 + 8}, {12, 768 + 8}, {512, 32768 + 136}, {15, 960 + 200}, {9, 640 + 8},
	} {
		if got := stride(c.tiles); got != c.stride {
			t.Errorf("%d tiles: %d keys a row, want %d", c.tiles, got, c.stride)
		}
	}
}

// TestStoreChunks checks which frames get chunks for spans: frames of at least a mebibyte, unless most chunks would
// stay empty or a tile row has too many keys. The chunks have at most half the size of the frame, and at most 64 MiB.
func TestStoreChunks(t *testing.T) {
	for _, c := range []struct{ width, height, chunks int }{
		{64, 64, 0}, {256, 448, 0}, // the second frame has 924 KiB
		{256, 512, 65}, {1920, 1080, 1023}, {8192, 16_384, 8188},
		{64, 65_536, 0}, {32_768, 64, 0},
	} {
		if got := New(c.width, c.height).StoreChunks(); got != c.chunks {
			t.Errorf("%dx%d: %d chunks of spans, want %d", c.width, c.height, got, c.chunks)
		}
	}
}
