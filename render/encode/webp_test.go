package encode

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/image/webp"
)

// webpPictures returns pictures on which encoders often fail: odd sizes, gradients, noise, few colours, and transparent
// pixels.
func webpPictures() map[string]*image.NRGBA {
	random := rand.New(rand.NewPCG(5, 6))
	all := map[string]*image.NRGBA{}
	for _, size := range [][2]int{{1, 1}, {1, 70}, {3, 5}, {255, 127}, {64, 64}, {130, 2}, {300, 40}} {
		for _, kind := range []string{"gradient", "noise", "both", "few", "alpha", "one"} {
			img := image.NewNRGBA(image.Rect(0, 0, size[0], size[1]))
			for i := 0; i < len(img.Pix); i += 4 {
				x, y := i/4%size[0], i/4/size[0]
				p := [4]byte{byte(3 * x), byte(x + 2*y), byte(5 * y), 255}
				v := random.Uint32()
				switch {
				case kind == "noise", kind == "both" && x > size[0]/2:
					p = [4]byte{byte(v), byte(v >> 8), byte(v >> 16), 255}
				case kind == "few":
					p = [4]byte{byte(v % 3 * 80), byte(v % 2 * 9), 7, 255}
				case kind == "alpha":
					p[3] = byte(v)
				case kind == "one":
					p = [4]byte{9, 8, 7, 0}
				}
				copy(img.Pix[i:], p[:])
			}
			all[fmt.Sprintf("%s/%dx%d", kind, size[0], size[1])] = img
		}
	}
	return all
}

// straight returns the pixels of a decoded picture with straight alpha.
func straight(t *testing.T, img image.Image) *image.NRGBA {
	t.Helper()
	if n, ok := img.(*image.NRGBA); ok {
		return n
	}
	n := image.NewNRGBA(img.Bounds())
	draw.Draw(n, n.Rect, img, img.Bounds().Min, draw.Src)
	return n
}

func TestWebP(t *testing.T) {
	for name, img := range webpPictures() {
		for _, small := range []bool{false, true} {
			var file bytes.Buffer
			if err := WebP(&file, img.Pix, img.Rect.Dx(), img.Rect.Dy(), small); err != nil {
				t.Fatal(name, err)
			}
			got, err := webp.Decode(bytes.NewReader(file.Bytes()))
			if err != nil {
				t.Fatal(name, err)
			}
			if !bytes.Equal(straight(t, got).Pix, img.Pix) {
				t.Errorf("%s: other pixels", name)
			}
			if !small {
				checkLibwebp(t, name, file.Bytes(), img)
			}
		}
	}
	if err := WebP(nil, nil, 2, 2, false); err == nil {
		t.Error("no error for missing pixels")
	}
	if err := WebP(nil, make([]byte, 4*(MostWebP+1)), MostWebP+1, 1, false); err == nil {
		t.Error("no error for a picture that is too wide")
	}
}

// checkLibwebp decodes a file with libwebp, if it is installed.
func checkLibwebp(t *testing.T, name string, file []byte, want *image.NRGBA) {
	t.Helper()
	dwebp, err := exec.LookPath("dwebp")
	if err != nil {
		return
	}
	folder := t.TempDir()
	from, to := filepath.Join(folder, "a.webp"), filepath.Join(folder, "a.png")
	if err := os.WriteFile(from, file, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(dwebp, "-quiet", from, "-o", to).CombinedOutput(); err != nil {
		t.Fatalf("%s: dwebp: %v: %s", name, err, out)
	}
	decoded, err := os.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	defer decoded.Close()
	got, err := png.Decode(decoded)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(straight(t, got).Pix, want.Pix) {
		t.Errorf("%s: libwebp sees other pixels", name)
	}
}

// webpFrames returns the frames of an animation, each as a separate file.
func webpFrames(t *testing.T, file []byte, delay int) (frames [][]byte) {
	t.Helper()
	if string(file[:4]) != "RIFF" || string(file[8:12]) != "WEBP" || int(binary.LittleEndian.Uint32(file[4:])) != len(file)-8 {
		t.Fatalf("header % x of %d bytes", file[:12], len(file))
	}
	for at := 12; at < len(file); {
		name, size := string(file[at:at+4]), int(binary.LittleEndian.Uint32(file[at+4:]))
		data := file[at+8 : at+8+size]
		if at += 8 + size; size%2 != 0 {
			t.Fatalf("chunk %s of %d bytes", name, size)
		}
		if name != "ANMF" {
			continue
		}
		if got := int(data[12]) | int(data[13])<<8 | int(data[14])<<16; got != delay {
			t.Errorf("delay %d, want %d", got, delay)
		}
		still := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(4+len(data)-16))
		frames = append(frames, append(append(still, "WEBP"...), data[16:]...))
	}
	return frames
}

func TestWebPAnimation(t *testing.T) {
	const width, height, count, delay = 61, 43, 5, 40
	var file bytes.Buffer
	a, err := NewWebPAnimation(&file, width, height, delay, false)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	var want []*image.NRGBA
	for k := range count {
		img := image.NewNRGBA(image.Rect(0, 0, width, height))
		for i := range img.Pix {
			img.Pix[i] = byte(i * (k + 1) / 50)
			if k == 3 {
				img.Pix[i] = byte(random.Uint32())
			} else if i%4 == 3 {
				img.Pix[i] = 255
			}
		}
		frame, err := a.Encode(img.Pix)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Add(frame); err != nil {
			t.Fatal(err)
		}
		want = append(want, img)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	frames := webpFrames(t, file.Bytes(), delay)
	if len(frames) != count {
		t.Fatalf("%d frames, want %d", len(frames), count)
	}
	for k, frame := range frames {
		got, err := webp.Decode(bytes.NewReader(frame))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(straight(t, got).Pix, want[k].Pix) {
			t.Errorf("frame %d: other pixels", k)
		}
	}
	if file.Bytes()[20]&hasAlpha == 0 || file.Bytes()[20]&hasAnimation == 0 {
		t.Errorf("flags %x", file.Bytes()[20])
	}
	checkWebpmux(t, file.Bytes(), want)
}

// checkWebpmux extracts frames from an animation with libwebp, if it is installed.
func checkWebpmux(t *testing.T, file []byte, want []*image.NRGBA) {
	t.Helper()
	webpmux, err := exec.LookPath("webpmux")
	if err != nil {
		return
	}
	folder := t.TempDir()
	from, to := filepath.Join(folder, "a.webp"), filepath.Join(folder, "b.webp")
	if err := os.WriteFile(from, file, 0o600); err != nil {
		t.Fatal(err)
	}
	for k, img := range want {
		if out, err := exec.Command(webpmux, "-get", "frame", fmt.Sprint(k+1), from, "-o", to).CombinedOutput(); err != nil {
			t.Fatalf("webpmux: %v: %s", err, out)
		}
		frame, err := os.ReadFile(to)
		if err != nil {
			t.Fatal(err)
		}
		checkLibwebp(t, fmt.Sprint("frame ", k), frame, img)
	}
}

func TestWebPAnimationErrors(t *testing.T) {
	for _, c := range [][3]int{{0, 1, 1}, {1, 0, 1}, {MostWebP + 1, 1, 1}, {1, MostWebP + 1, 1}, {1, 1, 0}, {1, 1, 1 << 24}} {
		if _, err := NewWebPAnimation(nil, c[0], c[1], float64(c[2]), false); err == nil {
			t.Errorf("%v: no error", c)
		}
	}
	a, err := NewWebPAnimation(nil, 2, 2, 1, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Encode(make([]byte, 15)); err == nil {
		t.Error("no error for missing pixels")
	}
	if err := a.Close(); err == nil {
		t.Error("no error for an animation without frames")
	}
}

// TestWebPAnimationLength checks that films have the right length.
func TestWebPAnimationLength(t *testing.T) {
	var file bytes.Buffer
	a, err := NewWebPAnimation(&file, 1, 1, 1000/30.0, false)
	if err != nil {
		t.Fatal(err)
	}
	frame, err := a.Encode([]byte{1, 2, 3, 255})
	if err != nil {
		t.Fatal(err)
	}
	const frames = 30
	for range frames {
		if err := a.Add(frame); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	sum, at := 0, 0
	for range frames {
		next := bytes.Index(file.Bytes()[at:], []byte("ANMF"))
		at += next + 4
		d := file.Bytes()[at+4+12:]
		sum += int(d[0]) | int(d[1])<<8 | int(d[2])<<16
	}
	if sum != 1000 {
		t.Errorf("30 frames at 30 a second last %d ms", sum)
	}
}
