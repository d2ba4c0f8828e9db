package png

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
)

// TestStream writes pictures some rows at a time. The files must equal those of EncodeRGBA.
func TestStream(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, size := range [][2]int{{1, 1}, {37, 300}, {700, 900}, {400, 300}} {
		width, height := size[0], size[1]
		p := sphere("", width, height, 0.8, 0.05, orange)
		for _, channels := range []Channels{ChannelsRGB, ChannelsRGBA} {
			for _, level := range []Level{Fast, Small, Quick} {
				opts := &Options{Channels: channels, Level: level, Run: goroutines(3), Text: []Text{{"Title", "rows"}}}
				var want, got bytes.Buffer
				var e Encoder
				if err := e.EncodeRGBA(&want, p.pix, 4*width, width, height, opts); err != nil {
					t.Fatal(err)
				}
				s, err := e.Stream(&got, width, height, opts)
				if err != nil {
					t.Fatal(err)
				}
				for y := 0; y < height; {
					n := min(1+random.IntN(1+height/3), height-y)
					if err := s.Rows(p.pix[4*width*y:], 4*width, n); err != nil {
						t.Fatal(err)
					}
					y += n
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got.Bytes(), want.Bytes()) {
					t.Errorf("%dx%d, channels %d, level %d: another file", width, height, channels, level)
				}
				if s.Close() == nil || s.Rows(p.pix, 4*width, 1) == nil {
					t.Error("no error after Close")
				}
			}
		}
	}
}

func TestStreamErrors(t *testing.T) {
	var e Encoder
	for _, c := range [][2]int{{0, 1}, {1, 0}, {-1, 5}, {maxWidth + 1, 1}} {
		if _, err := e.Stream(&bytes.Buffer{}, c[0], c[1], nil); err == nil {
			t.Errorf("size %v: no error", c)
		}
	}
	if _, err := e.Stream(&bytes.Buffer{}, 4, 4, &Options{Level: 99}); err == nil {
		t.Error("no error for a level that there is not")
	}
	s, err := e.Stream(&bytes.Buffer{}, 4, 4, nil)
	if err != nil {
		t.Fatal(err)
	}
	pix := make([]byte, 100)
	if s.Rows(pix, 16, 5) == nil || s.Rows(pix, 16, 0) == nil || s.Rows(pix, 15, 2) == nil || s.Rows(pix[:30], 16, 2) == nil {
		t.Error("no error for rows that do not fit")
	}
	if err := s.Rows(pix, 16, 3); err != nil {
		t.Fatal(err)
	}
	if s.Close() == nil {
		t.Error("no error for a missing row")
	}
	rows := make([]byte, 4*300*100)
	write := func(n int) error {
		s, err := e.Stream(&limited{n: n}, 300, 900, nil)
		if err != nil {
			return err
		}
		for range 9 {
			if err := s.Rows(rows, 1200, 100); err != nil {
				if again := s.Close(); again == nil {
					t.Error("Close forgets the error")
				}
				return err
			}
		}
		return s.Close()
	}
	whole := &counted{}
	s, _ = e.Stream(whole, 300, 900, nil)
	if err := s.Rows(make([]byte, 4*300*900), 1200, 900); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for n := 0; n < whole.n; n++ {
		if n > 100 && n < whole.n-100 && !*long {
			n += 30
		}
		if err := write(n); !errors.Is(err, errFull) {
			t.Fatalf("writer that fails after %d of %d bytes: %v", n, whole.n, err)
		}
	}
}

// counted is a writer that counts bytes.
type counted struct{ n int }

func (c *counted) Write(p []byte) (int, error) { c.n += len(p); return len(p), nil }
