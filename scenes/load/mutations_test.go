package load_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"lockstep/scenes"
	"lockstep/scenes/load"
	"lockstep/scenes/procedural"
	"lockstep/scenes/save"
)

var long = flag.Bool("long", false, "run tests that take minutes or gigabytes")

// seeds returns small whole files of every format, those of testdata among them.
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
			var packed bytes.Buffer
			w := gzip.NewWriter(&packed)
			if _, err := w.Write(b.Bytes()); err != nil || w.Close() != nil {
				t.Fatal(err)
			}
			files["obj.gz"] = packed.Bytes()
		}
	}
	return withModels(t, files)
}

// withModels adds the files of 3MF and ZIP of testdata.
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

// mutate returns a file with a few changes of bytes, cuts, and pieces of itself or of
// another elsewhere.
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
		case 4: // a piece is left out
			f = append(f[:at], f[min(len(f), at+1+r.IntN(64)):]...)
		case 5: // a piece twice
			end := min(len(f), at+1+r.IntN(256))
			f = append(f[:end:end], f[at:]...)
		case 6: // a piece of another
			from := r.IntN(len(other))
			f = append(append(f[:at:at], other[from:min(len(other), from+1+r.IntN(256))]...), f[at:]...)
		case 7: // a number
			for k := range min(4, len(f)-at) {
				f[at+k] = byte(r.IntN(256))
			}
		}
	}
	return f
}

// TestMutations reads damaged files of every format: each is a mesh or one error with a
// type, in little time and memory. With -long it reads 100,000 of each.
func TestMutations(t *testing.T) {
	n := 40
	if *long {
		n = 100_000
	}
	files := seeds(t)
	for name, file := range files {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, uint64(len(name))))
			outcomes := make(map[string]int)
			for i := range n {
				outcomes[readMutant(t, i, mutate(r, file, files["ply-ascii"]))]++
			}
			if outcomes["mesh"] == 0 || outcomes["damage"]+outcomes["unknown"] == 0 {
				t.Errorf("%v: the changes are too small or too large", outcomes)
			}
			t.Log(outcomes)
		})
	}
}

// readMutant reads a file and returns what it was found to be.
func readMutant(t *testing.T, i int, file []byte) string {
	t.Helper()
	m, rep, err := readInTime(file)
	if errors.Is(err, context.DeadlineExceeded) {
		m, rep, err = readInTime(file) // the process may have been stopped meanwhile
	}
	var damage *scenes.DamageError
	var limit *scenes.LimitError
	switch {
	case err == nil && (m.Len() != rep.Triangles || m.Len() > 1<<20):
		t.Fatalf("%d: %d triangles of %d bytes, report %+v", i, m.Len(), len(file), rep)
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

// readInTime ends a read that hangs: it takes far longer than any other.
func readInTime(file []byte) (*scenes.Mesh, *scenes.Report, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return load.Reader(ctx, bytes.NewReader(file), scenes.ReadOptions{MaxMemory: 64 << 20, Workers: 1})
}

// TestMutantsMemory reads damaged files one after the other and wants no more memory to
// be allocated for each than 64 MiB and four times its size.
func TestMutantsMemory(t *testing.T) {
	n := 30
	if *long {
		n = 2000
	}
	files := seeds(t)
	for name, file := range files {
		r := rand.New(rand.NewPCG(2, uint64(len(name))))
		for i := range n {
			mutant := mutate(r, file, files["ply-ascii"])
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			readMutant(t, i, mutant)
			runtime.ReadMemStats(&after)
			if got := after.TotalAlloc - before.TotalAlloc; got > 64<<20+4*uint64(len(mutant)) {
				t.Fatalf("%s, %d: %d bytes for a file of %d", name, i, got, len(mutant))
			}
		}
	}
}

// TestRefusedBeforeTheRead has files of 8 MB refused by their header, or by samples, before
// a tenth of them was read.
func TestRefusedBeforeTheRead(t *testing.T) {
	scene, err := procedural.Parse("scene:torus?triangles=200000")
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
		if done, size, err := read(2 << 20); !errors.As(err, &limit) || done > size/10 {
			t.Errorf("%s: %v, after %d of %d bytes", f.Name, err, done, size)
		}
		// It is never refused where it fits.
		least := int64(200_000 * (scenes.TriangleBytes + 12))
		for memory := least; ; memory += least / 4 {
			if _, _, err := read(memory); err == nil {
				break
			} else if !errors.As(err, &limit) || limit.Want <= memory || memory > 4*least {
				t.Fatal(fmt.Sprintf("%s: %d bytes: ", f.Name, memory), err)
			}
		}
	}
}
