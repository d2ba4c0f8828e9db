package png

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image/png"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// cut encodes a picture in parts with separate encoders. Each part consists of some bands.
func cut(t testing.TB, b *Bands, pix []byte, cuts []int) (parts [][]byte) {
	t.Helper()
	for i, lo := range cuts[:len(cuts)-1] {
		hi, row := cuts[i+1], 4*b.format.width
		first := max(lo*b.Rows()-1, 0)
		var own []byte
		if lo < hi {
			own = slices.Clone(pix[row*first : row*min(hi*b.Rows(), b.format.height)])
		}
		part, err := new(Encoder).AppendBands(nil, b, lo, hi, own, nil)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, part)
	}
	return parts
}

// TestBands checks that bands of several encoders make the same file as one encoder, however the bands are divided, and
// pass all checks.
func TestBands(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, size := range [][2]int{{1, 1}, {300, 200}, {400, 300}, {333, 901}, {50000, 3}} {
		for _, p := range []*picture{sphere("sphere", size[0], size[1], 0.9, 15, [3]float64{1, 0.5, 0.2}), noise("noise", size[0], size[1]), constant("white", size[0], size[1], 255, 255, 255, 255)} {
			for _, o := range []Options{{Channels: ChannelsRGB}, {Channels: ChannelsRGBA, PixelsPerMetre: 2835, Text: []Text{{Keyword: "Title", Value: "x"}}}, {Channels: ChannelsRGB, Level: Small}, {Channels: ChannelsRGB, Level: Quick}} {
				b, err := NewBands(p.width, p.height, &o)
				if err != nil {
					t.Fatal(err)
				}
				var want bytes.Buffer
				if err := new(Encoder).EncodeRGBA(&want, p.pix, 4*p.width, p.width, p.height, &o); err != nil {
					t.Fatal(err)
				}
				cuts := []int{0, b.Len()}
				for range random.IntN(5) {
					cuts = append(cuts, random.IntN(b.Len()+1))
				}
				slices.Sort(cuts)
				name := fmt.Sprintf("%s %dx%d %+v cut at %v of %d", p.name, p.width, p.height, o, cuts, b.Len())
				parts := cut(t, b, p.pix, cuts)
				for i, part := range parts {
					if err := b.Verify(part, cuts[i], cuts[i+1]); err != nil {
						t.Errorf("%s: part %d: %v", name, i, err)
					}
				}
				for range 2 { // the second use checks that parts are not changed
					var got bytes.Buffer
					if err := b.Assemble(&got, parts, &o); err != nil || !bytes.Equal(got.Bytes(), want.Bytes()) {
						t.Errorf("%s: another file: %v", name, err)
					}
				}
			}
		}
	}
}

// TestBandsRun checks that tasks of a part may run at the same time, and that it is an error if Run skips tasks.
func TestBandsRun(t *testing.T) {
	p := sphere("sphere", 700, 500, 0.9, 15, [3]float64{1, 0.5, 0.2})
	b, err := NewBands(p.width, p.height, &Options{Channels: ChannelsRGB})
	if err != nil {
		t.Fatal(err)
	}
	want := cut(t, b, p.pix, []int{0, b.Len()})[0]
	var e Encoder
	for range 3 {
		got, err := e.AppendBands([]byte("before"), b, 0, b.Len(), p.pix, goroutines(3))
		if err != nil || string(got) != "before"+string(want) {
			t.Fatalf("another part: %v", err)
		}
	}
	if _, err := e.AppendBands(nil, b, 0, b.Len(), p.pix, func(n int, do func(int)) { do(0) }); err == nil {
		t.Error("bands that were left undone are no error")
	}
}

func TestBandsRefuseArguments(t *testing.T) {
	for name, o := range map[string]*Options{"nil": nil, "auto": {}, "least": {Channels: ChannelsLeast}, "level": {Channels: ChannelsRGB, Level: 9}} {
		if b, err := NewBands(4, 4, o); err == nil {
			t.Errorf("%s: %+v", name, b)
		}
	}
	o := &Options{Channels: ChannelsRGBA}
	for _, size := range [][2]int{{0, 1}, {1, 0}, {-1, 1}, {maxWidth + 1, 1}} {
		if _, err := NewBands(size[0], size[1], o); err == nil {
			t.Errorf("bands of %v pixels", size)
		}
	}
	b, err := NewBands(700, 500, o)
	if err != nil {
		t.Fatal(err)
	}
	row := 4 * 700
	for _, c := range []struct{ lo, hi, bytes int }{{-1, 1, row}, {1, 0, 0}, {0, b.Len() + 1, row * 500}, {0, b.Len(), row*500 - 1}, {0, b.Len(), row * 501}, {1, 2, row * b.Rows()}} {
		if _, err := new(Encoder).AppendBands(nil, b, c.lo, c.hi, make([]byte, c.bytes), nil); err == nil {
			t.Errorf("bands %d to %d are made of %d bytes", c.lo, c.hi, c.bytes)
		}
	}
	if err := b.Assemble(new(bytes.Buffer), nil, &Options{Level: -1}); err == nil {
		t.Error("a file of no level")
	}
}

// reseal corrects the checksum of a chunk.
func reseal(part []byte) []byte {
	n := binary.BigEndian.Uint32(part[bandHeader:])
	end := bandHeader + chunkHeader + int(n)
	binary.BigEndian.PutUint32(part[end:], crc32.ChecksumIEEE(part[bandHeader+4:end]))
	return part
}

// TestBandsRefuseParts checks that invalid parts are errors: of Check if their form is wrong, and of Verify if their
// pixels are wrong.
func TestBandsRefuseParts(t *testing.T) {
	p := sphere("sphere", 700, 500, 0.9, 15, [3]float64{1, 0.5, 0.2})
	o := &Options{Channels: ChannelsRGB}
	b, err := NewBands(p.width, p.height, o)
	if err != nil {
		t.Fatal(err)
	}
	whole := make([]int, b.Len()+1)
	for i := range whole {
		whole[i] = i
	}
	bands := cut(t, b, p.pix, whole)
	const data = bandHeader + chunkHeader
	mutant := func(i int, change func(part []byte) []byte) []byte { return change(slices.Clone(bands[i])) }
	last := b.Len() - 1
	stored := func(rows int, filter byte, final bool) []byte { // rows of one byte each, with a filter type
		raw := bytes.Repeat(append([]byte{filter}, make([]byte, b.format.rowBytes)...), rows)
		sum := newAdler()
		sum.update(raw)
		part := binary.BigEndian.AppendUint32(nil, sum.sum())
		part, start := beginChunk(part, "IDAT")
		var c compressor
		return endChunk(c.append(part, raw, dense, final), start)
	}
	rows := b.rows(1, 2)
	for name, c := range map[string]struct {
		part   []byte
		lo, hi int
		form   bool // whether Check returns an error, too
	}{
		"nothing":         {nil, 1, 2, true},
		"short":           {bands[1][:20], 1, 2, true},
		"cut":             {bands[1][:len(bands[1])-1], 1, 2, true},
		"followed":        {append(slices.Clone(bands[1]), 0), 1, 2, true},
		"two for one":     {slices.Concat(bands[1], bands[2]), 1, 2, true},
		"one for two":     {bands[1], 1, 3, true},
		"not asked for":   {bands[1], 1, 1, true},
		"beyond":          {bands[last], last, last + 1 + 1, true},
		"below":           {bands[0], -1, 0, true},
		"type":            {mutant(1, func(p []byte) []byte { p[8] = 'J'; return reseal(p) }), 1, 2, true},
		"CRC":             {mutant(1, func(p []byte) []byte { p[len(p)-1]++; return p }), 1, 2, true},
		"bit":             {mutant(1, func(p []byte) []byte { p[data+9] ^= 4; return p }), 1, 2, true},
		"sum above 65521": {mutant(1, func(p []byte) []byte { p[0], p[1] = 255, 255; return p }), 1, 2, true},
		"sum below 65521": {mutant(1, func(p []byte) []byte { p[2], p[3] = 255, 255; return p }), 1, 2, true},
		"sum":             {mutant(1, func(p []byte) []byte { p[3] ^= 1; return p }), 1, 2, false},
		"length":          {mutant(1, func(p []byte) []byte { binary.BigEndian.PutUint32(p[4:], 1<<31); return p }), 1, 2, true},
		"zlib":            {mutant(0, func(p []byte) []byte { p[data] = 0x79; return reseal(p) }), 0, 1, true},
		"sync":            {mutant(1, func(p []byte) []byte { p[len(p)-5]--; return reseal(p) }), 1, 2, true},
		"first as second": {bands[0], 1, 2, false},
		"second as first": {bands[1], 0, 1, true},
		"last as second":  {bands[last], 1, 2, true},
		"second as last":  {bands[1], last, last + 1, false},
		"deflate":         {mutant(1, func(p []byte) []byte { p[data] = 7; return reseal(p) }), 1, 2, false},
		"padded":          {patched(stored(rows, filterUp, false), strings.Repeat("\x00"+flateSync, 70000)), 1, 2, true},
		"fewer rows":      {stored(rows-1, filterUp, false), 1, 2, false},
		"more rows":       {stored(rows+1, filterUp, false), 1, 2, false},
		"filter":          {stored(rows, 5, false), 1, 2, false},
		"ended":           {ended(stored(rows, filterUp, true)), 1, 2, false},
		"more after end":  {trailed(stored(b.rows(last, last+1), filterUp, true)), last, last + 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			if err := b.Check(c.part, c.lo, c.hi); (err != nil) != c.form {
				t.Errorf("its form: %v", err)
			}
			err := b.Verify(c.part, c.lo, c.hi)
			if err == nil {
				t.Error("it is taken")
			} else if strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "png: ") {
				t.Errorf("%q is not one line", err)
			}
		})
	}
	for _, part := range [][]byte{stored(rows, filterUp, false), bands[1]} {
		if err := b.Verify(part, 1, 2); err != nil {
			t.Error(err)
		}
	}
	for name, parts := range map[string][][]byte{"none": nil, "all but one": bands[:last], "more": append(slices.Clone(bands), []byte{1}), "cut": {bands[0][:30]}} {
		if err := b.Assemble(new(bytes.Buffer), parts, o); err == nil {
			t.Errorf("%s: a file is made of them", name)
		}
	}
	for n := range 3 {
		if err := b.Assemble(&failing{left: 10 + n*1000}, bands, o); err == nil {
			t.Error("what cannot be written is no error")
		}
	}
}

// ended appends the end mark of a band after the end of a stream.
func ended(part []byte) []byte { return patched(part, flateSync) }

// trailed appends a byte after the end of a stream.
func trailed(part []byte) []byte { return patched(part, "x") }

func patched(part []byte, more string) []byte {
	n := binary.BigEndian.Uint32(part[bandHeader:])
	part = append(part[:len(part)-crc32.Size:len(part)-crc32.Size], more...)
	binary.BigEndian.PutUint32(part[bandHeader:], n+uint32(len(more)))
	return reseal(append(part, 0, 0, 0, 0))
}

// failing is a writer that fails after left more bytes.
type failing struct{ left int }

func (w *failing) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, fmt.Errorf("no room")
	}
	return len(p), nil
}

// FuzzBands reads data that a hostile process may send as parts of a picture. Data that Verify accepts must make a file
// that can be decoded.
func FuzzBands(f *testing.F) {
	p := sphere("sphere", 70, 50, 0.9, 15, [3]float64{1, 0.5, 0.2})
	b, err := NewBands(p.width, p.height, &Options{Channels: ChannelsRGB})
	if err != nil {
		f.Fatal(err)
	}
	b.format.slabRows, b.format.slabs = 20, 3 // several slabs, as in a large picture
	parts := cut(f, b, p.pix, []int{0, 1, 3})
	f.Add(parts[0], parts[1])
	f.Add(ended(slices.Clone(parts[0])), parts[1])
	f.Add(parts[0], trailed(slices.Clone(parts[1])))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		for i, part := range [][]byte{first, second} {
			if len(part) > bandHeader+chunkHeader+crc32.Size && int64(binary.BigEndian.Uint32(part[bandHeader:])) <= int64(len(part)-bandHeader-chunkHeader-crc32.Size) {
				part = reseal(part) // with a correct checksum, so that the checks after it are tested
			}
			lo, hi := i, 2*i+1
			if err := b.Verify(part, lo, hi); err != nil {
				return
			}
			if err := b.Check(part, lo, hi); err != nil {
				t.Fatalf("verified, but: %v", err)
			}
		}
		var file bytes.Buffer
		if err := b.Assemble(&file, [][]byte{first, second}, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := png.Decode(&file); err != nil {
			t.Fatal(err)
		}
	})
}
