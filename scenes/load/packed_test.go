package load

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
	"lockstep/scenes/procedural"
	"lockstep/scenes/save"
	"lockstep/scenes/stl"
	"lockstep/vp/isa/race"
)

func gzipped(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(data)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zstandard(t testing.TB, data []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll(data, nil)
}

// zipped returns an archive. files holds names and contents in turn.
func zipped(t testing.TB, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte(files[i+1]))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sphere returns a binary STL file that is several times as long as a prefix.
func sphere(t *testing.T) []byte {
	t.Helper()
	src, err := procedural.Parse("scene:sphere?triangles=20000")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := stl.Write(&b, src, stl.WriteOptions{Comment: "solid"}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The function both reads data as a file and as a stream. Both results must be the same.
func both(t *testing.T, data []byte, opts scenes.ReadOptions) (*scenes.Mesh, *scenes.Report, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	m, rep, err := File(context.Background(), path, opts)
	opts.Name = path
	streamed, _, streamErr := Reader(context.Background(), &meshtest.Dribble{Data: data, Size: 5000}, opts)
	if (err == nil) != (streamErr == nil) {
		t.Fatalf("by path: %v; front to back: %v", err, streamErr)
	}
	if err == nil {
		meshtest.Same(t, streamed, m)
	}
	if _, _, streamErr := Stream(context.Background(), path, opts); err == nil && !errors.Is(streamErr, scenes.ErrNotSeekable) {
		t.Errorf("by blocks: %v", streamErr)
	}
	return m, rep, err
}

// TestPacked reads meshes in every packing, also packed more than once.
func TestPacked(t *testing.T) {
	file := sphere(t)
	want, _, err := Reader(context.Background(), bytes.NewReader(file), scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	archive := zipped(t, "__MACOSX/._a.stl", "junk", "read me.txt", "hello", "dir/", "", "dir/a.stl", string(file))
	for name, data := range map[string][]byte{
		"gzip": gzipped(t, file), "zstd": zstandard(t, file), "zip": archive,
		"zip of gzip":  zipped(t, "a.stl.gz", string(gzipped(t, file))),
		"gzip of zip":  gzipped(t, archive),
		"zstd of gzip": zstandard(t, gzipped(t, file)),
	} {
		t.Run(name, func(t *testing.T) {
			m, rep, err := both(t, data, scenes.ReadOptions{Strict: true})
			if err != nil {
				t.Fatal(err)
			}
			meshtest.Same(t, m, want)
			outer, _, _ := strings.Cut(name, " ")
			if rep.Packing != outer || rep.Bytes != int64(len(data)) || rep.Format != stl.FormatBinary {
				t.Errorf("%d bytes: report %+v", len(data), rep)
			}
		})
	}
}

// TestUTF16 reads texts in UTF-16 of both byte orders, which some editors write.
func TestUTF16(t *testing.T) {
	src, err := procedural.Parse("scene:knot?triangles=1500")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range save.Formats() {
		var b bytes.Buffer
		if err := f.Write(context.Background(), &b, src, scenes.ReadOptions{}); err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(b.Bytes()) {
			continue // skip binary formats
		}
		want, _, err := Reader(context.Background(), bytes.NewReader(b.Bytes()), scenes.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for mark, order := range map[string]binary.AppendByteOrder{"\xff\xfe": binary.LittleEndian, "\xfe\xff": binary.BigEndian} {
			data := []byte(mark)
			for _, c := range utf16.Encode([]rune(b.String())) {
				data = order.AppendUint16(data, c)
			}
			m, rep, err := both(t, data, scenes.ReadOptions{Strict: true})
			if err != nil {
				t.Errorf("%s: %v", f.Name, err)
				continue
			}
			meshtest.Same(t, m, want)
			if rep.Packing != "" || rep.Bytes != int64(len(data)) {
				t.Errorf("%s: %d bytes: report %+v", f.Name, len(data), rep)
			}
			// The text is also read with one more byte, and with its last quarter cut off.
			if _, _, err := both(t, append(data, 0), scenes.ReadOptions{}); err != nil {
				t.Errorf("%s: %v", f.Name, err)
			}
			if m, rep, err := both(t, data[:len(data)*3/4], scenes.ReadOptions{}); f.Name != "obj" && (err != nil || m.Len() == 0 || len(rep.Warnings) == 0) {
				t.Errorf("%s: cut: %v", f.Name, err)
			}
		}
	}
}

// TestPackedDamage checks that the intact part of damaged data is read with a warning, or that there is one error.
func TestPackedDamage(t *testing.T) {
	file := sphere(t)
	gz, zs := gzipped(t, file), zstandard(t, file)
	broken := bytes.Clone(gz)
	broken[len(broken)-6] ^= 1 // damage the checksum
	four := gz
	for range 3 {
		four = gzipped(t, four)
	}
	two := zipped(t, "a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "b.STL", string(file))
	for _, c := range []struct {
		name    string
		data    []byte
		warning string // warning of a lenient read
		err     string
	}{
		{"cut gzip", gz[:len(gz)/2], "the gzip data is cut off", ""},
		{"cut zstd", zs[:len(zs)/2], "the zstd data is cut off", ""},
		{"checksum", broken, "the gzip data is damaged", ""},
		{"cut early", gz[:12], "", "gzip file"},
		{"no mesh", zipped(t, "a.txt", "nothing"), "", "there is no mesh in the ZIP archive"},
		{"text", gzipped(t, []byte("nothing")), "", "text that is no mesh"},
		{"cut zip", zipped(t, "a.stl", string(file))[:5000], "", "its directory is damaged"},
		{"four layers", four, "", "packed more than three times"},
		{"two meshes", two, "of 2 meshes the first is read", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, rep, err := both(t, c.data, scenes.ReadOptions{})
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "\n") {
					t.Fatalf("error %v, want %s", err, c.err)
				}
				return
			}
			if err != nil || len(rep.Warnings) == 0 || !strings.Contains(rep.Warnings[0], c.warning) {
				t.Fatalf("%+v, %v, want a warning of %s", rep, err, c.warning)
			}
			var damage *scenes.DamageError
			if _, _, err := both(t, c.data, scenes.ReadOptions{Strict: true}); !errors.As(err, &damage) {
				t.Errorf("strict: %v", err)
			}
		})
	}
}

// TestBombs checks that unpacking stops if the limit for memory is exceeded, or if the data becomes far larger than the
// file.
func TestBombs(t *testing.T) {
	comments := "v 0 0 0\n" + strings.Repeat("#\n", 10<<20)
	huge := append(sphere(t)[:84], make([]byte, 20<<20)...)
	copy(huge[80:], "\xff\xff\xff\x00")
	for name, data := range map[string][]byte{
		"comments": gzipped(t, []byte(comments)),
		"zeros":    zstandard(t, huge),
		"zip":      zipped(t, "a.obj", comments),
	} {
		if race.Enabled && name != "zeros" {
			continue // this case runs the same code with many more bytes
		}
		var damage *scenes.DamageError
		if _, _, err := both(t, data, scenes.ReadOptions{}); !errors.As(err, &damage) || !strings.Contains(err.Error(), "100 times as many bytes") {
			t.Errorf("%s, %d bytes: %v", name, len(data), err)
		}
	}
	var limit *scenes.LimitError
	if _, _, err := both(t, zstandard(t, sphere(t)), scenes.ReadOptions{MaxMemory: 100_000}); !errors.As(err, &limit) {
		t.Errorf("beyond the limit of memory: %v", err)
	}
	// An archive from a stream must be held in memory, because its directory is at its end.
	archive := zipped(t, "a.stl", string(sphere(t)))
	if _, _, err := Reader(context.Background(), &meshtest.Dribble{Data: archive, Size: 999}, scenes.ReadOptions{MaxMemory: 50_000}); !errors.As(err, &limit) {
		t.Errorf("an archive beyond the limit of memory: %v", err)
	}
}

// TestOverlappingArchive checks that an archive whose directory lists the same bytes repeatedly is refused before all
// of them have been unpacked.
func TestOverlappingArchive(t *testing.T) {
	for text, most := range map[string]int{
		strings.Repeat(" ", format.PrefixSize):                              600,
		strings.Repeat("#"+strings.Repeat("a", 7000)+"\n", 130) + "words\n": 45, // comments count too
	} {
		data := zipped(t, "a.txt", text)
		at, end := bytes.Index(data, []byte("PK\x01\x02")), bytes.LastIndex(data, []byte("PK\x05\x06"))
		const n = 3000
		list := bytes.Repeat(data[at:end], n)
		tail := bytes.Clone(data[end:])
		binary.LittleEndian.PutUint16(tail[8:], n)
		binary.LittleEndian.PutUint16(tail[10:], n)
		binary.LittleEndian.PutUint32(tail[12:], uint32(len(list)))
		data = slices.Concat(data[:at], list, tail)
		_, _, err := both(t, data, scenes.ReadOptions{})
		if !errors.Is(err, scenes.ErrUnknownFormat) {
			t.Fatal(err)
		}
		_, count, _ := strings.Cut(err.Error(), "among the first ")
		tried := 0
		if n, _ := fmt.Sscan(count, &tried); n != 1 || tried > most {
			t.Errorf("%v: want at most %d files", err, most)
		}
	}
}

// TestMacArchive checks that the files that macOS adds to archives are not taken for meshes.
func TestMacArchive(t *testing.T) {
	const one, two = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 3 2 1\n"
	m, rep, err := both(t, zipped(t, "__MACOSX/a.obj", one, "dir/.a.obj", one, "dir/a.obj", two), scenes.ReadOptions{Strict: true})
	if err != nil || m.Len() != 2 {
		t.Errorf("%+v, %v", rep, err)
	}
}

// TestWindow checks that zstd data is refused if its header claims a window that exceeds the limit for memory.
func TestWindow(t *testing.T) {
	const mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
	for _, c := range []struct {
		log  byte
		fine bool
	}{{25, true}, {26, false}} {
		// The frame has a window of 2^log bytes, and its last block is not compressed.
		n := len(mesh)
		frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, (c.log - 10) << 3, byte(n<<3 | 1), byte(n >> 5), 0}
		if _, _, err := both(t, append(frame, mesh...), scenes.ReadOptions{}); (err == nil) != c.fine {
			t.Errorf("2^%d: %v", c.log, err)
		}
	}
}

// TestBesideInArchive checks that materials are looked for in the archive and nowhere else.
func TestBesideInArchive(t *testing.T) {
	mesh := "mtllib a.mtl ../b.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n"
	data := zipped(t, "b.mtl", "newmtl red\nKd 0 1 0\n", "dir/a.obj", mesh, "dir/a.mtl", "newmtl red\nKd 1 0 0\n")
	m, rep, err := both(t, data, scenes.ReadOptions{})
	if err != nil || m.Colors == nil || m.Colors[0] != 0xff0000 || len(rep.Warnings) != 1 || !strings.Contains(rep.Warnings[0], "not in the folder") {
		t.Errorf("%+v, %v", rep, err)
	}
}

// TestSceneInArchive reads an archive in which another file before the mesh also looks like a mesh, as the numbers of a
// glTF scene may. The name of a file must then decide. A second archive has names with backslashes.
func TestSceneInArchive(t *testing.T) {
	looks := stlOf(t)
	for name, c := range map[string]struct {
		file   []byte
		format string
	}{
		"mesh first":   {zipped(t, "a.bin", string(looks), "b.obj", small[2]), "obj"},
		"only without": {zipped(t, "read me", "hello", "a.bin", string(looks)), "stl-binary"},
	} {
		_, rep, err := both(t, c.file, scenes.ReadOptions{Strict: true})
		if err != nil || rep.Format != c.format {
			t.Errorf("%s: %v, %+v", name, err, rep)
		}
	}
	file := zipped(t, `a\m.obj`, "mtllib m.mtl\nusemtl red\n"+small[2], `a\M.mtl`, "newmtl red\nKd 1 0 0\n")
	if m, _, err := both(t, file, scenes.ReadOptions{Strict: true}); err != nil || m.Colors == nil {
		t.Errorf("backslashes: %v", err)
	}
}

func stlOf(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	m, err := procedural.Parse("scene:sphere?triangles=100")
	if err != nil {
		t.Fatal(err)
	}
	if err := stl.Write(&b, m, stl.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
