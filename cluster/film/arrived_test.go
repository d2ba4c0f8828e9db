package film

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lockstep/cluster"
	"lockstep/internal/clitest"
	"lockstep/render/recipe"
)

// TestCheckPNG checks that complete PNG files of the right size are accepted. Files with one changed byte, truncated
// files and files with trailing bytes must be rejected.
func TestCheckPNG(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 9, 7))); err != nil {
		t.Fatal(err)
	}
	file := b.Bytes()
	if err := checkPNG(file, 9, 7); err != nil {
		t.Fatal(err)
	}
	if checkPNG(file, 7, 9) == nil || checkPNG(file, 9, 8) == nil || checkPNG(file, 8, 7) == nil || checkPNG(append(bytes.Clone(file), 0), 9, 7) == nil {
		t.Error("a picture of another size is taken, or one with more behind it")
	}
	for i := range file {
		if checkPNG(file[:i], 9, 7) == nil {
			t.Errorf("a file of %d bytes of %d is taken", i, len(file))
		}
		for _, flip := range []byte{1, 0x80} {
			other := bytes.Clone(file)
			other[i] ^= flip
			if checkPNG(other, 9, 7) == nil {
				t.Errorf("a file whose byte %d is another is taken", i)
			}
		}
	}
	empty := append(bytes.Clone(file[:33]), file[len(file)-12:]...)
	if checkPNG(empty, 9, 7) == nil {
		t.Error("a file without pixels is taken")
	}
	const begin, size = 8, 7 // the header follows the signature; here it is too short for a width and a height
	short := append(bytes.Clone(file[:begin]), 0, 0, 0, size)
	short = append(short, file[begin+4:begin+8+size]...)
	short = append(short, checksum(file[begin+4:begin+8+size])...)
	if err := checkPNG(append(short, file[33:]...), 9, 7); err == nil || !strings.Contains(err.Error(), "has no header") {
		t.Errorf("a header of %d bytes: %v", size, err)
	}
}

// TestHugePicture checks that a picture is not downloaded if the length in its record is too large for any picture of
// that width and height.
func TestHugePicture(t *testing.T) {
	_, mesh := clitest.CubeFile(t)
	said := ""
	s, err := Open(t.Context(), cubes(mesh, t.TempDir()), Options{Drawer: recipe.Drawer{Workers: 1}, Warn: func(line string) { said = line }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	d := &cluster.Done{Node: "far", Bytes: s.maxPictureBytes() + 1}
	if err := s.downloadPicture(t.Context(), 0, d); !errors.Is(err, errNoPicture) || !strings.Contains(said, "the frame is drawn here") {
		t.Errorf("%v, %q", err, said)
	}
}

// TestKeep checks a picture that cannot be saved at first. It must be saved as soon as possible, with one warning. The
// waiting must end when the context ends.
func TestKeep(t *testing.T) {
	t.Parallel()
	dir, mesh := clitest.CubeFile(t)
	out := filepath.Join(dir, "out")
	warned := make(chan string, 9)
	s, err := Open(t.Context(), cubes(mesh, out), Options{Drawer: recipe.Drawer{Workers: 1}, Warn: func(line string) { warned <- line }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := os.RemoveAll(out); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	kept := make(chan error, 1)
	go func() { kept <- s.keepPicture(ctx, 0, "", []byte("picture")) }()
	if line := <-warned; !strings.Contains(line, "frame 0 cannot be saved") {
		t.Error(line)
	}
	time.Sleep(keepPause + keepPause/2)
	if err := os.MkdirAll(out, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := <-kept; err != nil || string(clitest.Read(t, s.names.Name(0))) != "picture" || len(warned) > 0 {
		t.Errorf("%v, %d more warnings", err, len(warned))
	}
	if err := os.RemoveAll(out); err != nil {
		t.Fatal(err)
	}
	go func() { kept <- s.keepPicture(ctx, 0, "", []byte("picture")) }()
	<-warned
	cancel()
	if err := <-kept; err == nil || errors.Is(err, os.ErrNotExist) && ctx.Err() == nil {
		t.Errorf("it ends with %v", err)
	}
}

// checksum returns the checksum of a chunk's kind and data, encoded as at the end of a chunk in a PNG file.
func checksum(chunk []byte) []byte {
	return binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(chunk))
}
