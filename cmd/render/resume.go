package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"slices"

	"lockstep/internal/pictureflags"
	"lockstep/render/png"
	"lockstep/render/recipe"
)

// pngEnd is the last chunk of every PNG file.
var pngEnd = []byte("\x00\x00\x00\x00IEND\xaeB`\x82")

// A pictureHead holds the chunks of a PNG file before the pixels.
type pictureHead struct {
	width, height  int
	pixelsPerMetre uint32 // 0 if the file states none
	text           []png.Text
}

// expectedHead returns the chunks that w writes before the pixels of a PNG file with this text.
func (w *pipeline) expectedHead(text []png.Text) pictureHead {
	return pictureHead{w.Width, w.Height, recipe.PixelsPerMetre(w.dpi), text}
}

// isFinished reports whether the file is a complete picture that starts with the chunks of want. Its text states the
// flags and the contents of the mesh files. So if these chunks are equal, an earlier run has drawn the same picture.
func isFinished(name string, want pictureHead) bool {
	if slices.Contains(want.text, png.Text{Keyword: recipe.ContentsKey, Value: recipe.UnknownContents}) {
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
	return hasHead(f, want)
}

// hasHead reports whether a PNG file has the head `want`.
func hasHead(r io.Reader, want pictureHead) bool {
	var signature [8]byte
	if _, err := io.ReadFull(r, signature[:]); err != nil || string(signature[:]) != "\x89PNG\r\n\x1a\n" {
		return false
	}
	perMetre := uint32(0)
	for at := 0; ; {
		kind, data, err := pictureflags.ReadChunk(r)
		switch {
		case err != nil:
			return false
		case kind == "IDAT":
			return at == len(want.text) && perMetre == want.pixelsPerMetre
		case kind == "IHDR":
			if len(data) < 8 || binary.BigEndian.Uint32(data) != uint32(want.width) || binary.BigEndian.Uint32(data[4:]) != uint32(want.height) {
				return false
			}
		case kind == "tEXt" || kind == "iTXt":
			if at == len(want.text) || !isTextChunk(kind, data, want.text[at]) {
				return false
			}
			at++
		case kind == "pHYs":
			if len(data) < 4 {
				return false
			}
			perMetre = binary.BigEndian.Uint32(data)
		}
	}
}

// isTextChunk reports whether a chunk with this kind and this data is the text chunk `want`.
func isTextChunk(kind string, data []byte, want png.Text) bool {
	if kind == "iTXt" {
		// The text is not compressed, and has no language and no translated keyword.
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
