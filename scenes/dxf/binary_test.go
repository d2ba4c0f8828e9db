package dxf

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
)

// inBinary converts a text file to binary. If wide is set, the result has the form that programs have written since
// 1994. Otherwise it has the older form.
func inBinary(tb testing.TB, file string, wide bool) string {
	tb.Helper()
	out := []byte(binaryHead)
	p := newGroupReader([]byte(file))
	for p.next() {
		switch {
		case wide:
			out = binary.LittleEndian.AppendUint16(out, uint16(p.code))
		case p.code >= longCode:
			out = binary.LittleEndian.AppendUint16(append(out, longCode), uint16(p.code))
		default:
			out = append(out, byte(p.code))
		}
		v, _ := strconv.ParseFloat(string(p.value), 64)
		switch shapeOf(p.code) {
		case realValue:
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		case shortValue:
			out = binary.LittleEndian.AppendUint16(out, uint16(int16(v)))
		case longValue:
			out = binary.LittleEndian.AppendUint32(out, uint32(int32(v)))
		case doubleLong:
			out = binary.LittleEndian.AppendUint64(out, uint64(v))
		case flagValue:
			out = append(out, byte(v))
		case pieceValue:
			out = append(append(out, byte(len(p.value))), p.value...)
		default:
			out = append(append(out, p.value...), 0)
		}
	}
	return string(out)
}

// TestBinaryTwins converts every undamaged file to binary, and checks that the mesh is the same.
func TestBinaryTwins(t *testing.T) {
	for _, c := range cases {
		if c.Damage != "" || c.Warning != "" {
			continue
		}
		want, _, err := format.Read(context.Background(), strings.NewReader(c.File), scenes.ReadOptions{}, Format)
		if err != nil {
			t.Fatal(err)
		}
		for _, wide := range []bool{false, true} {
			got, rep, err := format.Read(context.Background(), strings.NewReader(inBinary(t, c.File, wide)), scenes.ReadOptions{}, Format)
			if err != nil || len(rep.Warnings) > 0 {
				t.Errorf("%s, wide %v: %v, %+v", c.Name, wide, err, rep)
				continue
			}
			meshtest.Same(t, got, want)
		}
	}
}

// TestBinaryValues checks that values of all shapes are skipped correctly. Their bytes are written by hand.
func TestBinaryValues(t *testing.T) {
	file := binaryHead +
		"\x00\x00SECTION\x00" + "\x02\x00ENTITIES\x00" + "\x00\x003DFACE\x00" +
		"\x36\x01\x03abc" + // code 310: three bytes
		"\x22\x01\x01" + // code 290
		"\xa4\x01\xff\x00\x00\x00" + // code 420: a colour, which is blue
		"\xa0\x00\x01\x02\x03\x04\x05\x06\x07\x08" + // code 160
		"\x5a\x00\xff\xff\xff\xff" + // code 90
		"\xec\x03\x02\x00\x00" + // code 1004: two bytes
		"\xe8\x03text\x00" + // code 1000
		"\x2f\x04\x01\x00\x00\x00" // code 1071
	b := []byte(file)
	for k, at := range [][3]float64{{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0}} {
		for axis, v := range at {
			b = append(b, byte(10*(axis+1)+k), 0)
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	b = append(b, "\x00\x00ENDSEC\x00\x00\x00EOF\x00"...)
	m, rep, err := format.Read(context.Background(), strings.NewReader(string(b)), scenes.ReadOptions{Strict: true}, Format)
	if err != nil || m.Len() != 2 || rep.Bounds.Size() != [3]float64{4, 4, 0} {
		t.Fatalf("%v, %+v", err, rep)
	}
	for n := len(binaryHead); n < len(b)-4; n += 3 {
		if _, _, err := format.Read(context.Background(), strings.NewReader(string(b[:n])), scenes.ReadOptions{Strict: true}, Format); err == nil {
			t.Errorf("%d bytes of %d are read strictly", n, len(b))
		}
	}
}

// TestBinaryPlaces checks that messages about a binary file give the number of a group as the place.
func TestBinaryPlaces(t *testing.T) {
	i := slices.IndexFunc(cases, func(c meshtest.Case) bool { return c.Name == "no such corner" })
	_, rep, err := format.Read(context.Background(), strings.NewReader(inBinary(t, cases[i].File, true)), scenes.ReadOptions{}, Format)
	if err != nil || len(rep.Warnings) != 1 || !strings.Contains(rep.Warnings[0], "group ") || !strings.Contains(rep.Warnings[0], "1 faces left out") {
		t.Errorf("%v, %+v", err, rep)
	}
}

// TestBinaryMutants reads mutated binary files.
func TestBinaryMutants(t *testing.T) {
	var files []string
	for i, file := range whole() {
		files = append(files, inBinary(t, file, i%2 == 0))
	}
	meshtest.MutantsOf(t, Format, files...)
}
