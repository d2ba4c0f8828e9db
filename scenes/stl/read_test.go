package stl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/internal/meshtest"
	"lockstep/scenes/internal/text"
	"lockstep/scenes/stl/internal/kernel"

	"pgregory.net/rapid"
)

func saved(tb testing.TB, file []byte) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "mesh.stl")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

// allWays reads a file in every possible way and checks that all results agree.
func allWays(t *testing.T, file []byte) (*scenes.Mesh, *scenes.Report) {
	t.Helper()
	ctx := context.Background()
	path := saved(t, file)
	first, rep, err := readFile(ctx, path, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 2, 5} {
		m, _, err := readFile(ctx, path, scenes.ReadOptions{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		meshtest.Same(t, m, first)
	}
	for _, size := range []int{1 << 30, 777} {
		m, other, err := Read(ctx, &meshtest.Dribble{Data: file, Size: size}, scenes.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		meshtest.Same(t, m, first)
		if other.Bounds != rep.Bounds || other.BadTriangles != rep.BadTriangles || other.Bytes != rep.Bytes {
			t.Errorf("stream report %+v, file report %+v", other, rep)
		}
	}
	s, _, err := Open(ctx, path, scenes.ReadOptions{})
	if rep.Format == FormatASCII {
		if !errors.Is(err, scenes.ErrNotSeekable) {
			t.Errorf("OpenSTL of a text: %v", err)
		}
		return first, rep
	}
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	loaded, err := scenes.Load(ctx, s, scenes.ReadOptions{Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	meshtest.Same(t, loaded, first)
	if s.Bounds() != rep.Bounds {
		t.Errorf("bounds %v, want %v", s.Bounds(), rep.Bounds)
	}
	return first, rep
}

// TestReadOracle reads files that an independent implementation has written. Their sizes are near the sizes of blocks
// and buffers.
func TestReadOracle(t *testing.T) {
	for _, n := range []int{1, 2, 1310, scenes.BlockSize - 1, scenes.BlockSize, scenes.BlockSize + 1, 3*scenes.BlockSize + 77} {
		want := generate(t, "scene:soup?triangles="+strconv.Itoa(n))
		for _, ascii := range []bool{false, true} {
			got, rep := allWays(t, oracleFile(t, oracleSolid(want), ascii))
			meshtest.Same(t, got, want)
			if len(rep.Warnings) != 0 || rep.Triangles != n {
				t.Errorf("%d triangles: report %+v", n, rep)
			}
		}
	}
}

func TestReadFromPosition(t *testing.T) {
	file := cubeBinary(t)
	f, err := os.Open(saved(t, append([]byte("prefix"), file...)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Seek(6, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	m, rep, err := Read(context.Background(), f, scenes.ReadOptions{})
	if err != nil || m.Len() != 12 || rep.Bytes != int64(len(file)) || len(rep.Warnings) != 0 {
		t.Fatalf("%v, %+v", err, rep)
	}
	meshtest.Same(t, m, generate(t, "scene:cube"))
}

// TestShrinkingFile truncates a file between the two passes.
func TestShrinkingFile(t *testing.T) {
	path := saved(t, writeSTL(t, scene(t, "scene:soup?triangles=10000")))
	s, _, err := Open(context.Background(), path, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := os.Truncate(path, sizeOf(5000)); err != nil {
		t.Fatal(err)
	}
	var b scenes.Block
	if err := s.ReadBlock(0, &b); err != nil {
		t.Errorf("block before the cut: %v", err)
	}
	var damage *scenes.DamageError
	if err := s.ReadBlock(1, &b); !errors.As(err, &damage) || damage.Place != "byte 250084" {
		t.Errorf("block at the cut: %v", err)
	}
	if _, err := scenes.Load(context.Background(), s, scenes.ReadOptions{Workers: 2}); !errors.As(err, &damage) {
		t.Errorf("load: %v", err)
	}
}

func TestProgress(t *testing.T) {
	file := writeSTL(t, scene(t, "scene:soup?triangles=20000"))
	path := saved(t, file)
	for name, read := range map[string]func(scenes.ReadOptions) error{
		"file": func(o scenes.ReadOptions) error { _, _, err := readFile(context.Background(), path, o); return err },
		"stream": func(o scenes.ReadOptions) error {
			_, _, err := Read(context.Background(), bytes.NewReader(file), o)
			return err
		},
	} {
		var last, calls int64
		err := read(scenes.ReadOptions{Progress: func(done, total int64) {
			if done < last || (total != -1 && total != int64(len(file))) {
				t.Errorf("%s: progress from %d to %d of %d", name, last, done, total)
			}
			last = done
			calls++
		}})
		if err != nil || last != int64(len(file)) || calls < 4 {
			t.Errorf("%s: %v, %d calls, the last with %d of %d bytes", name, err, calls, last, len(file))
		}
	}
}

// TestReadBlockReuse fills a block from a file after it was a view of a mesh. The mesh must not change, and further
// reads must allocate nothing.
func TestReadBlockReuse(t *testing.T) {
	m := generate(t, "scene:soup?triangles=5000")
	want := generate(t, "scene:soup?triangles=5000")
	s, _, err := Open(context.Background(), saved(t, writeSTL(t, scene(t, "scene:sphere"))), scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var b scenes.Block
	allocs := testing.AllocsPerRun(10, func() {
		for _, src := range []scenes.Source{m, s, m} {
			if err := src.ReadBlock(1, &b); err != nil {
				t.Fatal(err)
			}
		}
	})
	meshtest.Same(t, m, want)
	if allocs != 0 {
		t.Errorf("%v allocations a round", allocs)
	}
}

// TestFarOrigin reads a part of a map that is a few metres wide and millions of metres from the origin. All digits that
// float32 can hold after the shift must be kept.
func TestFarOrigin(t *testing.T) {
	const text = "solid m\nfacet normal 0 0 1\nouter loop\n" +
		"vertex 500000.123 4649776.456 12.5\nvertex 500001.123 4649776.456 12.5\nvertex 500000.123 4649777.789 12.75\nendloop\nendfacet\nendsolid m\n"
	m, rep := allWays(t, []byte(text))
	want := [3][3]float64{{500000.123, 4649776.456, 12.5}, {500001.123, 4649776.456, 12.5}, {500000.123, 4649777.789, 12.75}}
	for k, c := range m.Triangle(0) {
		for a := range 3 {
			if got := float64(c[a]) + m.Origin[a]; math.Abs(got-want[k][a]) > 1e-7 {
				t.Errorf("corner %d axis %d: %.9f, want %.9f", k, a, got, want[k][a])
			}
		}
	}
	if m.Origin[2] != 0 {
		t.Errorf("origin %v: z is near enough to stay", m.Origin)
	}
	if c := rep.Bounds.Center(); math.Abs(c[0]+m.Origin[0]-500000.623) > 1e-6 {
		t.Errorf("centre %v with origin %v", c, m.Origin)
	}
}

// TestOriginAgrees writes a mesh far from the origin in binary and in several forms of text. All files have the digits
// of the same float32 numbers, so the meshes must be the same.
func TestOriginAgrees(t *testing.T) {
	m := generate(t, "scene:bumpy?triangles=3000")
	far := &scenes.Mesh{Block: scenes.MakeBlock(m.Len())}
	for i := range m.Len() {
		c := m.Triangle(i)
		for k := range c {
			c[k] = [3]float32{c[k][0] + 500000.123, 30*c[k][1] - 4649776.456, c[k][2]}
		}
		far.Set(i, c)
	}
	want, _ := allWays(t, writeSTL(t, far))
	meshtest.Same(t, want, far)
	for _, format := range []string{"%.9g", "%.8e", "%.6f", "%.17g"} {
		var b bytes.Buffer
		b.WriteString("solid far\n")
		for i := range far.Len() {
			b.WriteString("facet normal 0 0 1 outer loop")
			for _, c := range far.Triangle(i) {
				fmt.Fprintf(&b, " vertex "+format+" "+format+" "+format, c[0], c[1], c[2])
			}
			b.WriteString(" endloop endfacet\n")
		}
		b.WriteString("endsolid far\n")
		got, _ := allWays(t, b.Bytes())
		if got.Origin != want.Origin {
			t.Errorf("%s: origin %v, that of the binary file is %v", format, got.Origin, want.Origin)
		}
		if format != "%.6f" { // %.6f has too few digits for z
			meshtest.Same(t, got, want)
		}
	}
}

// TestSlowFacets reads texts that are larger than the buffer, so that words of every kind lie across the ends of
// buffers. No facet has the usual form: some facets have no normal, and others have white space that is longer than the
// lookahead.
func TestSlowFacets(t *testing.T) {
	want := generate(t, "scene:soup?triangles=6000")
	facets := string(oracleFile(t, oracleSolid(want), true))
	i := 0
	widen := func(string) string { // use many lengths, so that every kind of word meets the end of the buffer
		i++
		return strings.Repeat(" ", 1000+i*37%1500) + "loop"
	}
	for name, file := range map[string]string{
		"no normals": regexp.MustCompile("normal .*").ReplaceAllString(facets, ""),
		"wide":       regexp.MustCompile(" loop").ReplaceAllStringFunc(facets, widen),
	} {
		m, rep, err := Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{Strict: true})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		meshtest.Same(t, m, want)
		if len(file) < 3*text.BufferSize || rep.Bytes != int64(len(file)) {
			t.Errorf("%s: %d bytes, report %+v", name, len(file), rep)
		}
	}
}

// TestColors reads attributes that follow either convention, and attributes that are not colours.
func TestColors(t *testing.T) {
	cube := cubeBinary(t)
	magics := patched(cube, 10, []byte("COLOR=\x10\x20\x30\xff")...)
	meshLab := patched(cube, 0, []byte("COLOR=\x7f\x7f\x7f MATERIAL=\x7f\x7f\x7f \x7f\x7f\x7f \x7f\x7f\x7f ")...)
	attributes := func(file []byte, a ...uint16) []byte {
		file = bytes.Clone(file)
		for i := range 12 {
			at := headerSize + i*recordSize + attributeAt
			file[at], file[at+1] = byte(a[i%len(a)]), byte(a[i%len(a)]>>8)
		}
		return file
	}
	const red5, blue5 = 31, 31 << 10
	for _, c := range []struct {
		name string
		file []byte
		want []uint32 // colours of the first triangles; nil: no colours
	}{
		{"none", cube, nil},
		{"Magics, header only", magics, []uint32{0x102030, 0x102030}},
		{"Magics, object colour", attributes(magics, 0x8000, 0xffff), []uint32{0x102030, 0x102030}},
		{"Magics, own", attributes(magics, red5, 0x8000|red5, blue5), []uint32{0xff0000, 0x102030, 0x0000ff}},
		{"MeshLab", attributes(meshLab, 0x8000|red5, 0xffff, 0x8000|blue5), []uint32{0xff0000, 0xffffff, 0x0000ff}},
		{"MeshLab, not all marked", attributes(meshLab, 0x8000|red5, blue5), []uint32{0x7f7f7f, 0x0000ff}},
		{"MeshLab, none", attributes(meshLab, 0), []uint32{0x7f7f7f}},
		{"VisCAM", attributes(cube, 0x8000|red5, 0, 0x8000|blue5), []uint32{0x0000ff, scenes.DefaultColor, 0xff0000}},
		{"bit 15 clear without COLOR=", attributes(cube, red5, blue5), nil},
		{"mixed without COLOR=", attributes(cube, red5, 0x8000|blue5), nil},
		{"all set", attributes(cube, 0xffff), nil},
		{"all black", attributes(cube, 0x8000, 0), nil},
	} {
		m, _ := allWays(t, c.file)
		if c.want == nil {
			if m.Colors != nil {
				t.Errorf("%s: colours %x, want none", c.name, m.Colors[:3])
			}
			continue
		}
		if len(m.Colors) != 12 {
			t.Errorf("%s: %d colours", c.name, len(m.Colors))
			continue
		}
		for i, want := range c.want {
			if m.Colors[i] != want {
				t.Errorf("%s: triangle %d is %06x, want %06x", c.name, i, m.Colors[i], want)
			}
		}
	}
}

// TestLateColor reads a file whose only coloured triangle is in the last of several buffers.
func TestLateColor(t *testing.T) {
	file := writeSTL(t, scene(t, "scene:soup?triangles=9000"))
	file[len(file)-1], file[len(file)-2] = 0x80, 31
	m, _ := allWays(t, file)
	if m.Colors == nil || m.Colors[0] != scenes.DefaultColor || m.Colors[8999] != 0x0000ff {
		t.Fatal("wrong colours")
	}
}

// TestBounds compares the box with a simple loop. Some vertices are not finite.
func TestBounds(t *testing.T) {
	values := []float32{0, 1, -2, 3e38, float32(math.NaN()), float32(math.Inf(1)), 1e-40}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "triangles")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		m := &scenes.Mesh{Block: scenes.MakeBlock(n)}
		want, bad := scenes.EmptyBox(), 0
		for i := range n {
			var c [3][3]float32
			all := true
			for k := range c {
				p := [3]float64{}
				for a := range c[k] {
					c[k][a] = values[r.IntN(len(values))]
					p[a] = float64(c[k][a])
				}
				if math.IsNaN(p[0]+p[1]+p[2]) || math.IsInf(p[0]+p[1]+p[2], 0) {
					all = false
					continue
				}
				want = want.Extend(p)
			}
			if !all {
				bad++
			}
			m.Set(i, c)
		}
		tally := newTally()
		var file bytes.Buffer
		if err := Write(&file, m, WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		tally.addRecords(kernel.Best(), file.Bytes()[headerSize:], 0)
		got, err := scenes.Bounds(context.Background(), m, 2)
		if err != nil || got != want || m.Bounds() != want || tally.box() != want || tally.bad != bad {
			t.Fatalf("bounds %v, %v, %v with %d bad, want %v with %d", got, m.Bounds(), tally.box(), tally.bad, want, bad)
		}
	})
}
