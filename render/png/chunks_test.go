package png

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"io"
	"sync"
	"testing"
)

type chunk struct {
	kind string
	data []byte
}

// parseChunks splits a file into chunks, and checks the signature, the lengths and the CRCs.
func parseChunks(t testing.TB, file []byte) []chunk {
	t.Helper()
	if !bytes.HasPrefix(file, []byte("\x89PNG\r\n\x1a\n")) {
		t.Fatalf("no PNG signature: % x", file[:min(8, len(file))])
	}
	var chunks []chunk
	for p := file[8:]; len(p) > 0; {
		if len(p) < 12 {
			t.Fatalf("%d bytes at the end are no chunk", len(p))
		}
		n := int(binary.BigEndian.Uint32(p))
		if n > len(p)-12 {
			t.Fatalf("chunk %q of %d bytes, %d left", p[4:8], n, len(p)-12)
		}
		if got, want := binary.BigEndian.Uint32(p[8+n:]), crc32.ChecksumIEEE(p[4:8+n]); got != want {
			t.Fatalf("chunk %q: CRC %08x, want %08x", p[4:8], got, want)
		}
		chunks = append(chunks, chunk{string(p[4:8]), p[8 : 8+n]})
		p = p[12+n:]
	}
	if len(chunks) < 3 || chunks[0].kind != "IHDR" || chunks[len(chunks)-1].kind != "IEND" {
		t.Fatalf("no picture between IHDR and IEND: %d chunks", len(chunks))
	}
	return chunks
}

// dataOf joins the data of all chunks of a kind. It leaves out the first skip bytes of each chunk.
func dataOf(chunks []chunk, kind string, skip int) []byte {
	var data []byte
	for _, c := range chunks {
		if c.kind == kind {
			data = append(data, c.data[skip:]...)
		}
	}
	return data
}

// inflate decompresses a zlib stream and checks its Adler-32 sum. It fails if anything follows the stream.
func inflate(t testing.TB, stream []byte) []byte {
	t.Helper()
	in := bytes.NewReader(stream)
	r, err := zlib.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if in.Len() != 0 {
		t.Fatalf("%d bytes behind the zlib stream", in.Len())
	}
	return data
}

// decodeRGBA decodes a file with image/png, and returns its pixels with straight alpha.
func decodeRGBA(t testing.TB, file []byte) (pix []byte, width, height int) {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	width, height = img.Bounds().Dx(), img.Bounds().Dy()
	switch img := img.(type) {
	case *image.NRGBA:
		return img.Pix, width, height
	case *image.RGBA: // image/png returns opaque pictures in this form
		return img.Pix, width, height
	case *image.Gray:
		for _, v := range img.Pix {
			pix = append(pix, v, v, v, 255)
		}
		return pix, width, height
	}
	t.Fatalf("image/png decoded a %T", img)
	return nil, 0, 0
}

// decodeGray16 decodes a file with image/png, and returns its samples.
func decodeGray16(t testing.TB, file []byte) (pix []uint16, width, height int) {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	g, ok := img.(*image.Gray16)
	if !ok {
		t.Fatalf("image/png decoded a %T", img)
	}
	width, height = g.Rect.Dx(), g.Rect.Dy()
	for y := range height {
		for x := range width {
			pix = append(pix, g.At(x, y).(color.Gray16).Y)
		}
	}
	return pix, width, height
}

// colourType returns the colour type in the IHDR chunk.
func colourType(file []byte) byte { return file[8+8+9] }

// encodeRGBA encodes with a new encoder.
func encodeRGBA(t testing.TB, p *picture, opts *Options) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := new(Encoder).EncodeRGBA(&buf, p.pix, 4*p.width, p.width, p.height, opts); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// goroutines returns a Run with the given number of goroutines. They take tasks from the last to the first, so that
// slabs finish out of order.
func goroutines(workers int) func(n int, do func(i int)) {
	return func(n int, do func(i int)) {
		tasks := make(chan int, n)
		for i := range n {
			tasks <- n - 1 - i
		}
		close(tasks)
		var wg sync.WaitGroup
		for range workers {
			wg.Go(func() {
				for i := range tasks {
					do(i)
				}
			})
		}
		wg.Wait()
	}
}
