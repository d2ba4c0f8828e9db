package load

import (
	"os"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/internal/meshtest"
)

// small holds small files of all formats, and one that is not a mesh.
var small = []string{
	"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n",
	"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
	"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
	"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
	"hello\n",
}

// FuzzPacked reads arbitrary packed files, also packed more than once.
func FuzzPacked(f *testing.F) {
	for _, file := range small {
		data := []byte(file)
		f.Add(gzipped(f, data), 7)
		f.Add(zstandard(f, data), 7)
		f.Add(zipped(f, "read me", "hello", "dir/a", file, "b.obj", small[2]), 7)
		f.Add(gzipped(f, zstandard(f, zipped(f, "a", file))), 7)
		f.Add(zipped(f, "a.gz", string(gzipped(f, data))), 7)
	}
	archive, err := os.ReadFile("testdata/seeds/mesh.zip")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(archive, 100)
	f.Fuzz(func(t *testing.T, file []byte, piece int) {
		meshtest.FuzzAny(t, "", file, piece, Formats()...)
	})
}

// FuzzForced reads arbitrary files as a format that the user has named.
func FuzzForced(f *testing.F) {
	names := Names()
	for _, file := range small {
		for i := range names {
			f.Add([]byte(file), 7, uint8(i))
		}
		f.Add(gzipped(f, []byte(file)), 7, uint8(0))
	}
	f.Fuzz(func(t *testing.T, file []byte, piece int, format uint8) {
		name := names[int(format)%len(names)]
		meshtest.FuzzAny(t, name, file, piece, formats(scenes.ReadOptions{Format: name})...)
	})
}
