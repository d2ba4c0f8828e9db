package stl

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
)

// spread returns a binary file in which sizes(i) bytes follow record i, and this number is the attribute of the record.
func spread(file []byte, sizes func(i int) int) []byte {
	out := bytes.Clone(file[:headerSize])
	for i := 0; headerSize+(i+1)*recordSize <= len(file); i++ {
		out = append(out, file[headerSize+i*recordSize:][:attributeAt]...)
		out = binary.LittleEndian.AppendUint16(out, uint16(sizes(i)))
		out = append(out, bytes.Repeat([]byte{byte(7 * i)}, sizes(i))...)
	}
	return out
}

// TestPayload reads files with extra bytes after their facets, by path and as streams. Some files are shorter and some
// longer than the prefix by which they are judged. The meshes must equal those without extra bytes.
func TestPayload(t *testing.T) {
	ctx := context.Background()
	for _, triangles := range []int{12, 3000, 9000} {
		plain := writeSTL(t, scene(t, fmt.Sprintf("scene:bumpy?triangles=%d", triangles)))
		want, _, err := Read(ctx, bytes.NewReader(plain), scenes.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for name, sizes := range map[string]func(i int) int{
			"four each": func(int) int { return 4 }, "some": func(i int) int { return i % 3 }, "many": func(i int) int { return i * 37 % 300 },
			"first alone": func(i int) int { return max(0, 1-i) * 70000 % 65536 }, "the last alone": func(i int) int { return i / (want.Len() - 1) * 9 },
		} {
			file := spread(plain, sizes)
			path := filepath.Join(t.TempDir(), "a.stl")
			if err := os.WriteFile(path, file, 0o600); err != nil {
				t.Fatal(err)
			}
			if name == "the last alone" && triangles > 12 {
				continue // the prefix has no extra bytes
			}
			last := int64(0)
			opts := scenes.ReadOptions{Strict: true, Progress: func(done, _ int64) {
				if done < last {
					t.Errorf("%s: progress falls from %d to %d", name, last, done)
				}
				last = done
			}}
			got, rep, err := readFile(ctx, path, opts)
			if err != nil {
				t.Fatalf("%d, %s: %v", triangles, name, err)
			}
			meshtest.Same(t, got, want)
			if rep.Bytes != int64(len(file)) || rep.Format != FormatBinary || last != rep.Bytes {
				t.Errorf("%s: %+v, progress to %d", name, rep, last)
			}
			last = 0
			got, _, err = Read(ctx, &meshtest.Dribble{Data: file, Size: 1 << 14}, opts)
			if err != nil {
				t.Fatalf("%d, %s, a stream: %v", triangles, name, err)
			}
			meshtest.Same(t, got, want)
			if _, _, err := Open(ctx, path, scenes.ReadOptions{}); !errors.Is(err, scenes.ErrNotSeekable) {
				t.Errorf("%s: opened by blocks: %v", name, err)
			}
			var limit *scenes.LimitError
			if _, _, err := readFile(ctx, path, scenes.ReadOptions{MaxTriangles: int64(want.Len()) - 1}); !errors.As(err, &limit) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestNoPayload reads files whose facets and extra bytes do not end with the file. The reader must return an error, or
// read the file as if there were no extra bytes.
func TestNoPayload(t *testing.T) {
	plain := writeSTL(t, scene(t, "scene:bumpy?triangles=9000"))
	whole := spread(plain, func(i int) int { return 90 })
	for name, file := range map[string][]byte{
		"cut": whole[:len(whole)-1], "more": append(bytes.Clone(whole), 0), "cut in a record": whole[:len(whole)-120], "cut short": whole[:70000],
	} {
		for _, size := range []int{1 << 30, 1000} {
			m, _, err := Read(t.Context(), &meshtest.Dribble{Data: file, Size: size}, scenes.ReadOptions{})
			var damage *scenes.DamageError
			if !errors.As(err, &damage) || !strings.Contains(err.Error(), "do not end with the file") {
				t.Errorf("%s: %v, %v", name, m, err)
			}
		}
	}
	// The attributes of these files are colours, and must not be read as numbers of extra bytes.
	colored := spread(plain, func(int) int { return 0 })
	for i := range (len(colored) - headerSize) / recordSize {
		binary.LittleEndian.PutUint16(colored[headerSize+i*recordSize+attributeAt:], uint16(0x8000|i%1000))
	}
	for name, file := range map[string][]byte{"cut": colored[:len(colored)-7], "a note": append(bytes.Clone(colored), "made by hand"...)} {
		path := filepath.Join(t.TempDir(), "a.stl")
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		m, _, err := readFile(t.Context(), path, scenes.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		other, _, err := Read(t.Context(), &meshtest.Dribble{Data: file, Size: 1 << 14}, scenes.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		meshtest.Same(t, other, m)
		if m.Colors == nil || m.Len() < 8000 {
			t.Errorf("%s: %d triangles", name, m.Len())
		}
	}
}

// TestPayloadPlace checks that a message contains the number of a triangle, but not its offset in the file, which is
// not known.
func TestPayloadPlace(t *testing.T) {
	file := spread(writeSTL(t, scene(t, "scene:cube")), func(i int) int { return 5 })
	binary.LittleEndian.PutUint32(file[headerSize+55+verticesAt:], 0x7fc00000)
	_, rep, err := Read(t.Context(), bytes.NewReader(file), scenes.ReadOptions{})
	if err != nil || len(rep.Warnings) != 1 || !strings.HasPrefix(rep.Warnings[0], "input: triangle 1: ") {
		t.Error(err, rep)
	}
}

// TestHeaderOnly reads headers without facets, and texts of the same length.
func TestHeaderOnly(t *testing.T) {
	pad := func(s, with string, n int) string { return s + strings.Repeat(with, n-len(s)) }
	for file, want := range map[string]bool{
		pad("solid link", " ", 80): true, pad("solid link", "\x00", 80): true, pad("SOLID ", "x", 80): true, pad("any", " ", 80): true, pad("", "\x00", 80): false, pad("", " ", 80): true,
		pad("solid link", " ", 80) + "\x00\x00": true, pad("solid link", " ", 80) + "\x00\x01": false, pad("any", "x", 80): false,
		pad("solid link", " ", 79): false, pad("solid\nlink", " ", 80): false, pad("solid\rlink", " ", 80): false,
	} {
		for _, size := range []int{1 << 30, 1} {
			m, rep, err := Read(t.Context(), &meshtest.Dribble{Data: []byte(file), Size: size}, scenes.ReadOptions{Strict: true})
			if (err == nil) != want || want && (m.Len() != 0 || rep.Bytes != int64(len(file)) || !rep.Bounds.Empty()) {
				t.Errorf("%q: %v, %+v", file, err, rep)
			}
		}
		path := filepath.Join(t.TempDir(), "a.stl")
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Open(t.Context(), path, scenes.ReadOptions{}); errors.Is(err, scenes.ErrNotSeekable) != want {
			t.Errorf("%q by blocks: %v", file, err)
		}
	}
}

// TestConstantAttribute reads files of several blocks in which all facets, or all but one, have the same attribute.
func TestConstantAttribute(t *testing.T) {
	plain := writeSTL(t, scene(t, "scene:bumpy?triangles=10000"))
	n := (len(plain) - headerSize) / recordSize
	for name, c := range map[string]struct {
		header  string
		at      int // facet with another attribute, or -1 if there is none
		other   uint16
		colored bool
	}{
		"all": {"exporter", -1, 0, false}, "all but the first": {"exporter", 0, 0, true}, "all but the last": {"exporter", n - 1, 0, true}, "all but one": {"exporter", 5000, 0, true},
		"another": {"exporter", 5000, 0xe001, true}, "COLOR=": {"COLOR=abcd", -1, 0, true}, "MATERIAL=": {"x MATERIAL=abcd", -1, 0, true},
	} {
		file := bytes.Clone(plain)
		copy(file, c.header+strings.Repeat(" ", commentSize-len(c.header)))
		for i := range n {
			attribute := uint16(0xe000)
			if i == c.at {
				attribute = c.other
			}
			binary.LittleEndian.PutUint16(file[headerSize+i*recordSize+attributeAt:], attribute)
		}
		path := filepath.Join(t.TempDir(), "a.stl")
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		m, _, err := readFile(t.Context(), path, scenes.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		other, _, err := Read(t.Context(), &meshtest.Dribble{Data: file, Size: 9999}, scenes.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		meshtest.Same(t, other, m)
		if (m.Colors != nil) != c.colored {
			t.Errorf("%s: colours %v", name, m.Colors != nil)
		}
	}
}

// TestComments reads ASCII files with comments in all places, in chunks of any size.
func TestComments(t *testing.T) {
	facet := "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
	file := "# solid b\nsolid a\n" + facet + "; facet normal\n" + strings.ReplaceAll(facet, "\n", " // endfacet\n\n") + "comment endsolid\n" + facet + "//#\n" + facet + "#" + strings.Repeat("x ", 3000) + "\n" + facet + "endsolid a\n"
	for _, how := range []fileFormat{{}, {sequential: true}, {chunk: 1}, {chunk: 100}} {
		m, _, err := format.Read(t.Context(), strings.NewReader(file), scenes.ReadOptions{Strict: true}, how)
		if err != nil || m.Len() != 5 || !slices.Equal(m.Parts, []scenes.Part{{Name: "a", Count: 5}}) {
			t.Errorf("%+v: %v", how, err)
		}
	}
	if Format.Detect([]byte("# solid a\n"), 10) != format.No || Format.Detect([]byte("# "+facet), -1) != format.No {
		t.Error("a comment alone is STL")
	}
}
