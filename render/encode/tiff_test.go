package encode

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/image/tiff"
)

// TestTIFF writes pictures of one strip and of several, and reads them with another decoder.
func TestTIFF(t *testing.T) {
	for _, size := range [][2]int{{5, 3}, {1, 1}, {700, 300}, {90000, 2}} {
		pix := ramp(size[0], size[1])
		for _, channels := range []int{3, 4} {
			var b bytes.Buffer
			if err := TIFF(&b, pix, size[0], size[1], channels, 0); err != nil {
				t.Fatal(err)
			}
			found := tags(t, b.Bytes())
			rows := min(max(stripBytes/(size[0]*channels), 1), size[1])
			if found[tagWidth] != uint32(size[0]) || found[tagHeight] != uint32(size[1]) || found[tagSamples] != uint32(channels) || found[tagRows] != uint32(rows) {
				t.Errorf("%v: tags %v", size, found)
			}
			if full := 4 * size[0] * size[1]; full > 1000 && b.Len() > full/4 {
				t.Errorf("%v: %d bytes of %d", size, b.Len(), full)
			}
			wantTIFF(t, &b, pix, channels)
		}
	}
}

// wantTIFF reads a picture with another decoder and compares its pixels.
func wantTIFF(t *testing.T, r io.Reader, pix []byte, channels int) {
	t.Helper()
	img, err := tiff.Decode(r)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range straight(t, img).Pix {
		want := pix[i]
		if i%4 == 3 && channels == 3 {
			want = 255
		}
		if v != want {
			t.Fatalf("%d channels: byte %d is %d, want %d", channels, i, v, want)
		}
	}
}

// TestFloatTIFF undoes the predictor as Adobe's note defines it: it sums the bytes along a row, in which the highest
// bytes of all numbers come first.
func TestFloatTIFF(t *testing.T) {
	const width, height = 300, 500
	values := make([]float32, width*height)
	for i := range values {
		values[i] = float32(math.Sin(float64(i)) * math.Pow(10, float64(i%60-30)))
	}
	copy(values, []float32{1, -2, float32(math.Inf(1)), 1e-30, 0, float32(math.NaN())})
	var b bytes.Buffer
	if err := FloatTIFF(&b, values, width, height); err != nil {
		t.Fatal(err)
	}
	d, le := b.Bytes(), binary.LittleEndian
	found := tags(t, d)
	if found[tagBits] != 32 || found[tagKind] != 3 || found[tagPredictor] != 3 || found[tagCompression] != 8 || found[tagPhotometric] != 1 {
		t.Errorf("tags %v", found)
	}
	rows := int(found[tagRows])
	if rows != stripBytes/(4*width) {
		t.Fatalf("strips of %d rows", rows)
	}
	var raw []byte
	for i := range (height + rows - 1) / rows {
		at, n := le.Uint32(d[found[tagStrips]+uint32(4*i):]), le.Uint32(d[found[tagBytes]+uint32(4*i):])
		z, err := zlib.NewReader(bytes.NewReader(d[at : at+n]))
		if err != nil {
			t.Fatal(err)
		}
		part, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		raw = append(raw, part...)
	}
	for y := range height {
		row := raw[4*width*y : 4*width*(y+1)]
		for i := 1; i < len(row); i++ {
			row[i] += row[i-1]
		}
		for x := range width {
			bits := uint32(row[x])<<24 | uint32(row[width+x])<<16 | uint32(row[2*width+x])<<8 | uint32(row[3*width+x])
			if want := math.Float32bits(values[width*y+x]); bits != want {
				t.Fatalf("value %d, %d is %x, want %x", x, y, bits, want)
			}
		}
	}
}

// TestTIFFRows writes a picture some rows at a time, into memory and into a file in which the picture does not start at
// offset 0. The result must be the same file as in one go.
func TestTIFFRows(t *testing.T) {
	for _, size := range [][2]int{{31, 17}, {700, 1500}} {
		width, height := size[0], size[1]
		pix := ramp(width, height)
		for _, channels := range []int{3, 4} {
			var want, got bytes.Buffer
			if err := TIFF(&want, pix, width, height, channels, 72); err != nil {
				t.Fatal(err)
			}
			inRows(t, &got, pix, width, height, channels)
			if !bytes.Equal(got.Bytes(), want.Bytes()) {
				t.Errorf("%v, %d channels: another file", size, channels)
			}
			file, err := os.Create(filepath.Join(t.TempDir(), "a.tif"))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			file.WriteString("before")
			inRows(t, file, pix, width, height, channels)
			file.WriteString("behind")
			data, err := os.ReadFile(file.Name())
			if err != nil {
				t.Fatal(err)
			}
			if string(data) != "before"+want.String()+"behind" {
				t.Errorf("%v, %d channels: another file where it can seek", size, channels)
			}
			wantTIFF(t, &got, pix, channels)
		}
	}
}

func inRows(t *testing.T, w io.Writer, pix []byte, width, height, channels int) {
	t.Helper()
	rows, err := NewTIFFRows(w, width, height, channels, 72)
	if err != nil {
		t.Fatal(err)
	}
	for y, n := 0, 1; y < height; y, n = y+n, min(2*n+1, height-y-n) {
		if err := rows.Rows(pix[4*width*y:], n); err != nil {
			t.Fatal(err)
		}
	}
	if rows.Rows(pix, 1) == nil {
		t.Error("no error for a row too many")
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestTIFFFails uses writers that fail at each of their calls in turn: at the beginning, at every strip, and at the
// end.
func TestTIFFFails(t *testing.T) {
	pix, calls := ramp(700, 1500), 0
	for TIFF(&failing{left: calls}, pix, 700, 1500, 4, 0) != nil {
		calls++
	}
	strips := (1500 + stripBytes/2800 - 1) / (stripBytes / 2800)
	if want := 1 + 1 + strips + 1 + 1 + 1 + 1; calls != want { // seek, header; strips; directory, seek, header, seek
		t.Errorf("%d calls, want %d", calls, want)
	}
}

// failing is a writer and seeker that fails after left more calls.
type failing struct{ left int }

func (f *failing) fail() error {
	if f.left--; f.left < 0 {
		return io.ErrShortWrite
	}
	return nil
}

func (f *failing) Write(p []byte) (int, error)         { return len(p), f.fail() }
func (f *failing) Seek(at int64, _ int) (int64, error) { return at, f.fail() }

func TestTIFFRowsErrors(t *testing.T) {
	for _, c := range [][3]int{{0, 1, 3}, {1, 0, 3}, {1, 1, 2}, {1 << 30, 1, 3}} {
		if _, err := NewTIFFRows(&bytes.Buffer{}, c[0], c[1], c[2], 0); err == nil {
			t.Errorf("%v: no error", c)
		}
	}
	rows, err := NewTIFFRows(&bytes.Buffer{}, 4, 4, 3, 0)
	if err != nil {
		t.Fatal(err)
	}
	if rows.Rows(make([]byte, 15), 1) == nil || rows.Rows(nil, 0) == nil {
		t.Error("no error for too few bytes")
	}
	if err := rows.Rows(make([]byte, 64), 3); err != nil {
		t.Fatal(err)
	}
	if rows.Close() == nil {
		t.Error("no error for a missing row")
	}
}

// TestBigTIFF checks that files above 4 GiB are BigTIFF, with offsets of 8 bytes and entries of 20 bytes.
func TestBigTIFF(t *testing.T) {
	const width, height = 65536, 65536
	file, err := newTIFFFile(&bytes.Buffer{}, width, height, []uint64{8, 8, 8, 8}, []field{{tagExtra, typeShort, []uint64{2}}})
	if err != nil {
		t.Fatal(err)
	}
	file.offsets, file.sizes, file.at = []uint64{16}, []uint64{5<<30 - 16 + 1}, 5<<30+1
	head, tail := file.headerAndDirectory()
	le := binary.LittleEndian
	if !bytes.Equal(head[:8], []byte{'I', 'I', 43, 0, 8, 0, 0, 0}) || le.Uint64(head[8:]) != 5<<30+2 || len(head) != 16 {
		t.Fatalf("header % x", head)
	}
	tail = tail[1:] // directories start at even offsets
	n := int(le.Uint64(tail))
	if want := 8 + 20*n + 8; n != 9 || len(tail) != want {
		t.Fatalf("%d entries in %d bytes, want %d", n, len(tail), want)
	}
	last := uint16(0)
	for i := range n {
		e := tail[8+20*i:][:20]
		tag, count, value := le.Uint16(e), le.Uint64(e[4:]), le.Uint64(e[12:])
		if tag <= last || count < 1 {
			t.Errorf("tag %d with %d values after %d", tag, count, last)
		}
		last = tag
		want := map[uint16]uint64{tagWidth: width, tagHeight: height, tagBits: 0x0008000800080008, tagStrips: 16, tagBytes: 5<<30 - 15, tagRows: 1}[tag]
		if want != 0 && value != want {
			t.Errorf("tag %d is %d, want %d", tag, value, want)
		}
	}
	// All of the directory must be addressable with 4 bytes, too.
	for at, version := range map[uint64]byte{math.MaxUint32 - 1<<20: 42, math.MaxUint32 - 1<<10: 43} {
		file.at = at
		if head, _ := file.headerAndDirectory(); head[2] != version {
			t.Errorf("version %d of a file of %d bytes", head[2], at)
		}
	}
}
