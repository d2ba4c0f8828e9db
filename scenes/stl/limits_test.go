package stl

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/internal/meshtest"
)

// perWorker is the greatest memory that each worker of a reader needs, see budget.ReaderBytes.
const perWorker = 512 << 10

// TestLimits reads each file by path or as a stream, with limits just above and just below the memory that this needs.
// A refused read must allocate no more than its limit and some buffers.
func TestLimits(t *testing.T) {
	ctx := context.Background()
	m := generate(t, "scene:soup?triangles=300000")
	colored := &scenes.Mesh{Block: m.Slice(0, 200_000)}
	colored.Colors = make([]uint32, colored.Len())
	colored.Colors[150_000] = 0xff0000
	plain, colors := writeSTL(t, m), writeSTL(t, colored)
	ascii := appendASCII(nil, &scenes.Mesh{Block: m.Slice(0, 50_000)})
	const slack = 5 // a growing list may have a quarter too much memory at its end, and its copy half too much
	for _, c := range []struct {
		name      string
		file      []byte
		triangles int64
		bytes     int64 // number of bytes per triangle
		stream    bool
	}{
		{"file", plain, 300_000, 36, false},
		{"stream", plain, 300_000, 72, true},
		{"file with colours", colors, 200_000, 40, false},
		{"stream with colours", colors, 200_000, 74, true},
		{"ASCII file", ascii, 50_000, 72, false},
		{"ASCII stream", ascii, 50_000, 72, true},
	} {
		path := saved(t, c.file)
		read := func(opts scenes.ReadOptions) error {
			opts.Name = "a file"
			if c.stream {
				_, _, err := Read(ctx, bytes.NewReader(c.file), opts)
				return err
			}
			_, _, err := readFile(ctx, path, opts)
			return err
		}
		refused := func(what string, opts scenes.ReadOptions, want, limit int64) {
			t.Helper()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := read(opts)
			runtime.ReadMemStats(&after)
			var e *scenes.LimitError
			if !errors.As(err, &e) || e.File != "a file" || e.Limit != limit || e.Want <= limit || e.Want > want {
				t.Errorf("%s: %s: %v, want at most %d beyond a limit of %d", c.name, what, err, want, limit)
			}
			// Besides the mesh, each worker holds a piece of the file.
			beside := int64(2<<20 + runtime.GOMAXPROCS(0)*perWorker)
			if opts.MaxMemory > 0 && int64(after.TotalAlloc-before.TotalAlloc) > limit+beside {
				t.Errorf("%s: %s: %d bytes allocated with a limit of %d", c.name, what, after.TotalAlloc-before.TotalAlloc, limit)
			}
		}
		need := c.triangles * c.bytes
		if err := read(scenes.ReadOptions{MaxTriangles: c.triangles, MaxMemory: need + need/slack}); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		refused("triangles", scenes.ReadOptions{MaxTriangles: c.triangles - 1}, c.triangles, c.triangles-1)
		refused("one triangle", scenes.ReadOptions{MaxTriangles: 1}, c.triangles, 1)
		refused("memory", scenes.ReadOptions{MaxMemory: need - 1}, need+need/slack, need-1)
		refused("a megabyte", scenes.ReadOptions{MaxMemory: 1 << 20}, need, 1<<20)
	}
}

// TestLimitEndsTheRead reads a stream that is too long. Only little more than the allowed part may be read.
func TestLimitEndsTheRead(t *testing.T) {
	file := writeSTL(t, scene(t, "scene:soup?triangles=100000"))
	for limit := int64(5000); limit < 100_000; limit += 9000 {
		r := bytes.NewReader(file)
		var e *scenes.LimitError
		if _, _, err := Read(context.Background(), struct{ io.Reader }{r}, scenes.ReadOptions{MaxTriangles: limit}); !errors.As(err, &e) {
			t.Errorf("limit %d: %v", limit, err)
		}
		read := int64(len(file) - r.Len())
		if most := sizeOf(limit + scenes.BlockSize); read > most {
			t.Errorf("limit %d: %d bytes were read, want at most %d", limit, read, most)
		}
	}
}

// TestLimitOfOpen opens a file by blocks. Only the number of its triangles is limited.
func TestLimitOfOpen(t *testing.T) {
	path := saved(t, writeSTL(t, scene(t, "scene:soup?triangles=10000")))
	var e *scenes.LimitError
	if _, _, err := Open(context.Background(), path, scenes.ReadOptions{MaxTriangles: 9999}); !errors.As(err, &e) || e.File != path {
		t.Errorf("error %v", err)
	}
	s, _, err := Open(context.Background(), path, scenes.ReadOptions{MaxTriangles: 10_000, MaxMemory: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	opts := scenes.ReadOptions{MaxMemory: 360_000}
	loaded, err := scenes.Load(context.Background(), s, opts)
	if err != nil {
		t.Fatal(err)
	}
	meshtest.Same(t, loaded, generate(t, "scene:soup?triangles=10000"))
	opts.MaxMemory--
	if _, err := scenes.Load(context.Background(), s, opts); !errors.As(err, &e) || e.Want != 360_000 {
		t.Errorf("load: %v", err)
	}
}
