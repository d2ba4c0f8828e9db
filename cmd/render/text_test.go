package main

import (
	"bytes"
	"testing"

	"lockstep/internal/pictureflags"
)

// texts returns the texts of a PNG file by their keywords.
func texts(t *testing.T, data []byte) map[string]string {
	t.Helper()
	found := map[string]string{}
	r := bytes.NewReader(data[8:])
	for {
		kind, chunk, err := pictureflags.ReadChunk(r)
		if err != nil {
			t.Fatal(err)
		}
		switch kind {
		case "IDAT":
			return found
		case "tIME":
			t.Error("the picture has a date")
		case "tEXt":
			keyword, value, _ := bytes.Cut(chunk, []byte{0})
			found[string(keyword)] = string(value)
		case "iTXt":
			keyword, rest, _ := bytes.Cut(chunk, []byte{0})
			found[string(keyword)] = string(bytes.TrimLeft(rest, "\x00"))
		}
	}
}
