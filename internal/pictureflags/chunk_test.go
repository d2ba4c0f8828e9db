package pictureflags

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
)

// chunkOf returns a PNG chunk that claims n bytes and has the given ones.
func chunkOf(kind string, n int, data []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(n))
	return append(append(b, kind...), data...)
}

// A chunk before the pixels may have 64 KiB and no more, and is read with its checksum. Of pixels the kind alone is read,
// however many there are.
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
	for _, n := range []int{0, 5, 8, 8 + maxHeadChunk + 3} { // the head, the data and the checksum are cut short
		if _, _, err := ReadChunk(bytes.NewReader(chunkOf("tEXt", maxHeadChunk, full)[:n])); !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d bytes of a chunk: %v", n, err)
		}
	}
}
