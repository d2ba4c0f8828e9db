package view

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// TestFiles checks messages with one file and with several files, whose lengths are stated before them.
func TestFiles(t *testing.T) {
	for _, list := range [][]string{{"one"}, {"first", "second"}, {"a", "bc", "d"}} {
		var f pictureFiles
		f.Write([]byte("forgotten"))
		f.reset()
		for _, text := range list {
			f.Write([]byte(text))
		}
		got := f.message(pictureHeader(7, moving, 2, 0.5, 0.25))
		if len(list) != int(got[6]) || binary.LittleEndian.Uint32(got) != 7 || binary.LittleEndian.Uint32(got[8:]) != 500_000 || binary.LittleEndian.Uint32(got[12:]) != 250_000 {
			t.Errorf("%q: the header is % x", list, got[:headerBytes])
		}
		at := headerBytes
		if len(list) > 1 {
			at += 4 * len(list)
		}
		for i, text := range list {
			n := len(got) - at
			if len(list) > 1 {
				n = int(binary.LittleEndian.Uint32(got[headerBytes+4*i:]))
			}
			if !bytes.Equal(got[at:at+n], []byte(text)) {
				t.Errorf("%q: file %d is %q", list, i, got[at:at+n])
			}
			at += n
		}
		if at != len(got) {
			t.Errorf("%q: %d bytes more", list, len(got)-at)
		}
	}
}

// TestFileRows checks that a file has about half a million pixels, and a number of rows that jpeg.Options allows.
func TestFileRows(t *testing.T) {
	for width, want := range map[int]int{16: 32768, 640: 768, 1280: 384, 1920: 256, 4096: 128} {
		if got := fileRows(width); got != want {
			t.Errorf("a picture %d pixels wide has files of %d rows, want %d", width, got, want)
		}
	}
}
