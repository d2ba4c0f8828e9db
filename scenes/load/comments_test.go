package load_test

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/load"
)

const square = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n"

// commentedTexts returns a mesh in each text format. The character % marks the place for comments.
func commentedTexts() map[string]string {
	of := make(map[string]string)
	s := newSheet(2, 2)
	for name, at := range map[string]string{
		"dae": "<COLLADA", "amf": "<amf", "x3d": "<X3D", "vtu": "<VTKFile", "dxf": "", "msh-ascii": "", "xyz": "", "pcd": "",
		"fbx-ascii": "FBXHeaderExtension:",
	} {
		for _, f := range foreigns {
			if f.name == name {
				var b bytes.Buffer
				w := bufio.NewWriter(&b)
				f.write(w, s)
				w.Flush()
				where := strings.Index(b.String(), at)
				if name == "pcd" {
					where = strings.Index(b.String(), "\n") + 1
				}
				of[name] = b.String()[:where] + "%" + b.String()[where:]
			}
		}
	}
	of["obj"] = "%v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
	of["obj behind its library"] = "mtllib a.mtl\n%v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
	of["off"] = "%OFF\n4 2 0\n" + square + "3 0 1 2\n3 0 2 3\n"
	of["off behind its mark"] = "OFF\n%4 2 0\n" + square + "3 0 1 2\n3 0 2 3\n"
	of["stl"] = "%solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n"
	of["ply"] = "ply\nformat ascii 1.0\n%element vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n" + square + "3 0 1 2\n3 0 2 3\n"
	return of
}

// commentOf returns a comment of some 50 bytes in the given text format.
func commentOf(kind string) string {
	switch kind {
	case "dae", "amf", "x3d", "vtu":
		return "<!-- made by a program that tells all that it did -->\n"
	case "dxf":
		return "999\nmade by a program that tells all that it did\n"
	case "msh-ascii":
		return "$Comments\nmade by a program that tells all that it did\n$EndComments\n"
	case "fbx-ascii":
		return "; made by a program that tells all that it did\n"
	case "ply":
		return "comment made by a program that tells all that it did\n"
	}
	return "# made by a program that tells all that it did\n"
}

// TestManyComments reads texts after comments that are longer than the prefix by which formats are usually detected,
// from files and pipes. Some comments end just at the end of the prefix. The mesh must be the same as without comments.
func TestManyComments(t *testing.T) {
	for name, file := range commentedTexts() {
		want, _, err := load.Reader(t.Context(), strings.NewReader(strings.Replace(file, "%", "", 1)), scenes.ReadOptions{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		comment := commentOf(name)
		for _, size := range []int{50, format.PrefixSize - 60, format.PrefixSize, 200_000, 1_000_000} {
			all := strings.Replace(file, "%", strings.Repeat(comment, size/len(comment)+1), 1)
			for _, r := range []io.Reader{openText(t, all), io.MultiReader(strings.NewReader(all))} {
				m, _, err := load.Reader(t.Context(), r, scenes.ReadOptions{Strict: !strings.Contains(name, "library")})
				if err != nil {
					t.Errorf("%s, comments of %d bytes: %v", name, size, err)
				} else if m.Len() != want.Len() || m.Triangle(0) != want.Triangle(0) {
					t.Errorf("%s, comments of %d bytes: %d triangles, want %d", name, size, m.Len(), want.Len())
				}
			}
		}
	}
}

// TestPackedComments finds a mesh after many comments in an archive.
func TestPackedComments(t *testing.T) {
	off := strings.Replace(commentedTexts()["off"], "%", strings.Repeat(commentOf("off"), 3000), 1)
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	f, err := w.Create("a.txt")
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(f, off)
	w.Close()
	m, _, err := load.Reader(t.Context(), &packed, scenes.ReadOptions{})
	if err != nil || m.Len() != 2 {
		t.Errorf("%v", err)
	}
}

// TestEndlessComments checks that only a small part of a text that consists of comments is read.
func TestEndlessComments(t *testing.T) {
	for _, comment := range []string{"; a\n", "<!-- a\n", "// a\r", "999\na\n"} {
		r := &counted{text: comment}
		_, _, err := load.Reader(t.Context(), r, scenes.ReadOptions{})
		if !errors.Is(err, scenes.ErrUnknownFormat) || r.n > 1<<20+2*format.PrefixSize {
			t.Errorf("%q: read %d bytes: %v", comment, r.n, err)
		}
	}
}

// A counted is an endless text that counts the bytes that are read.
type counted struct {
	text string
	n    int
}

func (c *counted) Read(p []byte) (int, error) {
	if c.n > 1<<26 {
		return 0, fmt.Errorf("read on after %d bytes", c.n)
	}
	for i := range p {
		p[i] = c.text[(c.n+i)%len(c.text)]
	}
	c.n += len(p)
	return len(p), nil
}

// openText opens a new file with the given text. Its name does not reveal the format.
func openText(t *testing.T, text string) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mesh")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}
