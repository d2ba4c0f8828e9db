package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"

	"lockstep/render/png"
)

// pngEnd is the last chunk of every PNG file.
var pngEnd = []byte("\x00\x00\x00\x00IEND\xaeB`\x82")

// finished reports whether name is a whole picture of that size with that
// text: one that an earlier run made of the same contents of files with the same flags.
func finished(name string, width, height int, text []png.Text) bool {
	if slices.Contains(text, png.Text{Keyword: contentsKey, Value: unknownContents}) {
		return false
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	end := make([]byte, len(pngEnd))
	if _, err := f.Seek(-int64(len(end)), io.SeekEnd); err != nil {
		return false
	}
	if _, err := io.ReadFull(f, end); err != nil || !bytes.Equal(end, pngEnd) {
		return false
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return false
	}
	return sameHeader(f, width, height, text)
}

// sameHeader reports whether a PNG file has this size and text before its pixels.
func sameHeader(r io.Reader, width, height int, text []png.Text) bool {
	var signature [8]byte
	if _, err := io.ReadFull(r, signature[:]); err != nil || string(signature[:]) != "\x89PNG\r\n\x1a\n" {
		return false
	}
	for at := 0; ; {
		kind, data, err := readChunk(r)
		switch {
		case err != nil:
			return false
		case kind == "IDAT":
			return at == len(text)
		case kind == "IHDR":
			if len(data) < 8 || binary.BigEndian.Uint32(data) != uint32(width) || binary.BigEndian.Uint32(data[4:]) != uint32(height) {
				return false
			}
		case kind == "tEXt" || kind == "iTXt":
			if at == len(text) || !sameText(kind, data, text[at]) {
				return false
			}
			at++
		}
	}
}

// sameText reports whether a chunk holds this text.
func sameText(kind string, data []byte, want png.Text) bool {
	if kind == "iTXt" {
		// Not compressed, no language and no translated keyword.
		return string(data) == want.Keyword+"\x00\x00\x00\x00\x00"+want.Value
	}
	latin1 := []byte(want.Keyword + "\x00")
	for _, r := range want.Value {
		if r > 0xff {
			return false
		}
		latin1 = append(latin1, byte(r))
	}
	return bytes.Equal(data, latin1)
}

// maxHeadChunk bounds a chunk that can stand before the pixels of our own files.
const maxHeadChunk = 64 << 10

// readChunk reads one chunk; of pixels, only its kind.
func readChunk(r io.Reader) (kind string, data []byte, err error) {
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
	data = make([]byte, n+4) // with its checksum
	if _, err := io.ReadFull(r, data); err != nil {
		return "", nil, err
	}
	return kind, data[:n], nil
}
