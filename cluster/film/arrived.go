package film

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// pngSignature is the beginning of every PNG file.
const pngSignature = "\x89PNG\r\n\x1a\n"

// checkPNG returns an error unless file is a PNG file of the given size with undamaged chunks. It does not decompress
// the pixels, which would take as long as drawing a small picture.
func checkPNG(file []byte, width, height int) error {
	rest, ok := bytes.CutPrefix(file, []byte(pngSignature))
	if !ok {
		return errors.New("it is no PNG file")
	}
	pixels := false
	for first := true; ; first = false {
		const head, tail = 8, 4 // bytes of a chunk before its data (length and kind) and after its data (checksum)
		if len(rest) < head+tail {
			return errors.New("the PNG file is cut short")
		}
		n := int64(binary.BigEndian.Uint32(rest))
		if n > int64(len(rest)-head-tail) {
			return errors.New("the PNG file is cut short")
		}
		kind, data := string(rest[4:head]), rest[head:head+n]
		if crc32.ChecksumIEEE(rest[4:head+n]) != binary.BigEndian.Uint32(rest[head+n:]) {
			return fmt.Errorf("chunk %q of the PNG file is damaged", kind)
		}
		rest = rest[head+n+tail:]
		switch {
		case first && (kind != "IHDR" || len(data) < head):
			return errors.New("the PNG file has no header")
		case first:
			if w, h := binary.BigEndian.Uint32(data), binary.BigEndian.Uint32(data[4:]); int64(w) != int64(width) || int64(h) != int64(height) {
				return fmt.Errorf("the picture has %dx%d pixels, expected %dx%d", w, h, width, height)
			}
		case kind == "IDAT":
			pixels = true
		case kind == "IEND" && pixels && len(rest) == 0:
			return nil
		case kind == "IEND":
			return errors.New("the PNG file ends early")
		}
	}
}
