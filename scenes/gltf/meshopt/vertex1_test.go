package meshopt

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"testing"

	"pgregory.net/rapid"
)

// Known answers from the tests of meshoptimizer (demo/tests.cpp).
var (
	wantVertices = append(append(append(shorts(0, 0, 0, 0, 0, 0), shorts(300, 0, 0, 0, 500, 0)...), shorts(0, 300, 0, 0, 0, 500)...), shorts(300, 300, 0, 0, 500, 500)...)

	usualVertices = []byte{
		0xa1, 0xee, 0xaa, 0xee, 0x00, 0x4b, 0x4b, 0x4b, 0x00, 0x00, 0x4b, 0x00, 0x00, 0x7d, 0x7d, 0x7d,
		0x00, 0x00, 0x7d, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x62, 0x00, 0x62,
	}
	customVertices = []byte{
		0xa1, 0xd4, 0x94, 0xd4, 0x01, 0x0e, 0x00, 0x58, 0x57, 0x58, 0x02, 0x02, 0x12, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x58, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x0e, 0x00, 0x7d, 0x7d, 0x7d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x7d, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x62,
	}
	differences = []byte{
		0xa1, 0x99, 0x99, 0x01, 0x2a, 0xaa, 0xaa, 0xaa, 0x02, 0x04, 0x44, 0x44, 0x44, 0x43, 0x33, 0x33,
		0x33, 0x02, 0x06, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x02, 0x08, 0x88, 0x88, 0x88, 0x87,
		0x77, 0x77, 0x77, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0xf8, 0x00, 0xf8, 0x00, 0xf0, 0x00, 0xf0, 0x00, 0x01, 0x01,
	}
	wantDifferences = shorts(
		248, 248, 240, 240, 249, 250, 243, 244, 250, 252, 246, 248, 251, 254, 249, 252,
		252, 256, 252, 256, 253, 258, 255, 260, 254, 260, 258, 264, 255, 262, 261, 268,
		256, 264, 264, 272, 257, 262, 267, 268, 258, 260, 270, 264, 259, 258, 273, 260,
		260, 256, 276, 256, 261, 254, 279, 252, 262, 252, 282, 248, 263, 250, 285, 244)
)

// TestVerticesOfVersion1 decodes known answers, and checks that their truncated data is refused.
func TestVerticesOfVersion1(t *testing.T) {
	for name, c := range map[string]struct {
		data        []byte
		count, size int
		want        []byte
	}{"usual": {usualVertices, 4, 12, wantVertices}, "custom": {customVertices, 4, 12, wantVertices}, "differences": {differences, 16, 8, wantDifferences}} {
		if got, err := DecodeVertices(c.data, c.count, c.size); err != nil || !bytes.Equal(got, c.want) {
			t.Errorf("%s: %v, %v, want %v", name, got, err, c.want)
		}
		for n := range c.data {
			if _, err := DecodeVertices(c.data[:n], c.count, c.size); err == nil {
				t.Errorf("%s: %d bytes of %d are enough", name, n, len(c.data))
			}
		}
		if _, err := DecodeVertices(append([]byte{0xa2}, c.data[1:]...), c.count, c.size); err != errVersion {
			t.Errorf("%s: version 2: %v", name, err)
		}
		unknown := bytes.Clone(c.data)
		unknown[len(unknown)-1] = 3
		if _, err := DecodeVertices(unknown, c.count, c.size); err != errChannel {
			t.Errorf("%s: an unknown channel: %v", name, err)
		}
	}
	if _, err := DecodeVertices(append([]byte{0xa1}, make([]byte, 100)...), 1<<30, 4); err != errShort {
		t.Errorf("more vertices than there are bytes for: %v", err)
	}
}

// TestEncodedVertices decodes the output of an encoder that chooses a random valid form for each run and group.
func TestEncodedVertices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size, count := 4*rapid.IntRange(1, 64).Draw(t, "words"), rapid.IntRange(1, 600).Draw(t, "vertices")
		least := rapid.SampledFrom([]int{1, 2, 8, 256}).Draw(t, "values")
		want := make([]byte, size*count)
		seed := rapid.Uint32().Draw(t, "seed")
		for i := range want {
			seed = seed*1664525 + 1013904223
			want[i] = byte(int(seed>>24) % least)
		}
		data := encodeVertices(t, want, size)
		got, err := DecodeVertices(data, count, size)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%d vertices of %d bytes: %v", count, size, err)
		}
		if _, err := DecodeVertices(data, count+1, size); err == nil && count%verticesPerBlock(size) == 0 {
			t.Fatal("a vertex more")
		}
	})
}

// encodeVertices is the inverse of DecodeVertices of version 1.
func encodeVertices(t *rapid.T, vertices []byte, size int) []byte {
	last, channels := rapid.SliceOfN(rapid.Byte(), size, size).Draw(t, "last"), make([]byte, size/4)
	for k := range channels {
		kind := rapid.IntRange(0, 2).Draw(t, "channel")
		channels[k] = byte(kind)
		if kind == channelChange {
			channels[k] |= byte(rapid.IntRange(0, 15).Draw(t, "rotation") << 4)
		}
	}
	data, before := []byte{vertexHeader | 1}, last
	for block := verticesPerBlock(size) * size; len(vertices) > 0; {
		part := vertices[:min(block, len(vertices))]
		vertices = vertices[len(part):]
		control, runs := make([]byte, size/4), []byte(nil)
		for k := 0; k < size; k += 4 {
			for j, run := range changes(part, before, k, size, channels[k/4]) {
				stored, b := encodeRun(t, run)
				control[k/4] |= stored << (2 * j)
				runs = append(runs, b...)
			}
		}
		data = append(append(data, control...), runs...)
		before = part[len(part)-size:]
	}
	tail := append(bytes.Clone(last), channels...)
	return append(append(data, make([]byte, max(leastTail[1]-len(tail), 0))...), tail...)
}

// changes returns the four runs of the differences of word k of the vertices.
func changes(part, before []byte, k, size int, channel byte) (runs [4][]byte) {
	for at := 0; at < len(part); at += size {
		a, b := binary.LittleEndian.Uint32(before[k:]), binary.LittleEndian.Uint32(part[at+k:])
		var change uint32
		switch channel & 3 {
		case channelBytes:
			for j := 0; j < 32; j += 8 {
				d := byte(b>>j) - byte(a>>j)
				change |= uint32(d<<1^byte(int8(d)>>7)) << j
			}
		case channelWords:
			for j := 0; j < 32; j += 16 {
				d := uint16(b>>j) - uint16(a>>j)
				change |= uint32(d<<1^uint16(int16(d)>>15)) << j
			}
		case channelChange:
			change = bits.RotateLeft32(a^b, int(channel>>4))
		}
		for j := range runs {
			runs[j] = append(runs[j], byte(change>>(8*j)))
		}
		before = part[at:]
	}
	return runs
}

// encodeRun stores a run in a form that is chosen at random.
func encodeRun(t *rapid.T, run []byte) (stored byte, b []byte) {
	stored = rapid.SampledFrom([]byte{0, 1, storedLiteral}).Draw(t, "stored")
	switch {
	case bytes.Count(run, []byte{0}) == len(run) && rapid.Bool().Draw(t, "zero"):
		return storedZero, nil
	case stored == storedLiteral:
		return stored, run
	}
	whole := append(bytes.Clone(run), make([]byte, -len(run)&(groupSize-1))...)
	header := make([]byte, (len(whole)/groupSize+3)/4)
	for g := 0; g*groupSize < len(whole); g++ {
		group := whole[g*groupSize:][:groupSize]
		kind := rapid.IntRange(0, 3).Draw(t, "kind")
		if stored == 0 && kind == 0 && bytes.Count(group, []byte{0}) < groupSize {
			kind = 1
		}
		header[g/4] |= byte(kind << (g % 4 * 2))
		b = append(b, encodeGroup(group, groupBits1[int(stored)+kind])...)
	}
	return stored, append(header, b...)
}

// encodeGroup is the inverse of decodeGroup.
func encodeGroup(group []byte, bits int) []byte {
	switch bits {
	case 0:
		return nil
	case 8:
		return group
	}
	b, more, escape := make([]byte, groupSize*bits/8), []byte(nil), byte(1)<<bits-1
	for i, v := range group {
		if v >= escape {
			more, v = append(more, v), escape
		}
		at := i * bits
		shift := 8 - bits - at%8
		if bits == 1 {
			shift = at % 8
		}
		b[at/8] |= v << shift
	}
	return append(b, more...)
}
