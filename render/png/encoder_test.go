package png

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"slices"
	"strings"
	"testing"
)

var long = flag.Bool("long", false, "test every size, and compare sizes of files at 1920x1080")

// patch returns a picture with a mixture of constant, repeated and random rows. kind selects the traits of the pixels:
// opaque, grey, both or none.
func patch(width, height, kind int) *picture {
	p := newPicture("", width, height)
	for y := range height {
		for x := range width {
			h := mix(uint64(x+1000*y+1000000*kind) + 7)
			switch y % 5 {
			case 1:
				h = mix(uint64(x))
			case 2:
				h = 0x20406080
			case 3:
				h = uint64(x+y) * 0x01010101
			case 4:
				h = mix(uint64(x / 6))
			}
			c := [4]byte{byte(h), byte(h >> 8), byte(h >> 16), byte(h >> 24)}
			switch kind % 4 {
			case 1:
				c[3] = 255
			case 2:
				c[1], c[2] = c[0], c[0]
			case 3:
				c = [4]byte{c[0], c[0], c[0], 255}
			}
			p.set(x, y, c[0], c[1], c[2], c[3])
		}
	}
	return p
}

var patchColours = map[Channels][4]byte{
	ChannelsAuto:  {colourRGBA, colourRGB, colourRGBA, colourRGB},
	ChannelsRGBA:  {colourRGBA, colourRGBA, colourRGBA, colourRGBA},
	ChannelsLeast: {colourRGBA, colourRGB, colourGreyAlpha, colourGrey},
}

func TestRoundTripSizes(t *testing.T) {
	var e Encoder
	var buf bytes.Buffer
	for height := 1; height <= 70; height++ {
		for width := 1; width <= 70; width++ {
			if !*long && (width+height)%9 != 0 {
				continue
			}
			kind := width*7 + height
			p := patch(width, height, kind)
			for channels, colours := range patchColours {
				level := Fast
				if width%7 == 0 {
					level = Small
				}
				buf.Reset()
				err := e.EncodeRGBA(&buf, p.pix, 4*width, width, height, &Options{Channels: channels, Level: level})
				if err != nil {
					t.Fatal(err)
				}
				got, w, h := decodeRGBA(t, buf.Bytes())
				if w != width || h != height || !bytes.Equal(got, p.pix) {
					t.Fatalf("%dx%d, kind %d, channels %d, level %d: decoded %dx%d, not the same pixels", width, height, kind%4, channels, level, w, h)
				}
				// A single row or pixel may have more traits than its kind.
				if want := colours[kind%4]; height > 4 && width > 4 && colourType(buf.Bytes()) != want {
					t.Fatalf("%dx%d, kind %d, channels %d: colour type %d, want %d", width, height, kind%4, channels, colourType(buf.Bytes()), want)
				}
			}
		}
	}
}

func TestRoundTripGray16Sizes(t *testing.T) {
	var e Encoder
	var buf bytes.Buffer
	for height := 1; height <= 40; height++ {
		for width := 1; width <= 40; width++ {
			stride := width + height%3
			pix := make([]uint16, height*stride)
			for i := range pix {
				if i/stride%3 != 1 {
					pix[i] = uint16(mix(uint64(i / 5)))
				}
			}
			buf.Reset()
			if err := e.EncodeGray16(&buf, pix, stride, width, height, &Options{Level: Level(width % 2)}); err != nil {
				t.Fatal(err)
			}
			got, w, h := decodeGray16(t, buf.Bytes())
			var want []uint16
			for y := range height {
				want = append(want, pix[y*stride:][:width]...)
			}
			if w != width || h != height || !slices.Equal(got, want) {
				t.Fatalf("%dx%d: decoded %dx%d, not the same samples", width, height, w, h)
			}
		}
	}
}

// TestStride encodes pictures with gaps between the rows in memory, as in larger pictures. The memory ends with the
// last pixel.
func TestStride(t *testing.T) {
	for _, stride := range []int{4 * 37, 4*37 + 1, 4*37 + 8, 1000} {
		p := patch(37, 29, 0)
		pix := bytes.Repeat([]byte{0xAB}, 28*stride+4*37)
		for y := range 29 {
			copy(pix[y*stride:], p.pix[y*4*37:(y+1)*4*37])
		}
		var buf bytes.Buffer
		if err := new(Encoder).EncodeRGBA(&buf, pix, stride, 37, 29, nil); err != nil {
			t.Fatal(err)
		}
		if want := encodeRGBA(t, p, nil); !bytes.Equal(buf.Bytes(), want) {
			t.Errorf("stride %d: the file differs from that of the packed picture", stride)
		}
	}
}

func TestOneTransparentPixel(t *testing.T) {
	for _, at := range []int{0, 1, 2, 3, 640*200 + 317, 640*480 - 2, 640*480 - 1} {
		p := constant("", 640, 480, 10, 10, 10, 255)
		p.pix[4*at+3] = 254
		for _, run := range []func(int, func(int)){nil, goroutines(4)} {
			file := encodeRGBA(t, p, &Options{Run: run})
			if got, _, _ := decodeRGBA(t, file); colourType(file) != colourRGBA || !bytes.Equal(got, p.pix) {
				t.Errorf("pixel %d of alpha 254: colour type %d, or pixels differ", at, colourType(file))
			}
		}
		p.pix[4*at+3] = 255
		p.pix[4*at+at%3] = 11
		if file := encodeRGBA(t, p, &Options{Channels: ChannelsLeast}); colourType(file) != colourRGB {
			t.Errorf("pixel %d not grey: colour type %d", at, colourType(file))
		}
	}
}

func TestChannelsRGBIgnoresAlpha(t *testing.T) {
	p := patch(50, 50, 0)
	file := encodeRGBA(t, p, &Options{Channels: ChannelsRGB})
	for o := 3; o < len(p.pix); o += 4 {
		p.pix[o] = 255
	}
	if got, _, _ := decodeRGBA(t, file); !bytes.Equal(got, p.pix) {
		t.Error("colours differ, or alpha is not 255")
	}
}

// TestSameBytes checks that the bytes are the same with 1 to 8 goroutines, and with an encoder that has just written
// another picture.
func TestSameBytes(t *testing.T) {
	p := sphere("", 650, 500, 1, 0.02, orange)
	z := depth(650, 500)
	var used Encoder
	for _, level := range []Level{Fast, Small, Quick} {
		want := encodeRGBA(t, p, &Options{Level: level})
		var wantZ bytes.Buffer
		if err := new(Encoder).EncodeGray16(&wantZ, z, 650, 650, 500, &Options{Level: level}); err != nil {
			t.Fatal(err)
		}
		for workers := 1; workers <= 8; workers++ {
			if workers > 3 && workers < 8 && !*long {
				continue
			}
			opts := &Options{Level: level, Run: goroutines(workers)}
			var buf bytes.Buffer
			if err := used.EncodeRGBA(&buf, p.pix, 4*650, 650, 500, opts); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(buf.Bytes(), want) {
				t.Errorf("level %d: other bytes with %d workers", level, workers)
			}
			buf.Reset()
			if err := used.EncodeGray16(&buf, z, 650, 650, 500, opts); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(buf.Bytes(), wantZ.Bytes()) {
				t.Errorf("level %d: other bytes of depth with %d workers", level, workers)
			}
		}
	}
}

// TestFlatStrips encodes slabs that are empty, that repeat the row above, or that change between the two. The slabs
// share a cache. One encoder encodes two sizes of slabs.
func TestFlatStrips(t *testing.T) {
	var e Encoder
	for _, width := range []int{1000, 999, 1000} {
		p := newPicture("", width, 1500)
		for y := 400; y < 1100; y++ {
			for x := range width {
				p.set(x, y, 200, 100, 50, 255)
			}
		}
		var buf bytes.Buffer
		if err := e.EncodeRGBA(&buf, p.pix, 4*width, width, 1500, &Options{Run: goroutines(3)}); err != nil {
			t.Fatal(err)
		}
		if got, _, _ := decodeRGBA(t, buf.Bytes()); !bytes.Equal(got, p.pix) {
			t.Errorf("width %d: pixels differ", width)
		}
		if n := len(e.flat.parts); n < 3 {
			t.Errorf("width %d: %d kinds of flat strips, want at least 3", width, n)
		}
	}
}

// TestStructure checks properties that image/png does not check: the order and number of chunks, the lengths, and that
// the zlib stream has exactly the rows.
func TestStructure(t *testing.T) {
	p := sphere("", 700, 500, 1, 0.02, grey)
	file := encodeRGBA(t, p, &Options{PixelsPerMetre: 2835, Text: []Text{{"Software", "x"}}})
	chunks := parseChunks(t, file)
	var kinds []string
	for _, c := range chunks {
		if n := len(kinds); c.kind != "IDAT" || kinds[n-1] != "IDAT" {
			kinds = append(kinds, c.kind)
		}
	}
	if got, want := strings.Join(kinds, " "), "IHDR gAMA sRGB pHYs tEXt IDAT IEND"; got != want {
		t.Errorf("chunks %s, want %s", got, want)
	}
	f := newFormat(700, 500, colourRGBA, 8, Fast)
	if f.slabs < 3 {
		t.Fatalf("only %d strips: too few for this test", f.slabs)
	}
	if n := len(chunks) - 6; n != f.slabs {
		t.Errorf("%d IDAT chunks, want %d", n, f.slabs)
	}
	rows := inflate(t, dataOf(chunks, "IDAT", 0))
	if len(rows) != 500*(4*700+1) {
		t.Errorf("%d bytes of rows, want %d", len(rows), 500*(4*700+1))
	}
	want := []byte{0, 0, 11, 19, 0, 0, 11, 19, 1}
	if got := dataOf(chunks, "pHYs", 0); !bytes.Equal(got, want) {
		t.Errorf("pHYs % x, want % x", got, want)
	}
	var buf bytes.Buffer
	if err := new(Encoder).EncodeGray16(&buf, depth(50, 50), 50, 50, 50, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range parseChunks(t, buf.Bytes()) {
		if c.kind == "sRGB" || c.kind == "gAMA" {
			t.Errorf("depth has %s", c.kind)
		}
	}
}

// limited is a writer that fails after n bytes. It returns an error, or a count that is too small without an error.
type limited struct {
	n     int
	short bool
}

var errFull = errors.New("device is full")

func (l *limited) Write(p []byte) (int, error) {
	n := min(len(p), l.n)
	l.n -= n
	if n < len(p) && !l.short {
		return n, errFull
	}
	return n, nil
}

func TestFailingWriter(t *testing.T) {
	p := sphere("", 20, 14, 1, 0.1, orange)
	opts := &Options{Text: []Text{{"Title", "t"}}}
	size := len(encodeRGBA(t, p, opts))
	var e Encoder
	for n := range size {
		if err := e.EncodeRGBA(&limited{n: n}, p.pix, 80, 20, 14, opts); !errors.Is(err, errFull) {
			t.Errorf("writer that fails after %d of %d bytes: error %v", n, size, err)
		}
		if err := e.EncodeRGBA(&limited{n: n, short: true}, p.pix, 80, 20, 14, opts); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("writer that stops after %d of %d bytes: error %v", n, size, err)
		}
	}
	if err := e.EncodeRGBA(&limited{n: size}, p.pix, 80, 20, 14, opts); err != nil {
		t.Errorf("writer with room for all: %v", err)
	}
}

// TestFailingWriterStrips uses writers that fail between and within the slabs of a larger picture, with several
// goroutines.
func TestFailingWriterStrips(t *testing.T) {
	p := sphere("", 900, 700, 1, 0.02, orange)
	size := len(encodeRGBA(t, p, nil))
	var e Encoder
	for n := 0; n < size; n += size / 23 {
		opts := &Options{Run: goroutines(3)}
		if err := e.EncodeRGBA(&limited{n: n}, p.pix, 3600, 900, 700, opts); !errors.Is(err, errFull) {
			t.Errorf("writer that fails after %d of %d bytes: error %v", n, size, err)
		}
	}
	if got := encodeRGBA(t, p, nil); len(got) != size {
		t.Error("encoder is damaged by failures")
	}
}

func TestRunLeavesTasks(t *testing.T) {
	p := constant("", 1000, 800, 1, 2, 3, 255)
	for _, channels := range []Channels{ChannelsAuto, ChannelsRGBA} {
		opts := &Options{Channels: channels, Run: func(n int, do func(int)) {
			for i := range n - 1 {
				do(i)
			}
		}}
		if err := new(Encoder).EncodeRGBA(io.Discard, p.pix, 4000, 1000, 800, opts); err == nil {
			t.Errorf("channels %d: no error although a task was left", channels)
		}
	}
}

func TestBadSizes(t *testing.T) {
	pix := make([]byte, 4*10*10)
	huge := int(^uint(0) >> 1)
	for _, c := range []struct{ n, stride, width, height int }{
		{400, 40, 0, 10}, {400, 40, 10, 0}, {400, 40, -1, 10}, {400, 40, 10, -1},
		{400, 39, 10, 10}, {399, 40, 10, 10}, {400, 41, 10, 10}, {400, 40, 10, 11},
		{400, huge, 10, 2}, {400, -40, 10, 10}, {400, 40, maxWidth + 1, 1}, {400, 40, huge / 2, 1},
		{400, 40, 10, huge}, {0, 40, 10, 1},
	} {
		err := new(Encoder).EncodeRGBA(io.Discard, pix[:c.n], c.stride, c.width, c.height, nil)
		if err == nil {
			t.Errorf("%+v: no error", c)
		}
	}
	if err := new(Encoder).EncodeGray16(io.Discard, make([]uint16, 99), 10, 10, 10, nil); err == nil {
		t.Error("99 samples for 10x10: no error")
	}
	if err := new(Encoder).EncodeRGBA(io.Discard, pix, 0, 100, 1, nil); err != nil {
		t.Errorf("a single row needs no stride: %v", err)
	}
}

// TestWarmAllocations checks that an encoder allocates nothing for a picture of a size that it has encoded before.
func TestWarmAllocations(t *testing.T) {
	p := sphere("", 800, 600, 1, 0.02, orange)
	z := depth(800, 600)
	var e Encoder
	if n := testing.AllocsPerRun(3, func() {
		if err := e.EncodeRGBA(io.Discard, p.pix, 3200, 800, 600, nil); err != nil {
			t.Error(err)
		}
		if err := e.EncodeGray16(io.Discard, z, 800, 800, 600, nil); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func FuzzEncodeRoundTrip(f *testing.F) {
	f.Add(uint8(3), uint8(0), uint8(0), []byte("some bytes that make a few pixels"))
	f.Add(uint8(0), uint8(1), uint8(1), make([]byte, 4000))
	f.Add(uint8(70), uint8(2), uint8(7), bytes.Repeat([]byte{9, 9, 9, 255}, 3000))
	f.Fuzz(func(t *testing.T, w, level, pad uint8, data []byte) {
		width := int(w) + 1
		stride := 4*width + int(pad)%5
		height := len(data) / stride
		if height == 0 {
			return
		}
		opts := &Options{Level: Level(level % 2), Channels: []Channels{ChannelsAuto, ChannelsRGBA, ChannelsLeast}[pad%3]}
		var buf bytes.Buffer
		var e Encoder
		if err := e.EncodeRGBA(&buf, data, stride, width, height, opts); err != nil {
			t.Fatal(err)
		}
		parseChunks(t, buf.Bytes())
		got, gw, gh := decodeRGBA(t, buf.Bytes())
		if gw != width || gh != height {
			t.Fatalf("decoded %dx%d, want %dx%d", gw, gh, width, height)
		}
		for y := range height {
			if !bytes.Equal(got[4*width*y:][:4*width], data[y*stride:][:4*width]) {
				t.Fatalf("row %d differs", y)
			}
		}
		opts.Run = goroutines(3)
		var again bytes.Buffer
		if err := e.EncodeRGBA(&again, data, stride, width, height, opts); err != nil || !bytes.Equal(buf.Bytes(), again.Bytes()) {
			t.Fatalf("another file with three goroutines (%v)", err)
		}
	})
}
