package load_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"lockstep/scenes"
	"lockstep/scenes/load"
	"lockstep/scenes/procedural"
	"lockstep/scenes/save"
)

var long = flag.Bool("long", false, "run tests that take minutes or gigabytes")

// seeds returns small complete files of every format, including those of testdata.
func seeds(t *testing.T) map[string][]byte {
	t.Helper()
	scene, err := procedural.Parse("scene:particles?triangles=40")
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string][]byte)
	for _, f := range save.Formats() {
		var b bytes.Buffer
		if err := f.Write(context.Background(), &b, scene, scenes.ReadOptions{}); err != nil {
			t.Fatal(err)
		}
		files[f.Name] = b.Bytes()
		if f.Name == "obj" {
			pack(t, files, b.Bytes())
		}
	}
	return withModels(t, files)
}

// pack adds an OBJ file that is packed by gzip and by zstd.
func pack(t *testing.T, files map[string][]byte, obj []byte) {
	t.Helper()
	var gz, zst bytes.Buffer
	packer, err := zstd.NewWriter(&zst)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []io.WriteCloser{gzip.NewWriter(&gz), packer} {
		if _, err := w.Write(obj); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	files["obj.gz"], files["obj.zst"] = gz.Bytes(), zst.Bytes()
}

// withModels adds the 3MF and ZIP files of testdata.
func withModels(t *testing.T, files map[string][]byte) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/seeds/*")
	if err != nil || len(names) == 0 {
		t.Fatal("no seeds", err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(name)] = data
	}
	return files
}

// mutate returns a file after a few random changes. It changes bytes, truncates the file, and removes, repeats or
// inserts pieces of the file or of another file.
func mutate(r *rand.Rand, file, other []byte) []byte {
	f := bytes.Clone(file)
	for range 1 + r.IntN(4) {
		if len(f) == 0 {
			return f
		}
		at := r.IntN(len(f))
		switch r.IntN(8) {
		case 0, 1:
			f[at] ^= 1 << r.IntN(8)
		case 2:
			f[at] = []byte{0, 0xff, 0x7f, 0x80, '-', '9', ' ', '\n'}[r.IntN(8)]
		case 3:
			f = f[:at]
		case 4: // remove a piece
			f = append(f[:at], f[min(len(f), at+1+r.IntN(64)):]...)
		case 5: // repeat a piece
			end := min(len(f), at+1+r.IntN(256))
			f = append(f[:end:end], f[at:]...)
		case 6: // insert a piece of another file
			from := r.IntN(len(other))
			f = append(append(f[:at:at], other[from:min(len(other), from+1+r.IntN(256))]...), f[at:]...)
		case 7: // overwrite a number
			for k := range min(4, len(f)-at) {
				f[at+k] = byte(r.IntN(256))
			}
		}
	}
	return f
}

// TestMutations reads damaged files of every format. Each read must give a mesh or one error of a known type. It must
// end within two seconds, and allocate at most 64 MiB and four times the size of the file. With the flag -long, the
// test reads 100,000 files of each format.
func TestMutations(t *testing.T) {
	n := 70
	if *long {
		n = 100_000
	}
	files := seeds(t)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(len(name))))
			outcomes := make(map[string]int)
			var slowest time.Duration
			var largest uint64
			for i := range n {
				outcome, took, allocated := readMutant(t, i, mutate(r, files[name], files["ply-ascii"]))
				outcomes[outcome]++
				slowest, largest = max(slowest, took), max(largest, allocated)
			}
			if outcomes["mesh"] == 0 || outcomes["damage"]+outcomes["unknown"] == 0 {
				t.Errorf("%v: the changes are too small or too large", outcomes)
			}
			t.Logf("%v, at most %v and %.1f MiB", outcomes, slowest, float64(largest)/(1<<20))
		})
	}
}

// readMutant reads a file and returns its outcome, the elapsed time and the number of allocated bytes.
func readMutant(t *testing.T, i int, file []byte) (outcome string, took time.Duration, allocated uint64) {
	t.Helper()
	// If the read was slow, it is repeated, because the system may have delayed it.
	for try := 0; try < 5 && (try == 0 || took > 2*time.Second); try++ {
		before, start := allocatedBytes(), time.Now()
		m, rep, err := readInTime(file)
		took, allocated = time.Since(start), allocatedBytes()-before
		if errors.Is(err, context.DeadlineExceeded) {
			took = max(took, 3*time.Second)
			continue
		}
		outcome = outcomeOf(t, i, m, rep, err)
	}
	if took > 2*time.Second {
		t.Fatalf("%d: took %v", i, took)
	}
	if allocated > 64<<20+4*uint64(len(file)) {
		t.Fatalf("%d: %d bytes for a file of %d", i, allocated, len(file))
	}
	return outcome, took, allocated
}

// outcomeOf names the outcome of a read. It fails the test if a reader may not have this outcome.
func outcomeOf(t *testing.T, i int, m *scenes.Mesh, rep *scenes.Report, err error) string {
	t.Helper()
	var damage *scenes.DamageError
	var limit *scenes.LimitError
	switch {
	case err == nil && (m.Len() != rep.Triangles || m.Len() > 1<<20):
		t.Fatalf("%d: %d triangles, report %+v", i, m.Len(), rep)
	case err == nil:
		return "mesh"
	case errors.As(err, &damage):
		return "damage"
	case errors.Is(err, scenes.ErrUnknownFormat):
		return "unknown"
	case errors.As(err, &limit):
		return "limit"
	}
	t.Fatalf("%d: error without a type: %v", i, err)
	return ""
}

// readInTime reads a file. It stops the read after ten seconds, because only a read that hangs takes so long.
func readInTime(file []byte) (*scenes.Mesh, *scenes.Report, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return load.Reader(ctx, bytes.NewReader(file), scenes.ReadOptions{MaxMemory: 64 << 20, Workers: 1})
}

// allocatedBytes returns the exact number of bytes that the process has allocated since it started.
func allocatedBytes() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.TotalAlloc
}

// TestRefusedBeforeTheRead checks that files of 8 MB are refused because of their header or of samples before a tenth
// of them has been read.
func TestRefusedBeforeTheRead(t *testing.T) {
	scene, err := procedural.Parse("scene:torus?triangles=100000")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range save.Formats() {
		if f.Extension != ".ply" && f.Extension != ".obj" && f.Extension != ".off" || f.Name == "off-binary" {
			continue
		}
		path := filepath.Join(t.TempDir(), "mesh")
		w, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		err = errors.Join(f.Write(context.Background(), w, scene, scenes.ReadOptions{}), w.Close())
		if err != nil {
			t.Fatal(err)
		}
		read := func(memory int64) (done, size int64, err error) {
			_, _, err = load.File(context.Background(), path, scenes.ReadOptions{MaxMemory: memory, Progress: func(d, s int64) { done, size = d, s }})
			return done, size, err
		}
		var limit *scenes.LimitError
		if done, size, err := read(1 << 20); !errors.As(err, &limit) || done > size/10 {
			t.Errorf("%s: %v, after %d of %d bytes", f.Name, err, done, size)
		}
		// The file must be read if the memory is sufficient.
		least := int64(100_000 * (scenes.TriangleBytes + 12))
		for memory := least; ; memory += least / 4 {
			if _, _, err := read(memory); err == nil {
				break
			} else if !errors.As(err, &limit) || limit.Want <= memory || memory > 4*least {
				t.Fatal(fmt.Sprintf("%s: %d bytes: ", f.Name, memory), err)
			}
		}
	}
}
