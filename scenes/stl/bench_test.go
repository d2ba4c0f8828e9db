package stl

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"lockstep/scenes"
	"lockstep/scenes/internal/meshtest"
	"lockstep/scenes/procedural"
	"lockstep/scenes/stl/internal/kernel"

	"github.com/hschendel/stl"
)

// benchTriangles is the size for which the goal of the reader's speed is stated.
const benchTriangles = 1_000_000

func benchMesh(tb testing.TB, n int) *scenes.Mesh {
	tb.Helper()
	s, err := procedural.Parse("scene:torus?triangles=" + strconv.Itoa(n))
	if err != nil {
		tb.Fatal(err)
	}
	m, err := scenes.Load(context.Background(), s, scenes.ReadOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func benchFile(b *testing.B, m *scenes.Mesh) (path string, size int64) {
	b.Helper()
	path = filepath.Join(b.TempDir(), "bench.stl")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	if err := Write(f, m, WriteOptions{}); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return path, sizeOf(int64(m.Len()))
}

// readBytes reads a file of known size into new memory, which is the least that any reader must do.
func readBytes(path string, size int64) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.ReadFull(f, make([]byte, size))
	return err
}

func reportRates(b *testing.B, triangles int, size int64) {
	perOp := b.Elapsed().Seconds() / float64(b.N)
	b.ReportMetric(float64(size)/perOp/1e6, "MB/s")
	b.ReportMetric(float64(triangles)/perOp/1e6, "Mtri/s")
}

// fastest returns the shortest time of n runs. Longer times contain other work of the machine.
func fastest(b *testing.B, n int, run func() error) time.Duration {
	best := time.Duration(1<<63 - 1)
	for range n {
		start := time.Now()
		if err := run(); err != nil {
			b.Fatal(err)
		}
		best = min(best, time.Since(start))
	}
	return best
}

// BenchmarkReadFile measures three ways to read a binary STL file in the same run: this reader, hschendel/stl, and a
// plain read of the bytes into memory. It reports the times.
func BenchmarkReadFile(b *testing.B) {
	m := benchMesh(b, benchTriangles)
	path, size := benchFile(b, m)
	ctx := context.Background()
	bytesTime := fastest(b, 10, func() error { return readBytes(path, size) })
	peer := fastest(b, 3, func() error {
		_, err := stl.ReadFile(path)
		return err
	})
	var got *scenes.Mesh
	b.ResetTimer()
	best := time.Duration(1<<63 - 1)
	for b.Loop() {
		start := time.Now()
		var err error
		if got, _, err = readFile(ctx, path, scenes.ReadOptions{}); err != nil {
			b.Fatal(err)
		}
		best = min(best, time.Since(start))
	}
	reportRates(b, m.Len(), size)
	b.ReportMetric(best.Seconds()*1e3, "ms-best")
	b.ReportMetric(bytesTime.Seconds()*1e3, "ms-bytes")
	b.ReportMetric(float64(best)/float64(bytesTime), "x-bytes")
	b.ReportMetric(peer.Seconds()*1e3, "ms-hschendel")
	meshtest.Same(b, got, m)
}

func BenchmarkReadStream(b *testing.B) {
	m := benchMesh(b, benchTriangles)
	var file bytes.Buffer
	if err := Write(&file, m, WriteOptions{}); err != nil {
		b.Fatal(err)
	}
	var got *scenes.Mesh
	for b.Loop() {
		var err error
		if got, _, err = Read(context.Background(), bytes.NewReader(file.Bytes()), scenes.ReadOptions{}); err != nil {
			b.Fatal(err)
		}
	}
	reportRates(b, m.Len(), int64(file.Len()))
	meshtest.Same(b, got, m)
}

// BenchmarkStream measures both passes over a file that is never completely in memory.
func BenchmarkStream(b *testing.B) {
	m := benchMesh(b, benchTriangles)
	path, size := benchFile(b, m)
	ctx := context.Background()
	var box scenes.Box
	for b.Loop() {
		s, _, err := Open(ctx, path, scenes.ReadOptions{})
		if err != nil {
			b.Fatal(err)
		}
		if err := scenes.ForEachBlock(ctx, s, 0, func(int, int, *scenes.Block) error { return nil }); err != nil {
			b.Fatal(err)
		}
		box = s.Bounds()
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
	reportRates(b, m.Len(), size)
	if want := m.Bounds(); box != want {
		b.Fatalf("bounds %v, want %v", box, want)
	}
}

func BenchmarkDecode(b *testing.B) {
	m := benchMesh(b, scenes.BlockSize)
	var file bytes.Buffer
	if err := Write(&file, m, WriteOptions{}); err != nil {
		b.Fatal(err)
	}
	raw := file.Bytes()[headerSize:]
	loops := kernel.Best()
	b.Run("op=decode", func(b *testing.B) {
		dst := scenes.MakeBlock(m.Len())
		for b.Loop() {
			decodeRecords(loops, &dst, 0, raw)
		}
		reportRates(b, m.Len(), int64(len(raw)))
		meshtest.Same(b, &scenes.Mesh{Block: dst}, m)
	})
	b.Run("op=scan", func(b *testing.B) {
		var a tally
		for b.Loop() {
			a = newTally()
			a.addRecords(loops, raw, 0)
		}
		reportRates(b, m.Len(), int64(len(raw)))
		if a.box() != m.Bounds() {
			b.Fatal("wrong bounds")
		}
	})
	b.Run("op=bounds", func(b *testing.B) {
		var box scenes.Box
		for b.Loop() {
			box = m.Bounds()
		}
		reportRates(b, m.Len(), int64(m.Len())*36)
		if box.Empty() {
			b.Fatal("empty bounds")
		}
	})
}

// appendASCII appends a mesh in the form that most programs write.
func appendASCII(text []byte, m *scenes.Mesh) []byte {
	text = append(text, "solid bench\n"...)
	for t := range m.Len() {
		corners := m.Triangle(t)
		text = append(text, "  facet normal 0.000000e+00 0.000000e+00 1.000000e+00\n    outer loop\n"...)
		for _, c := range corners {
			text = append(text, "      vertex"...)
			for _, v := range c {
				text = append(text, ' ')
				text = strconv.AppendFloat(text, float64(v), 'e', 8, 32)
			}
			text = append(text, '\n')
		}
		text = append(text, "    endloop\n  endfacet\n"...)
	}
	return append(text, "endsolid bench\n"...)
}

// BenchmarkReadASCII compares the reader with hschendel/stl on the same text.
func BenchmarkReadASCII(b *testing.B) {
	m := benchMesh(b, 100_000)
	text := appendASCII(nil, m)
	small := appendASCII(nil, &scenes.Mesh{Block: m.Slice(0, 10_000)})
	peer := fastest(b, 2, func() error {
		_, err := stl.ReadAll(bytes.NewReader(small))
		return err
	})
	var got *scenes.Mesh
	for b.Loop() {
		var err error
		if got, _, err = Read(context.Background(), bytes.NewReader(text), scenes.ReadOptions{}); err != nil {
			b.Fatal(err)
		}
	}
	reportRates(b, m.Len(), int64(len(text)))
	mine := b.Elapsed().Seconds() / float64(b.N) / float64(len(text))
	b.ReportMetric(peer.Seconds()/float64(len(small))/mine, "x-hschendel")
	meshtest.Same(b, got, m)
}
