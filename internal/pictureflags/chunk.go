package pictureflags

import (
	"encoding/binary"
	"fmt"
	"io"
)

// maxHeadChunk limits the size in bytes of a chunk before the pixels. The program render writes smaller chunks.
const maxHeadChunk = 64 << 10

// ReadChunk reads one chunk of a PNG file. For a chunk with pixels, data is nil.
func ReadChunk(r io.Reader) (kind string, data []byte, err error) {
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return "", nil, err
	}
	kind = string(head[4:])
	if kind == "IDAT" {
		return kind, nil, nil
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > maxHeadChunk {
		return "", nil, fmt.Errorf("chunk of %d bytes", n)
	}
	data = make([]byte, n+4) // 4 bytes are the checksum
	if _, err := io.ReadFull(r, data); err != nil {
		return "", nil, err
	}
	return kind, data[:n], nil
}
