package stl

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"lockstep/scenes/format"
)

// largeCount is a number of triangles that do not fit into the prefix by which a stream is judged.
const largeCount = 2000

// binaryOf returns a binary STL file of n triangles without normals.
func binaryOf(n int, triangle func(t int) [9]float64) []byte {
	file := binary.LittleEndian.AppendUint32(make([]byte, commentSize), uint32(n))
	for t := range n {
		file = append(file, make([]byte, verticesAt)...)
		for _, v := range triangle(t) {
			file = binary.LittleEndian.AppendUint32(file, math.Float32bits(float32(v)))
		}
		file = append(file, 0, 0)
	}
	return file
}

// disc returns triangle t of a fan around the origin, with the given size, at height z.
func disc(t int, size, z float64) [9]float64 {
	s, c := math.Sincos(float64(t) / 100)
	s1, c1 := math.Sincos(float64(t+1) / 100)
	return [9]float64{size * c, size * s, z, size * c1, size * s1, z, 0, 0, z}
}

// blankThen returns a file of 1400 triangles with all coordinates equal to v, followed by a disc.
func blankThen(v float64) []byte {
	return binaryOf(largeCount, func(t int) [9]float64 {
		if t < 1400 {
			return [9]float64{v, v, v, v, v, v, v, v, v}
		}
		return disc(t, 1, 0)
	})
}

func randomBytes(n int) []byte {
	r := rand.New(rand.NewPCG(3, 4))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// lookalikes returns files that are easily mistaken for STL, and STL files that are easily mistaken for something else.
func lookalikes(tb testing.TB) (all []malformed) {
	cube := cubeBinary(tb)
	add := func(name string, file []byte, want outcome) { all = append(all, malformed{name, file, want}) }
	for name, file := range map[string][]byte{
		"1e-21 for zero": binaryOf(largeCount, func(t int) [9]float64 { return disc(t, 1, 1.2e-21) }),
		"times 1e25":     binaryOf(largeCount, func(t int) [9]float64 { return disc(t, 1e25, 0) }),
		"times 1e-25":    binaryOf(largeCount, func(t int) [9]float64 { return disc(t, 1e-25, 0) }),
		"zeros first":    blankThen(0),
	} {
		add(name, file, outcome{triangles: largeCount})
		add(name+", cut", file[:sizeOf(1900)+7], outcome{triangles: 1900, warning: "the file ends within triangle 1900 of 2000"})
		add(name+", count too big", withCount(file, 5000), outcome{triangles: largeCount, warning: "claims 5000 triangles, the file holds 2000"})
		add(name+", three bytes more", append(bytes.Clone(file), 1, 2, 3), outcome{triangles: largeCount, warning: "3 bytes after the last triangle"})
	}
	add("NaN first", blankThen(math.NaN()), outcome{triangles: largeCount, bad: 1400, warning: "this and 1399 more triangles have a NaN"})
	add("1e-21 for zero, cut small", binaryOf(5, func(t int) [9]float64 { return disc(t, 1, 1.2e-21) })[:sizeOf(4)], outcome{triangles: 4, warning: "holds 4"})
	for _, mark := range []string{"glTF", "BZh9", "ply\nformat", "OFF\n", "GIF89a", "\x1f\x8b\x08", "\x89PNG\r\n\x1a\n", "\xff\xfe", "solid\tfacet "} {
		add("header of another format "+itoa(int(mark[0])), patched(cube, 0, []byte(mark)...), outcome{triangles: 12})
		long := patched(binaryOf(largeCount, func(t int) [9]float64 { return disc(t, 1, 0) }), 0, []byte(mark)...)
		add("long, header of another format "+itoa(int(mark[0])), long, outcome{triangles: largeCount})
	}
	add("header of another format, cut", patched(cube, 0, []byte("glTF")...)[:600], outcome{unknown: "glTF"})
	long := patched(blankThen(0), 0, []byte("glTF")...)
	add("long, header of another format, cut", long[:len(long)-1], outcome{unknown: "glTF"})
	add("long, header of another format, more", append(bytes.Clone(long), 0), outcome{unknown: "glTF"})
	for name, extra := range map[string][]byte{"600 of 0xff": bytes.Repeat([]byte{0xff}, 600), "1000 of 0xff": bytes.Repeat([]byte{0xff}, 1000), "1500 random": randomBytes(1500), "a note": bytes.Repeat([]byte("MADE 2003 "), 40)} {
		add("behind the end "+name, append(bytes.Clone(cube), extra...), outcome{triangles: 12, warning: "byte 684: " + itoa(len(extra)) + " bytes after the last triangle are ignored"})
	}
	noise := randomBytes(200_000)
	add("noise", noise, outcome{unknown: "neither text nor a plausible mesh"})
	add("noise of a likely count", withCount(noise, largeCount*2), outcome{unknown: "neither text nor a plausible mesh"})
	add("noise of the right count", withCount(noise, largeCount)[:sizeOf(largeCount)], outcome{triangles: largeCount, bad: countBad(noise), warning: "have a NaN"})
	solid := patched(cube, 0, []byte("solid facet normal")...)
	add("binary header of ASCII words, cut before the count ends", solid[:83], outcome{unknown: "83 bytes are too few for a mesh"})
	add("binary header of ASCII words alone", solid[:84], outcome{damage: "claims 12 triangles, but there is not one whole"})
	add("binary header of ASCII words, cut in the first record", solid[:100], outcome{damage: "not one whole"})
	return all
}

// countBad counts the triangles that are not finite in the prefix of a file.
func countBad(file []byte) (bad int) {
	for t := range int64(largeCount) {
		r := file[sizeOf(t):]
		for at := verticesAt; at < attributeAt; at += 4 {
			if v := floatAt(r[at:]); v-v != 0 {
				bad++
				break
			}
		}
	}
	return bad
}

// TestBufferIsNoSTL reads buffers of a glTF file, with positions and normals in single precision. The buffers are not
// STL, although ordinary numbers fill half of the bytes that would be records.
func TestBufferIsNoSTL(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, vertices := range []int{30, 500, 2400} {
		var buffer []byte
		for i := range 6 * vertices {
			v := float32(i/3%2) + r.Float32()*0.04 // near (0, 0, 0) or (1, 1, 1)
			if i >= 3*vertices {
				v = float32([]float64{0, 0.6, 0.8}[i%3]) * (1 + r.Float32()*0.001)
			}
			buffer = binary.LittleEndian.AppendUint32(buffer, math.Float32bits(v))
		}
		if l := Format.Detect(buffer[:min(len(buffer), format.PrefixSize)], int64(len(buffer))); l != format.No {
			t.Errorf("%d vertices: likelihood %d", vertices, l)
		}
	}
}

// TestJudgeRandom checks that records of random bytes are refused: a single record nearly always, and eight records
// always.
func TestJudgeRandom(t *testing.T) {
	const trials = 20000
	noise := randomBytes(8 * trials * recordSize)
	alone := 0
	for i := range trials {
		raw := noise[8*i*recordSize:]
		if judgeRecords(raw[:recordSize]) != noRecords {
			alone++
		}
		if judgeRecords(raw[:8*recordSize]) != noRecords {
			t.Errorf("eight random records are taken for triangles")
		}
	}
	if alone > trials/100 {
		t.Errorf("%d of %d random records are taken for triangles", alone, trials)
	}
}
