package png

import (
	"bytes"
	stdflate "compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/klauspost/compress/flate"
)

// encodeBestSpeed encodes with image/png's BestSpeed, the reference for sizes and times.
func encodeBestSpeed(img image.Image) []byte {
	var buf bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := enc.Encode(&buf, img); err != nil {
		panic(err)
	}
	return buf.Bytes()
}

func gray16Image(pix []uint16, width, height int) image.Image {
	img := image.NewGray16(image.Rect(0, 0, width, height))
	for i, v := range pix {
		binary.BigEndian.PutUint16(img.Pix[2*i:], v)
	}
	return img
}

// BenchmarkEncode reports for each picture ms per frame, Mpix/s, the size, and the ratios to image/png's BestSpeed,
// which is timed in the same run. As many goroutines as -cpu says share the slabs.
func BenchmarkEncode(b *testing.B) {
	for _, size := range [][2]int{{1920, 1080}, {3840, 2160}} {
		for _, p := range gallery(size[0], size[1]) {
			if size[0] > 1920 && p.name != "facets=fine" && p.name != "samples=4" {
				continue
			}
			img := p.image()
			var reference []byte
			spent := fastest(func() { reference = encodeBestSpeed(img) })
			for _, c := range []Channels{ChannelsAuto, ChannelsLeast} {
				name := fmt.Sprintf("size=%dx%d/picture=%s/channels=%d", size[0], size[1], p.name, c)
				b.Run(name, func(b *testing.B) {
					benchmarkEncode(b, p, &Options{Channels: c}, len(reference), spent)
				})
			}
		}
	}
}

func benchmarkEncode(b *testing.B, p *picture, opts *Options, reference int, spent time.Duration) {
	if n := runtime.GOMAXPROCS(0); n > 1 {
		opts.Run = goroutines(n)
	}
	var e Encoder
	var buf bytes.Buffer
	best := time.Hour
	for b.Loop() {
		buf.Reset()
		start := time.Now()
		if err := e.EncodeRGBA(&buf, p.pix, 4*p.width, p.width, p.height, opts); err != nil {
			b.Fatal(err)
		}
		best = min(best, time.Since(start))
	}
	report(b, best, p.width*p.height, buf.Len(), reference, spent)
	if got, _, _ := decodeRGBA(b, buf.Bytes()); !bytes.Equal(got, p.pix) {
		b.Fatal("pixels differ")
	}
}

// BenchmarkGray16 does the same as BenchmarkEncode for pictures of depth.
func BenchmarkGray16(b *testing.B) {
	z := depth(1920, 1080)
	img := gray16Image(z, 1920, 1080)
	var reference []byte
	spent := fastest(func() { reference = encodeBestSpeed(img) })
	opts := &Options{}
	if n := runtime.GOMAXPROCS(0); n > 1 {
		opts.Run = goroutines(n)
	}
	var e Encoder
	var buf bytes.Buffer
	best := time.Hour
	for b.Loop() {
		buf.Reset()
		start := time.Now()
		if err := e.EncodeGray16(&buf, z, 1920, 1920, 1080, opts); err != nil {
			b.Fatal(err)
		}
		best = min(best, time.Since(start))
	}
	report(b, best, 1920*1080, buf.Len(), len(reference), spent)
	if got, _, _ := decodeGray16(b, buf.Bytes()); !slices.Equal(got, z) {
		b.Fatal("samples differ")
	}
}

// The function report reports the time of the fastest frame, and its ratio to the fastest frame of the reference. The
// fastest frame is the one that other work on the machine disturbs least.
func report(b *testing.B, best time.Duration, px, size, reference int, spent time.Duration) {
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(best.Seconds()*1e3, "ms/frame")
	b.ReportMetric(float64(px)/best.Seconds()/1e6, "Mpix/s")
	b.ReportMetric(float64(size), "bytes")
	b.ReportMetric(float64(size)/float64(reference), "size/BestSpeed")
	if spent > 0 {
		b.ReportMetric(spent.Seconds()/best.Seconds(), "x-faster")
	}
}

// fastest returns the shortest time of five calls.
func fastest(f func()) time.Duration {
	best := time.Hour
	for range 5 {
		start := time.Now()
		f()
		best = min(best, time.Since(start))
	}
	return best
}

// BenchmarkMethods compresses the filtered slabs of a picture with each method and with the levels that were rejected.
func BenchmarkMethods(b *testing.B) {
	for _, p := range gallery(1920, 1080) {
		reference := len(encodeBestSpeed(p.image()))
		var e Encoder
		if err := e.EncodeRGBA(io.Discard, p.pix, 4*p.width, p.width, p.height, nil); err != nil {
			b.Fatal(err)
		}
		f := e.format
		src := source{pix: p.pix, stride: 4 * p.width}
		var slabs [][]byte
		for i := range f.slabs {
			var s slabEncoder
			y0 := i * f.slabRows
			y1 := min(y0+f.slabRows, f.height)
			s.reserve(&f, (y1-y0)*(f.rowBytes+1))
			s.filter(&slab{}, &src, &f, y0, y1)
			slabs = append(slabs, s.filtered)
		}
		for _, c := range []struct {
			name string
			make func(w io.Writer) (deflater, error)
		}{
			{"klauspost1", func(w io.Writer) (deflater, error) { return flate.NewWriter(w, 1) }},
			{"dense", dense.newWriter},
			{"careful", careful.newWriter},
			{"sparse", sparse.newWriter},
			{"small", small.newWriter},
		} {
			b.Run("picture="+p.name+"/method="+c.name, func(b *testing.B) {
				w, err := c.make(io.Discard)
				if err != nil {
					b.Fatal(err)
				}
				comp := compressor{writers: [methods]deflater{w}}
				var out []byte
				best := time.Hour
				for b.Loop() {
					out = out[:0]
					start := time.Now()
					for i, s := range slabs {
						out = comp.append(out, s, 0, i == len(slabs)-1)
					}
					best = min(best, time.Since(start))
				}
				report(b, best, p.width*p.height, len(out), reference, 0)
				r := stdflate.NewReader(bytes.NewReader(out))
				for i, s := range slabs {
					got := make([]byte, len(s))
					if _, err := io.ReadFull(r, got); err != nil || !bytes.Equal(got, s) {
						b.Fatalf("strip %d differs (%v)", i, err)
					}
				}
			})
		}
	}
}

// BenchmarkBands reports the times, in ms, of encoding, checking, decoding and assembling the bands of pictures of
// 1920x1080 in two halves.
func BenchmarkBands(b *testing.B) {
	for _, p := range gallery(1920, 1080) {
		if p.name != "facets=fine" && p.name != "smooth-orange" {
			continue
		}
		b.Run("picture="+p.name, func(b *testing.B) {
			o := &Options{Channels: ChannelsRGB}
			bands, err := NewBands(p.width, p.height, o)
			must(err)
			half := bands.Len() / 2
			parts := cut(b, bands, p.pix, []int{0, half, bands.Len()})
			var e Encoder
			var part []byte
			for name, f := range map[string]func() error{
				"encode": func() (err error) {
					part, err = e.AppendBands(part[:0], bands, 0, bands.Len(), p.pix, nil)
					return err
				},
				"check": func() error {
					return errors.Join(bands.Check(parts[0], 0, half), bands.Check(parts[1], half, bands.Len()))
				},
				"verify": func() error {
					return errors.Join(bands.Verify(parts[0], 0, half), bands.Verify(parts[1], half, bands.Len()))
				},
				"assemble": func() error { return bands.Assemble(io.Discard, parts, o) },
			} {
				best := time.Hour
				for range max(b.N, 3) {
					start := time.Now()
					must(f())
					best = min(best, time.Since(start))
				}
				b.ReportMetric(best.Seconds()*1000, name+"-ms")
			}
			b.ReportMetric(float64(len(parts[0])+len(parts[1])), "bytes")
			b.ReportMetric(0, "ns/op")
		})
	}
}
