package stl

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// cubeBinary and cubeASCII return a cube of 12 triangles that an independent implementation has written.
func cubeBinary(tb testing.TB) []byte {
	return oracleFile(tb, oracleSolid(generate(tb, "scene:cube")), false)
}

func cubeASCII(tb testing.TB) []byte {
	return oracleFile(tb, oracleSolid(generate(tb, "scene:cube")), true)
}

// patched returns a copy of file with the bytes from offset off replaced.
func patched(file []byte, off int, with ...byte) []byte {
	file = bytes.Clone(file)
	copy(file[off:], with)
	return file
}

func withCount(file []byte, n uint32) []byte {
	return patched(file, commentSize, binary.LittleEndian.AppendUint32(nil, n)...)
}

func withVertex(file []byte, v float32) []byte {
	return patched(file, headerSize+verticesAt, binary.LittleEndian.AppendUint32(nil, math.Float32bits(v))...)
}

// An outcome is the expected result of a lenient read.
type outcome struct {
	triangles int
	bad       int
	warning   string // part of the only warning; empty if there must be none
	parts     string // names of the parts, separated by commas
	damage    string // part of the *scenes.DamageError; empty if there must be none
	unknown   string // part of the scenes.ErrUnknownFormat; empty if there must be none
}

type malformed struct {
	name string
	file []byte
	want outcome
}

func malformedBinary(tb testing.TB) []malformed {
	cube := cubeBinary(tb)
	zeros := make([]byte, 500)
	noise := bytes.Repeat([]byte{0xff, 0x7f, 0xc1, 0xff}, 50)
	return append(lookalikes(tb), []malformed{
		{"whole", cube, outcome{triangles: 12}},
		{"starts with solid", patched(cube, 0, []byte("solid cube")...), outcome{triangles: 12}},
		{"header is a small ASCII file", patched(cube, 0, []byte("solid a\nfacet normal\nendsolid a\n")...), outcome{triangles: 12}},
		{"solid, cut", patched(cube, 0, []byte("solid cube")...)[:400], outcome{triangles: 6, warning: "byte 384: the file ends within triangle 6 of 12"}},
		{"cut in a record", cube[:len(cube)-10], outcome{triangles: 11, warning: "byte 634: the file ends within triangle 11 of 12"}},
		{"cut between records", cube[:len(cube)-50], outcome{triangles: 11, warning: "byte 80: the header claims 12 triangles, the file holds 11"}},
		{"cut in the first record", cube[:100], outcome{damage: "byte 80: the header claims 12 triangles, but there is not one whole"}},
		{"header only", cube[:84], outcome{damage: "not one whole"}},
		{"cut in the header", cube[:60], outcome{unknown: "60 bytes are too few for a mesh"}},
		{"count too big", withCount(cube, 13), outcome{triangles: 12, warning: "claims 13 triangles, the file holds 12"}},
		{"count too small", withCount(cube, 5), outcome{triangles: 12, warning: "claims 5 triangles, the file holds 12"}},
		{"count zero", withCount(cube, 0), outcome{triangles: 12, warning: "claims 0 triangles, the file holds 12"}},
		{"count 0xFFFFFFFF", withCount(cube, math.MaxUint32), outcome{triangles: 12, warning: "claims 4294967295 triangles, the file holds 12"}},
		{"two bytes more", append(bytes.Clone(cube), 1, 2), outcome{triangles: 12, warning: "byte 684: 2 bytes after the last triangle are ignored"}},
		{"padded with zeros", append(bytes.Clone(cube), zeros...), outcome{triangles: 12, warning: "byte 684: 500 bytes after"}},
		{"noise after the end", append(bytes.Clone(cube), noise...), outcome{triangles: 12, warning: "byte 684: 200 bytes after"}},
		{"no triangles", withCount(cube, 0)[:84], outcome{}},
		{"no triangles, two bytes more", withCount(cube, 0)[:86], outcome{damage: "byte 84: the header claims no triangles"}},
		{"NaN", withVertex(cube, float32(math.NaN())), outcome{triangles: 12, bad: 1, warning: "triangle 0 at byte 84: the triangle has a NaN"}},
		{"infinity", withVertex(cube, float32(math.Inf(-1))), outcome{triangles: 12, bad: 1, warning: "triangle 0 at byte 84: the triangle has a NaN"}},
		{"random bytes", bytes.Repeat(append([]byte{0, 1}, noise...), 20), outcome{unknown: "neither text nor a plausible mesh"}},
		{"zeros", zeros[:200], outcome{unknown: "neither text nor a plausible mesh"}},
		{"empty", nil, outcome{unknown: "it is empty"}},
		{"PNG", append([]byte("\x89PNG\r\n\x1a\n"), zeros...), outcome{unknown: "a PNG picture"}},
		{"JPEG", append([]byte("\xff\xd8\xff\xe0"), zeros...), outcome{unknown: "a JPEG picture"}},
		{"ZIP", append([]byte("PK\x03\x04"), zeros...), outcome{unknown: "a ZIP archive"}},
		{"PDF", append([]byte("%PDF-1.7"), zeros...), outcome{unknown: "a PDF document"}},
		{"ELF", append([]byte("\x7fELF"), zeros...), outcome{unknown: "an ELF program"}},
		{"gzip", append([]byte("\x1f\x8b\x08"), zeros...), outcome{unknown: "a gzip file"}},
		{"glTF", append([]byte("glTF\x02\x00\x00\x00"), zeros...), outcome{unknown: "glTF"}},
		{"PLY", []byte("ply\nformat ascii 1.0\n"), outcome{unknown: "a PLY mesh"}},
	}...)
}

const oneFacet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"

// facetOf returns a facet with the given loop.
func facetOf(loop string) string {
	return "facet normal 0 0 1\nouter loop\n" + loop + "endloop\nendfacet\n"
}

func malformedASCII(tb testing.TB) []malformed {
	cube := string(cubeASCII(tb))
	solid := func(body string) []byte { return []byte("solid s\n" + body + "endsolid s\n") }
	line := func(n int, text string) string { return "line " + itoa(n) + ": " + text }
	return []malformed{
		{"whole", []byte(cube), outcome{triangles: 12, parts: "oracle"}},
		{"two solids", []byte(cube + strings.ReplaceAll(cube, "oracle", "second")), outcome{triangles: 24, parts: "oracle,second"}},
		{"upper case", []byte(strings.ToUpper(cube)), outcome{triangles: 12, parts: "ORACLE"}},
		{"byte order mark", []byte("\xef\xbb\xbf" + cube), outcome{triangles: 12, parts: "oracle"}},
		{"no endsolid", []byte(strings.TrimSuffix(cube, "endsolid oracle\n")), outcome{triangles: 12, parts: "oracle", warning: line(86, "the file ends without endsolid")}},
		{"CR only", []byte(strings.ReplaceAll(cube, "\n", "\r")), outcome{triangles: 12, parts: "oracle"}},
		{"CR LF", []byte(strings.ReplaceAll(cube, "\n", "\r\n")), outcome{triangles: 12, parts: "oracle"}},
		{"zeros behind the text", []byte(cube + strings.Repeat("\x00", 100)), outcome{triangles: 12, parts: "oracle"}},
		{"mark of DOS behind the text", []byte(cube + "\x1a"), outcome{triangles: 12, parts: "oracle"}},
		{"one line", []byte(strings.ReplaceAll(cube, "\n", " ")), outcome{triangles: 12, parts: "oracle"}},
		{"tabs and indents", []byte(strings.ReplaceAll(cube, "\n", "\n\t\t  ")), outcome{triangles: 12, parts: "oracle"}},
		{"cut in a facet", []byte(cube[:len(cube)-60]), outcome{triangles: 11, parts: "oracle", warning: line(79, "the file ends within this facet")}},
		{"cut in the first facet", []byte(cube[:100]), outcome{damage: line(2, "the file ends within this facet")}},
		{"no triangles", []byte("solid s\nendsolid s\n"), outcome{}},
		{"no name", []byte("solid\n" + oneFacet + "endsolid\n"), outcome{triangles: 1, parts: ""}},
		{"name of 100,000 letters", []byte("solid " + strings.Repeat("x", 100_000) + "\n" + oneFacet + "endsolid\n"), outcome{triangles: 1, parts: strings.Repeat("x", 511)}},
		{"name of any bytes", []byte("solid \x00\xffa facet solid\n" + oneFacet + "endsolid\n"), outcome{triangles: 1, parts: "\x00\xffa facet solid"}},
		{"exponents of three digits", solid(facetOf("vertex 1.000000e-001 0 0\nvertex 1E+000 0 0\nvertex 0 +2.5e000 0\n")), outcome{triangles: 1, parts: "s"}},
		{"quadrilateral", solid(facetOf("vertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nvertex 0 1 0\n")), outcome{triangles: 2, parts: "s", warning: line(2, "facet of 4 corners drawn as triangles")}},
		{"two corners", solid(oneFacet + facetOf("vertex 0 0 0\nvertex 1 0 0\n")), outcome{triangles: 1, parts: "s", warning: line(9, "facet of 2 corners left out")}},
		{"not a number", solid(facetOf("vertex 0 0 0\nvertex 1,5 0 0\nvertex 1 1 0\n") + oneFacet), outcome{triangles: 1, parts: "s", warning: line(2, `facet left out: "1,5" where three numbers should be`)}},
		{"number missing", solid(oneFacet + facetOf("vertex 0 0\nvertex 1 0 0\nvertex 1 1 0\n")), outcome{triangles: 1, parts: "s", warning: line(9, `facet left out: "vertex" where three numbers`)}},
		{"all facets damaged", solid(facetOf("vertex 0 0\nvertex 1 0 0\nvertex 1 1 0\n")), outcome{damage: line(2, "facet left out")}},
		{"NaN", solid(oneFacet + facetOf("vertex 0 nan 0\nvertex 1 0 0\nvertex 1 1 0\n")), outcome{triangles: 2, bad: 1, parts: "s", warning: line(9, "the triangle has a NaN")}},
		{"NaN of old Windows", solid(facetOf("vertex 0 -1.#IND00 0\nvertex 1 0 0\nvertex 1 1 0\n")), outcome{triangles: 1, bad: 1, parts: "s", warning: line(2, "the triangle has a NaN")}},
		{"too large for float32", solid(facetOf("vertex 0 1e39 0\nvertex 1 0 0\nvertex 1 1 0\n")), outcome{triangles: 1, bad: 1, parts: "s", warning: line(2, "the triangle has a coordinate out of range")}},
		{"too large for float64", solid(facetOf("vertex 0 -1e400 0\nvertex 1 0 0\nvertex 1 1 0\n") + oneFacet), outcome{triangles: 2, bad: 1, parts: "s", warning: line(2, "the triangle has a coordinate out of range")}},
		{"infinite", solid(facetOf("vertex 0 -inf 0\nvertex 1e39 0 0\nvertex 1 1 0\n")), outcome{triangles: 1, bad: 1, parts: "s", warning: line(2, "the triangle has a NaN or inf")}},
		{"too large and NaN", solid(facetOf("vertex 0 1e39 0\nvertex 1 0 0\nvertex 1 1 0\n") + facetOf("vertex nan 0 0\nvertex 1 0 0\nvertex 1 1 0\n")), outcome{triangles: 2, bad: 2, parts: "s", warning: line(2, "this and 1 more triangles have a coordinate that is NaN, infinite or out of range")}},
		{"stray word", solid(oneFacet + "color 1 0 0\n" + oneFacet), outcome{triangles: 2, parts: "s", warning: line(9, `unexpected "color"`)}},
		{"solid within a solid", []byte("solid a\n" + oneFacet + "solid b\n" + oneFacet + "endsolid b\n"), outcome{triangles: 2, parts: "a,b", warning: line(9, `solid "a" has no endsolid`)}},
		{"text after the end", append(solid(oneFacet), "bye\n"...), outcome{triangles: 1, parts: "s", warning: line(10, `unexpected "bye"`)}},
		{"plain text", []byte("hello, world\nthis is no mesh\n"), outcome{unknown: "text that is no mesh"}},
		{"prose that starts with solid", []byte("solid state drives are fast\n"), outcome{unknown: "text that is no mesh"}},
		{"long plain text", bytes.Repeat([]byte("lorem ipsum "), 9000), outcome{unknown: "text that is no mesh"}},
		{"UTF-16", []byte("\xff\xfes\x00o\x00l\x00i\x00d\x00"), outcome{unknown: "text that is no mesh"}},
	}
}

func itoa(n int) string { return string(appendInt(nil, n)) }

func appendInt(b []byte, n int) []byte {
	if n >= 10 {
		b = appendInt(b, n/10)
	}
	return append(b, byte('0'+n%10))
}

// TestMalformed reads every input as a file, as a stream and byte by byte, leniently and strictly.
func TestMalformed(t *testing.T) {
	for kind, cases := range map[string][]malformed{"binary": malformedBinary(t), "ascii": malformedASCII(t)} {
		for _, c := range cases {
			t.Run(kind+"/"+c.name, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "mesh.stl")
				if err := os.WriteFile(path, c.file, 0o600); err != nil {
					t.Fatal(err)
				}
				m, rep, err := readFile(context.Background(), path, scenes.ReadOptions{})
				c.want.check(t, path, m, rep, err)
				m, rep, err = Read(context.Background(), bytes.NewReader(c.file), scenes.ReadOptions{Name: path})
				c.want.check(t, path, m, rep, err)
				m, rep, err = Read(context.Background(), &meshtest.Dribble{Data: c.file, Size: 1}, scenes.ReadOptions{Name: path})
				c.want.check(t, path, m, rep, err)
				_, _, err = readFile(context.Background(), path, scenes.ReadOptions{Strict: true})
				c.want.checkStrict(t, err)
			})
		}
	}
}

func (want outcome) check(t *testing.T, path string, m *scenes.Mesh, rep *scenes.Report, err error) {
	t.Helper()
	var damage *scenes.DamageError
	switch {
	case want.unknown != "":
		if !errors.Is(err, scenes.ErrUnknownFormat) || !strings.Contains(err.Error(), want.unknown) || !strings.HasPrefix(err.Error(), path+": ") {
			t.Fatalf("error %v, want unknown format with %q", err, want.unknown)
		}
		return
	case want.damage != "":
		if !errors.As(err, &damage) || !strings.Contains(err.Error(), want.damage) || damage.File != path {
			t.Fatalf("error %v, want damage with %q", err, want.damage)
		}
		return
	case err != nil:
		t.Fatal(err)
	}
	if m.Len() != want.triangles || rep.Triangles != want.triangles || rep.BadTriangles != want.bad {
		t.Errorf("%d triangles, report %+v, want %+v", m.Len(), rep, want)
	}
	if got := strings.Join(rep.Warnings, "\n"); (want.warning == "") != (got == "") || len(rep.Warnings) > 1 || !strings.Contains(got, want.warning) {
		t.Errorf("warnings %q, want one with %q", rep.Warnings, want.warning)
	}
	if rep.Format == FormatASCII {
		var names []string
		for _, p := range m.Parts {
			names = append(names, p.Name)
		}
		if got := strings.Join(names, ","); got != want.parts {
			t.Errorf("parts %q, want %q", got, want.parts)
		}
	}
	if got := m.Bounds(); got != rep.Bounds && !(got.Empty() && rep.Bounds.Empty()) {
		t.Errorf("report has bounds %v, the mesh %v", rep.Bounds, got)
	}
}

// checkStrict checks that a strict read fails exactly if the lenient read gives a warning or an error.
func (want outcome) checkStrict(t *testing.T, err error) {
	t.Helper()
	var damage *scenes.DamageError
	switch {
	case want.unknown != "":
		if !errors.Is(err, scenes.ErrUnknownFormat) {
			t.Errorf("strict: error %v, want unknown format", err)
		}
	case want.damage != "" || want.warning != "":
		if !errors.As(err, &damage) || strings.Contains(err.Error(), "\n") {
			t.Errorf("strict: error %v, want one line of damage", err)
		}
		if !strings.Contains(err.Error(), want.damage+want.warning) {
			t.Errorf("strict: error %v, want %q", err, want.damage+want.warning)
		}
	case err != nil:
		t.Errorf("strict: %v", err)
	}
}

// TestFileAndStream reads every input by its path and as a stream. Both must give the same triangles or the same error.
func TestFileAndStream(t *testing.T) {
	for _, c := range append(malformedBinary(t), malformedASCII(t)...) {
		path := filepath.Join(t.TempDir(), "mesh.stl")
		if err := os.WriteFile(path, c.file, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, strict := range []bool{false, true} {
			opts := scenes.ReadOptions{Name: c.name, Strict: strict}
			want, wantRep, wantErr := readFile(context.Background(), path, opts)
			got, rep, err := Read(context.Background(), &meshtest.Dribble{Data: c.file, Size: 1000}, opts)
			if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
				t.Fatalf("%s: by path: %v; front to back: %v", c.name, wantErr, err)
			}
			if err != nil {
				continue
			}
			meshtest.Same(t, got, want)
			if rep.Format != wantRep.Format || rep.BadTriangles != wantRep.BadTriangles || !slices.Equal(rep.Warnings, wantRep.Warnings) {
				t.Errorf("%s: by path: %+v; front to back: %+v", c.name, wantRep, rep)
			}
		}
	}
}

func TestReadErrors(t *testing.T) {
	ctx := context.Background()
	if _, _, err := readFile(ctx, filepath.Join(t.TempDir(), "none.stl"), scenes.ReadOptions{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if _, _, err := readFile(ctx, t.TempDir(), scenes.ReadOptions{}); err == nil || errors.Is(err, scenes.ErrUnknownFormat) {
		t.Errorf("folder: %v", err)
	}
	cause := errors.New("cable cut")
	for _, file := range [][]byte{cubeBinary(t), cubeASCII(t)} {
		_, _, err := Read(ctx, &meshtest.Dribble{Data: file[:300], Size: 100, End: cause}, scenes.ReadOptions{})
		if !errors.Is(err, cause) || !strings.Contains(err.Error(), "byte 300") {
			t.Errorf("broken reader: %v", err)
		}
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, _, err := Read(stopped, bytes.NewReader(cubeBinary(t)), scenes.ReadOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, _, err := Read(ctx, &meshtest.Dribble{Data: cubeBinary(t), Size: 0}, scenes.ReadOptions{}); err == nil {
		t.Error("a reader that never delivers gives no error")
	}
}

// TestManyWarnings damages every facet, and checks that the report stays short.
func TestManyWarnings(t *testing.T) {
	file := "solid s\n" + oneFacet + strings.Repeat(facetOf("vertex 0 0 0\n"), 1000) + "endsolid s\n"
	m, rep, err := Read(context.Background(), strings.NewReader(file), scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	last := rep.Warnings[len(rep.Warnings)-1]
	if m.Len() != 1 || len(rep.Warnings) != format.MaxAlike+1 || !strings.Contains(last, "997 more like this one") {
		t.Errorf("%d triangles, %d warnings, the last %q", m.Len(), len(rep.Warnings), last)
	}
}

// TestEndlessInput appends an endless sequence of bytes to a valid file. The reader must read some of these bytes and
// then stop without waiting for more.
func TestEndlessInput(t *testing.T) {
	file := cubeBinary(t)
	r := &meshtest.Dribble{Data: file, Size: 4096, Forever: true}
	m, rep, err := Read(context.Background(), r, scenes.ReadOptions{})
	if err != nil || m.Len() != 12 || len(rep.Warnings) != 1 {
		t.Errorf("cube and zeros: %v, %+v", err, rep)
	}
	for _, file := range []string{"\x00", "y\n", "solid s\n"} {
		r := &meshtest.Dribble{Data: []byte(file), Size: 4096, Forever: true}
		if _, _, err := Read(context.Background(), r, scenes.ReadOptions{}); !errors.Is(err, scenes.ErrUnknownFormat) {
			t.Errorf("%q and zeros: %v", file, err)
		}
		if r.Given > 1<<20 {
			t.Errorf("%q and zeros: %d bytes were read", file, r.Given)
		}
	}
}

// TestClaimedCount reads a stream whose header claims four billion triangles. The memory must depend only on the bytes
// that the input really has.
func TestClaimedCount(t *testing.T) {
	file := withCount(cubeBinary(t), math.MaxUint32)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const runs = 5 // the mean of several runs is tested, because other goroutines also allocate memory
	for range runs {
		if _, _, err := Read(context.Background(), bytes.NewReader(file), scenes.ReadOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	bytesPerRun := (after.TotalAlloc - before.TotalAlloc) / runs
	if bytesPerRun > 2<<20 {
		t.Errorf("reading 12 triangles allocated %d bytes", bytesPerRun)
	}
}
