package encode_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"math"
	"testing"

	"lockstep/render/encode"
)

// TestEXR reads the written file with an independent reader.
func TestEXR(t *testing.T) {
	const width, height = 7, 37 // three chunks, the last of which is short
	z, id := make([]float32, width*height), make([]uint32, width*height)
	for i := range z {
		z[i], id[i] = float32(math.Sqrt(float64(i))), uint32(i*i)
	}
	z[3] = float32(math.Inf(1))
	var file bytes.Buffer
	if err := encode.EXR(&file, []encode.Channel{{Name: "id", Uint: id}, {Name: "Z", Float: z}}, width, height); err != nil {
		t.Fatal(err)
	}
	rows := readEXR(t, file.Bytes(), width, height, 2)
	for i := range z {
		y, x := i/width, i%width
		// Channels are sorted by name: Z comes before id.
		if got := rows[y][x]; got != math.Float32bits(z[i]) {
			t.Fatalf("Z %d: %x", i, got)
		}
		if got := rows[y][width+x]; got != id[i] {
			t.Fatalf("id %d: %d", i, got)
		}
	}
	if err := encode.EXR(io.Discard, nil, 1, 1); err == nil {
		t.Error("no channels: no error")
	}
	if err := encode.EXR(io.Discard, []encode.Channel{{Name: "Z", Float: z}}, width+1, height); err == nil {
		t.Error("too few values: no error")
	}
}

// readEXR returns the words of each row, channel after channel.
func readEXR(t *testing.T, file []byte, width, height, channels int) [][]uint32 {
	t.Helper()
	le := binary.LittleEndian
	if le.Uint32(file) != 20000630 {
		t.Fatal("no magic number")
	}
	at := 8
	word := func() string {
		n := bytes.IndexByte(file[at:], 0)
		s := string(file[at : at+n])
		at += n + 1
		return s
	}
	for name := word(); name != ""; name = word() {
		word()
		n := int(le.Uint32(file[at:]))
		if name == "compression" && file[at+4] != 3 {
			t.Fatal("not ZIP")
		}
		at += 4 + n
	}
	rows := make([][]uint32, height)
	for y := 0; y < height; y += 16 {
		chunk := file[le.Uint64(file[at:]):]
		at += 8
		if int(le.Uint32(chunk)) != y {
			t.Fatalf("chunk of row %d, want %d", le.Uint32(chunk), y)
		}
		n := min(16, height-y)
		raw := chunk[8 : 8+le.Uint32(chunk[4:])]
		if size := 4 * channels * width * n; len(raw) < size {
			z, err := zlib.NewReader(bytes.NewReader(raw))
			if err != nil {
				t.Fatal(err)
			}
			split, err := io.ReadAll(z)
			if err != nil || len(split) != size {
				t.Fatal(len(split), err)
			}
			for i := 1; i < size; i++ {
				split[i] += split[i-1] - 128
			}
			raw = make([]byte, size)
			for i := range raw {
				raw[i] = split[i/2+i%2*((size+1)/2)]
			}
		}
		for k := range n {
			rows[y+k] = make([]uint32, channels*width)
			for i := range rows[y+k] {
				rows[y+k][i] = le.Uint32(raw[4*(k*channels*width+i):])
			}
		}
	}
	return rows
}
