package png

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
)

// frameFiles checks the control chunks of an animation, and returns each frame as a separate file.
func frameFiles(t *testing.T, file []byte, width, height, frames int) [][]byte {
	t.Helper()
	var files [][]byte
	var header []byte
	next := uint32(0)
	number := func(p []byte) {
		if got := binary.BigEndian.Uint32(p); got != next {
			t.Fatalf("sequence number %d, want %d", got, next)
		}
		next++
	}
	for _, c := range parseChunks(t, file) {
		n := len(files)
		switch c.kind {
		case "IHDR":
			header, _ = beginChunk([]byte(signature), "IHDR")
			header = endChunk(append(header, c.data...), 8)
		case "acTL":
			if got := binary.BigEndian.Uint32(c.data); got != uint32(frames) {
				t.Errorf("acTL of %d frames, want %d", got, frames)
			}
		case "fcTL":
			number(c.data)
			if len(c.data) != 26 || binary.BigEndian.Uint32(c.data[4:]) != uint32(width) || binary.BigEndian.Uint32(c.data[8:]) != uint32(height) {
				t.Errorf("fcTL % x", c.data)
			}
			if d := c.data[20:24]; !bytes.Equal(d, []byte{0, 1, 0, 30}) {
				t.Errorf("delay % x", d)
			}
			files = append(files, bytes.Clone(header))
		case "IDAT", "fdAT":
			if (c.kind == "IDAT") != (n == 1) {
				t.Fatalf("%s in frame %d", c.kind, n)
			}
			data := c.data
			if c.kind == "fdAT" {
				number(data)
				data = data[4:]
			}
			f, start := beginChunk(files[n-1], "IDAT")
			files[n-1] = endChunk(append(f, data...), start)
		}
	}
	for i := range files {
		files[i] = appendEnd(files[i])
	}
	return files
}

func TestAnimation(t *testing.T) {
	const width, height, frames = 400, 300, 4
	for _, channels := range []Channels{ChannelsAuto, ChannelsRGB} {
		var e Encoder
		var buf bytes.Buffer
		opts := &Options{Channels: channels, Run: goroutines(3), Text: []Text{{"Title", "turntable"}}}
		a, err := e.Animate(&buf, width, height, frames, 0, opts)
		if err != nil {
			t.Fatal(err)
		}
		var want []*picture
		for k := range frames {
			p := sphere("", width, height, 0.5+0.2*float64(k), 0.05, orange)
			if channels == ChannelsRGB {
				p = onto("", p, 9, 9, 9)
			}
			want = append(want, p)
			if err := a.Frame(p.pix, 4*width, Delay{1, 30}); err != nil {
				t.Fatal(err)
			}
		}
		if err := a.Frame(want[0].pix, 4*width, Delay{}); err == nil {
			t.Error("no error for a frame too many")
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		if a.Close() == nil || a.Frame(want[0].pix, 4*width, Delay{}) == nil {
			t.Error("no error after Close")
		}
		// A decoder without animation must see the first frame.
		if got, _, _ := decodeRGBA(t, buf.Bytes()); !bytes.Equal(got, want[0].pix) {
			t.Error("the still picture is not the first frame")
		}
		files := frameFiles(t, buf.Bytes(), width, height, frames)
		if len(files) != frames {
			t.Fatalf("%d frames, want %d", len(files), frames)
		}
		for k, f := range files {
			if got, _, _ := decodeRGBA(t, f); !bytes.Equal(got, want[k].pix) {
				t.Errorf("frame %d differs", k)
			}
		}
		// Afterwards the encoder must write still pictures again.
		var still bytes.Buffer
		if err := e.EncodeRGBA(&still, want[1].pix, 4*width, width, height, nil); err != nil {
			t.Fatal(err)
		}
		if got, _, _ := decodeRGBA(t, still.Bytes()); !bytes.Equal(got, want[1].pix) {
			t.Error("still picture after the animation differs")
		}
	}
}

func TestAnimationErrors(t *testing.T) {
	var e Encoder
	p := patch(20, 10, 0)
	var buf bytes.Buffer
	for _, c := range [][4]int{{0, 10, 1, 0}, {20, 0, 1, 0}, {20, 10, 0, 0}, {20, 10, -1, 0}, {20, 10, 1, -1}} {
		if _, err := e.Animate(&buf, c[0], c[1], c[2], c[3], nil); err == nil {
			t.Errorf("%v: no error", c)
		}
	}
	write := func(w io.Writer) error {
		a, err := e.Animate(w, 20, 10, 2, 0, nil)
		if err != nil {
			return err
		}
		for range 2 {
			if err := a.Frame(p.pix, 80, Delay{1, 10}); err != nil {
				if !errors.Is(a.Close(), errFull) {
					t.Error("Close forgets the error")
				}
				return err
			}
		}
		return a.Close()
	}
	if err := write(&buf); err != nil {
		t.Fatal(err)
	}
	for n := range buf.Len() {
		if err := write(&limited{n: n}); !errors.Is(err, errFull) {
			t.Fatalf("writer that fails after %d of %d bytes: %v", n, buf.Len(), err)
		}
	}
	a, err := e.Animate(&buf, 20, 10, 2, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if a.Frame(p.pix[1:], 80, Delay{}) == nil || a.Close() == nil {
		t.Error("no error for a short frame or for missing frames")
	}
}
