package jpeg

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// A sample is a test picture in straight-alpha RGBA.
type sample struct {
	name          string
	pix           []byte
	width, height int
}

// draw makes a sample whose pixels are the values of a function.
func draw(name string, width, height int, at func(x, y int) [4]byte) sample {
	s := sample{name: name, width: width, height: height}
	for y := range height {
		for x := range width {
			p := at(x, y)
			s.pix = append(s.pix, p[:]...)
		}
	}
	return s
}

// samples returns samples of all kinds in the given size.
func samples(width, height int) []sample {
	r := rand.New(rand.NewPCG(1, uint64(width*height)))
	return []sample{
		draw("plain", width, height, func(int, int) [4]byte { return [4]byte{40, 90, 200, 255} }),
		draw("slope", width, height, func(_, y int) [4]byte { return [4]byte{byte(200 + y%50), byte(190 + y%50), 220, 255} }),
		draw("ball", width, height, ball(width, height)),
		draw("clear", width, height, func(x, y int) [4]byte { return [4]byte{byte(x * 3), byte(y * 5), 99, byte(x * y)} }),
		draw("noise", width, height, func(int, int) [4]byte {
			return [4]byte{byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()), 255}
		}),
		draw("checks", width, height, func(x, y int) [4]byte { v := byte((x + y) % 2 * 255); return [4]byte{v, v, 255 - v, 255} }),
	}
}

// ball returns the pixels of a shaded ball with ripples on a plain background.
func ball(width, height int) func(x, y int) [4]byte {
	radius := 0.45 * float64(min(width, height))
	return func(x, y int) [4]byte {
		u, v := (float64(x)+0.5-float64(width)/2)/radius, (float64(y)+0.5-float64(height)/2)/radius
		d := u*u + v*v
		if d >= 1 {
			return [4]byte{243, 244, 246, 255}
		}
		l := 0.2 + 0.6*math.Sqrt(1-d) + 0.15*math.Sin(20*u)*math.Cos(17*v)
		return [4]byte{byte(250 * l), byte(160 * l), byte(60 + 120*l), 255}
	}
}

// white returns the pixels of a sample blended with white.
func (s *sample) white() *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, s.width, s.height))
	for i := 0; i < len(s.pix); i += 4 {
		r, g, b := blendWhite(s.pix[i:])
		img.Pix[i], img.Pix[i+1], img.Pix[i+2], img.Pix[i+3] = byte(r), byte(g), byte(b), 255
	}
	return img
}

// encoded returns the JPEG file of a sample.
func (s *sample) encoded(t testing.TB, opts Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := new(Encoder).EncodeRGBA(&b, s.pix, 4*s.width, s.width, s.height, &opts); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// decoded returns the picture that image/jpeg reads from a file.
func decoded(t testing.TB, file []byte) image.Image {
	t.Helper()
	img, err := jpeg.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// noise returns the mean squared difference between the channels of two pictures.
func noise(t testing.TB, a, b image.Image) float64 {
	t.Helper()
	if a.Bounds() != b.Bounds() {
		t.Fatalf("sizes %v and %v", a.Bounds(), b.Bounds())
	}
	sum := 0.0
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			p, q := color.RGBAModel.Convert(a.At(x, y)).(color.RGBA), color.RGBAModel.Convert(b.At(x, y)).(color.RGBA)
			for _, d := range [3]float64{float64(p.R) - float64(q.R), float64(p.G) - float64(q.G), float64(p.B) - float64(q.B)} {
				sum += d * d
			}
		}
	}
	return sum / float64(3*a.Bounds().Dx()*a.Bounds().Dy())
}

// TestAsGoodAsTheOracle compares our files with those of image/jpeg, both decoded by image/jpeg. On average both must
// be equally near to the originals, each within a tolerance, and our files may be longer only by restart markers.
func TestAsGoodAsTheOracle(t *testing.T) {
	var ourNoise, theirNoise float64
	for _, size := range [][2]int{{1, 1}, {16, 16}, {7, 5}, {17, 33}, {15, 48}, {64, 47}, {130, 9}} {
		for _, s := range samples(size[0], size[1]) {
			picture := s.white()
			for _, quality := range []int{1, 30, 50, 75, 93, 100} {
				ours := s.encoded(t, Options{Quality: quality})
				var theirs bytes.Buffer
				if err := jpeg.Encode(&theirs, picture, &jpeg.Options{Quality: quality}); err != nil {
					t.Fatal(err)
				}
				got, want := noise(t, decoded(t, ours), picture), noise(t, decoded(t, theirs.Bytes()), picture)
				ourNoise, theirNoise = ourNoise+math.Log(got+1), theirNoise+math.Log(want+1)
				if got > 1.06*want+0.2 {
					t.Errorf("%s of %v, quality %d: an error of %.3f, image/jpeg's is %.3f", s.name, size, quality, got, want)
				}
				strips := (size[1] + 15) / 16
				if most := 101*theirs.Len()/100 + 30 + 16*strips; len(ours) > most {
					t.Errorf("%s of %v, quality %d: %d bytes, image/jpeg has %d", s.name, size, quality, len(ours), theirs.Len())
				}
			}
		}
	}
	if ourNoise > 1.002*theirNoise {
		t.Errorf("the logarithms of all errors are %.2f, those of image/jpeg %.2f", ourNoise, theirNoise)
	}
}

// TestColours checks that 4:4:4 preserves the colour of each pixel, and that 4:2:0 mixes colours.
func TestColours(t *testing.T) {
	s := draw("lines", 33, 21, func(x, _ int) [4]byte {
		if x%2 == 0 {
			return [4]byte{220, 30, 30, 255}
		}
		return [4]byte{30, 30, 220, 255}
	})
	full := noise(t, decoded(t, s.encoded(t, Options{Quality: 95, Subsampling: Subsample444})), s.white())
	mixed := noise(t, decoded(t, s.encoded(t, Options{Quality: 95})), s.white())
	if full > 20 || mixed < 1000 {
		t.Errorf("errors of %.1f with 4:4:4, %.1f with 4:2:0", full, mixed)
	}
}

// mostOff is the largest error of a coefficient. Rounding between the passes adds at most 1/8 to each of eight numbers,
// and the second pass takes at most the mean of these errors. The factors of the transform have errors of at most
// 2^-14. The first pass multiplies the factors by at most four differences of 255, and the second pass by four
// differences of 2^11, of which 1/8 remains. That is an error of 1/16 in each pass.
const mostOff = 1./8 + 1./16 + 1./16

// TestTransform compares the transform with its definition.
func TestTransform(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b block
		flat, smooth := uint8(0), rapid.Bool().Draw(t, "smooth")
		for y := range 8 {
			row := rapid.SliceOfN(rapid.Int16Range(-128, 127), 8, 8).Draw(t, "row")
			if rapid.Bool().Draw(t, "flat") || smooth {
				flat |= 1 << y
				for x := range row {
					row[x] = row[0]
				}
			}
			copy(b[8*y:], row)
		}
		var got [64]int32
		columns := b.transform(flat, &got)
		for v := range 8 {
			for u := range 8 {
				sum := 0.0
				for y := range 8 {
					for x := range 8 {
						sum += float64(b[8*y+x]) * math.Cos(float64((2*x+1)*u)*math.Pi/16) * math.Cos(float64((2*y+1)*v)*math.Pi/16)
					}
				}
				for _, k := range [2]int{u, v} {
					if k == 0 {
						sum /= math.Sqrt2
					}
				}
				at, want := 8*v+u, sum/4
				have := float64(got[at]) / (1 << coefficientBits)
				if u >= columns {
					have = 0
				}
				if math.Abs(have-want) > mostOff {
					t.Fatalf("coefficient %d,%d is %v, want %v", u, v, have, want)
				}
			}
		}
	})
}

// TestDivide compares quotients near halves with exact quotients, for all steps. Within 2^-20 of a step of a half, both
// neighbours are allowed.
func TestDivide(t *testing.T) {
	for quality := 1; quality <= 100; quality++ {
		for kind := range kinds {
			for _, d := range divisors(kind, quality) {
				unit := float64(d.step) * (1 << coefficientBits)
				for q := -3; q <= 3; q++ {
					for _, beside := range []int32{-64, 64} {
						c := int32((float64(q)+0.5)*unit) + beside
						if want := int32(math.Round(float64(c) / unit)); d.divide(c) != want {
							t.Fatalf("%d in steps of %d: %d, want %d", c, d.step, d.divide(c), want)
						}
					}
				}
				for _, c := range []int32{1<<29 - 999, -1<<29 + 999} {
					if want := int32(math.Round(float64(c) / unit)); d.divide(c) != want {
						t.Fatalf("%d in steps of %d: %d, want %d", c, d.step, d.divide(c), want)
					}
				}
			}
		}
	}
}

// TestWorkers checks that the bytes do not depend on which task encodes which strip, or on earlier use of the encoder.
func TestWorkers(t *testing.T) {
	var e Encoder
	for _, s := range samples(90, 200) {
		for _, sub := range []Subsampling{Subsample420, Subsample444} {
			want := s.encoded(t, Options{Subsampling: sub})
			for name, run := range map[string]func(n int, do func(i int)){
				"one": nil,
				"backwards": func(n int, do func(i int)) {
					for i := n - 1; i >= 0; i-- {
						do(i)
					}
				},
				"at once": func(n int, do func(i int)) {
					var wg sync.WaitGroup
					for i := range n {
						wg.Go(func() { do(i) })
					}
					wg.Wait()
				},
			} {
				var b bytes.Buffer
				if err := e.EncodeRGBA(&b, s.pix, 4*s.width, s.width, s.height, &Options{Subsampling: sub, Run: run}); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(b.Bytes(), want) {
					t.Errorf("%s, %s: other bytes", s.name, name)
				}
			}
		}
	}
}

// files records the data of each call of Write.
type files [][]byte

func (f *files) Write(p []byte) (int, error) {
	*f = append(*f, bytes.Clone(p))
	return len(p), nil
}

// TestRows writes a picture as several files. Together they must have the pixels of a single file, even if the last
// file has few rows.
func TestRows(t *testing.T) {
	s := draw("ball", 70, 331, ball(70, 331))
	for _, c := range []struct {
		sub         Subsampling
		rows, count int
	}{{Subsample420, 128, 3}, {Subsample420, 384, 1}, {Subsample444, 64, 6}} {
		whole := decoded(t, s.encoded(t, Options{Subsampling: c.sub})).(*image.YCbCr)
		var f files
		var e Encoder
		if err := e.EncodeRGBA(&f, s.pix, 4*s.width, s.width, s.height, &Options{Subsampling: c.sub, Rows: c.rows}); err != nil || len(f) != c.count {
			t.Fatalf("%d files of %d rows, want %d: %v", len(f), c.rows, c.count, err)
		}
		from := 0
		for i, file := range f {
			part := decoded(t, file).(*image.YCbCr)
			box := part.Bounds()
			if box.Dx() != s.width || i < c.count-1 && box.Dy() != c.rows {
				t.Fatalf("file %d of %d rows has %v", i, c.rows, box)
			}
			for y := range box.Dy() {
				for x := range box.Dx() {
					if part.YCbCrAt(x, y) != whole.YCbCrAt(x, from+y) {
						t.Fatalf("file %d of %d rows: another pixel at %d, %d", i, c.rows, x, y)
					}
				}
			}
			from += box.Dy()
		}
		if from != s.height {
			t.Errorf("files of %d rows have %d in all", c.rows, from)
		}
	}
}

// TestHeader checks the header of a file.
func TestHeader(t *testing.T) {
	s := samples(20, 9)[0]
	plain, fine := s.encoded(t, Options{}), s.encoded(t, Options{DotsPerInch: 300})
	be := binary.BigEndian
	if string(plain[6:11]) != "JFIF\x00" || plain[13] != 0 || be.Uint16(plain[14:]) != 1 || be.Uint16(plain[16:]) != 1 {
		t.Errorf("% x", plain[:20])
	}
	if fine[13] != 1 || be.Uint16(fine[14:]) != 300 || be.Uint16(fine[16:]) != 300 || !bytes.Equal(fine[20:], plain[20:]) {
		t.Errorf("% x", fine[:20])
	}
	if !bytes.Equal(plain, s.encoded(t, Options{Quality: DefaultQuality})) {
		t.Error("the default quality is another one")
	}
}

// full is a writer that fails after some bytes.
type full int

var errFull = errors.New("full")

func (f *full) Write(p []byte) (int, error) {
	if *f -= full(len(p)); *f < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestErrors checks that invalid pictures are errors, and that errors of writing are returned.
func TestErrors(t *testing.T) {
	pix := make([]byte, 4*6*5)
	var e Encoder
	for name, err := range map[string]error{
		"too few pixels": e.EncodeRGBA(new(bytes.Buffer), pix, 24, 6, 6, nil),
		"no pixels":      e.EncodeRGBA(new(bytes.Buffer), nil, 24, 6, 1, nil),
		"stride":         e.EncodeRGBA(new(bytes.Buffer), pix, 23, 6, 5, nil),
		"width 0":        e.EncodeRGBA(new(bytes.Buffer), pix, 24, 0, 5, nil),
		"height -1":      e.EncodeRGBA(new(bytes.Buffer), pix, 24, 6, -1, nil),
		"width 65536":    e.EncodeRGBA(new(bytes.Buffer), make([]byte, 4<<16), 4<<16, 1<<16, 1, nil),
		"quality 101":    e.EncodeRGBA(new(bytes.Buffer), pix, 24, 6, 5, &Options{Quality: 101}),
		"quality -1":     e.EncodeRGBA(new(bytes.Buffer), pix, 24, 6, 5, &Options{Quality: -1}),
		"subsampling":    e.EncodeRGBA(new(bytes.Buffer), pix, 24, 6, 5, &Options{Subsampling: 2}),
		"rows":           e.EncodeRGBA(new(bytes.Buffer), pix, 24, 6, 5, &Options{Rows: 64}),
		"rows -128":      e.EncodeRGBA(new(bytes.Buffer), pix, 24, 6, 5, &Options{Rows: -128}),
		"resolution":     e.EncodeRGBA(new(bytes.Buffer), pix, 24, 6, 5, &Options{DotsPerInch: 65536}),
		"undone": e.EncodeRGBA(new(bytes.Buffer), pix, 24, 6, 5, &Options{Run: func(int, func(int)) {
		}}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for _, room := range []int{0, 1000} {
		w := full(room)
		s := samples(64, 64)[4]
		if err := e.EncodeRGBA(&w, s.pix, 4*s.width, s.width, s.height, nil); !errors.Is(err, errFull) {
			t.Errorf("%d bytes: %v", room, err)
		}
	}
}

// TestStride encodes a part of a larger picture.
func TestStride(t *testing.T) {
	large := samples(40, 30)[3]
	part := draw("part", 21, 18, func(x, y int) [4]byte { return [4]byte(large.pix[4*((y+5)*40+x+9):]) })
	var b bytes.Buffer
	at := 4 * (5*40 + 9)
	if err := new(Encoder).EncodeRGBA(&b, large.pix[at:at+4*(17*40+21)], 4*40, 21, 18, nil); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), part.encoded(t, Options{})) {
		t.Error("another picture")
	}
}

// FuzzEncode decodes files of any pixels and sizes with image/jpeg.
func FuzzEncode(f *testing.F) {
	f.Add([]byte{1, 2, 3, 255}, uint8(1), uint8(90), false)
	f.Add(samples(17, 19)[4].pix, uint8(17), uint8(100), true)
	f.Add(samples(64, 33)[5].pix, uint8(64), uint8(1), false)
	f.Fuzz(func(t *testing.T, pix []byte, width, quality uint8, full bool) {
		w := int(width)
		if w == 0 || len(pix) < 4*w {
			return
		}
		s := sample{pix: pix, width: w, height: len(pix) / (4 * w)}
		o := Options{Quality: int(quality % 101)}
		if full {
			o.Subsampling = Subsample444
		}
		if img := decoded(t, s.encoded(t, o)); img.Bounds() != image.Rect(0, 0, w, s.height) {
			t.Fatalf("%v, want %dx%d", img.Bounds(), w, s.height)
		}
	})
}

// BenchmarkEncode encodes pictures of a ball and of noise. It uses one worker, as many workers as -cpu says, and
// image/jpeg for comparison.
func BenchmarkEncode(b *testing.B) {
	for _, size := range [][2]int{{1280, 720}, {1920, 1080}} {
		for _, s := range []sample{samples(size[0], size[1])[2], samples(size[0], size[1])[4]} {
			picture := s.white()
			name := fmt.Sprintf("size=%dx%d/picture=%s/impl=", size[0], size[1], s.name)
			report := func(b *testing.B, bytes int) {
				b.ReportMetric(float64(b.N*size[0]*size[1])/1e6/b.Elapsed().Seconds(), "Mpix/s")
				b.ReportMetric(float64(bytes), "file-bytes")
			}
			b.Run(name+"lockstep", func(b *testing.B) {
				var e Encoder
				var file bytes.Buffer
				for b.Loop() {
					file.Reset()
					if err := e.EncodeRGBA(&file, s.pix, 4*s.width, s.width, s.height, &Options{Run: workers}); err != nil {
						b.Fatal(err)
					}
				}
				report(b, file.Len())
			})
			b.Run(name+"image-jpeg", func(b *testing.B) {
				var file bytes.Buffer
				for b.Loop() {
					file.Reset()
					if err := jpeg.Encode(&file, picture, &jpeg.Options{Quality: DefaultQuality}); err != nil {
						b.Fatal(err)
					}
				}
				report(b, file.Len())
			})
		}
	}
}
