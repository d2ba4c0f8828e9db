package pictureflags

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
)

// chunkOf returns a PNG chunk that claims a length of n bytes and contains data.
func chunkOf(kind string, n int, data []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(n))
	return append(append(b, kind...), data...)
}

// TestReadChunk checks that a chunk before the pixels may have at most 64 KiB and is read with its checksum. If a chunk
// holds pixels, only its kind is read, whatever its length.
func TestReadChunk(t *testing.T) {
	full := bytes.Repeat([]byte{7}, maxHeadChunk+4)
	r := bytes.NewReader(append(chunkOf("tEXt", maxHeadChunk, full), chunkOf("IDAT", 1<<31-1, nil)...))
	kind, data, err := ReadChunk(r)
	if kind != "tEXt" || len(data) != 64<<10 || err != nil {
		t.Errorf("the largest chunk: %q, %d bytes, %v", kind, len(data), err)
	}
	if kind, data, err = ReadChunk(r); kind != "IDAT" || data != nil || err != nil || r.Len() != 0 {
		t.Errorf("pixels: %q, %d bytes, %v, %d bytes are left", kind, len(data), err, r.Len())
	}
	if _, _, err := ReadChunk(bytes.NewReader(chunkOf("tEXt", maxHeadChunk+1, append(full, 7)))); err == nil || errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a chunk that is larger by a byte: %v", err)
	}
	for _, n := range []int{0, 5, 8, 8 + maxHeadChunk + 3} { // the head, the data and the checksum are truncated
		if _, _, err := ReadChunk(bytes.NewReader(chunkOf("tEXt", maxHeadChunk, full)[:n])); !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d bytes of a chunk: %v", n, err)
		}
	}
}
