package clitest

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Files returns the names of all files and folders below dir, including hidden files.
func Files(t testing.TB, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && path != dir {
			rel, _ := filepath.Rel(dir, path)
			names = append(names, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// WantFiles fails the test unless dir holds exactly the files want, in this order.
func WantFiles(t testing.TB, dir string, want ...string) {
	t.Helper()
	if got := Files(t, dir); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("folder holds %q, want %q", got, want)
	}
}

// Write writes data to a file. If that fails, it ends the test.
func Write(t testing.TB, path, data string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Read returns the contents of a file. If that fails, it ends the test.
func Read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A Triangle has three corners of three coordinates each.
type Triangle [3][3]float32

// STL returns a binary STL file of the triangles.
func STL(triangles []Triangle) string {
	data := make([]byte, 80, 84+50*len(triangles))
	copy(data, "a test mesh")
	data = binary.LittleEndian.AppendUint32(data, uint32(len(triangles)))
	for _, tri := range triangles {
		data = append(data, make([]byte, 12)...) // a zero normal
		for _, corner := range tri {
			for _, c := range corner {
				data = binary.LittleEndian.AppendUint32(data, math.Float32bits(c))
			}
		}
		data = append(data, 0, 0)
	}
	return string(data)
}

// Cube returns the twelve triangles of a cube with the given centre and half
// edge.
func Cube(center [3]float32, half float32) []Triangle {
	var all []Triangle
	for axis := range 3 {
		for _, side := range []float32{-half, half} {
			corner := func(u, v float32) (p [3]float32) {
				p[axis] = center[axis] + side
				p[(axis+1)%3] = center[(axis+1)%3] + u*half
				p[(axis+2)%3] = center[(axis+2)%3] + v*half
				return p
			}
			a, b, c, d := corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)
			if side < 0 {
				b, d = d, b
			}
			all = append(all, Triangle{a, b, c}, Triangle{a, c, d})
		}
	}
	return all
}

// CubeFile writes cube.stl to a new folder, and returns the path of the file. It also returns dir, another new folder,
// which is empty.
func CubeFile(t testing.TB) (dir, path string) {
	t.Helper()
	dir = t.TempDir()
	path = filepath.Join(t.TempDir(), "cube.stl")
	Write(t, path, STL(Cube([3]float32{}, 10)))
	return dir, path
}

// ASCIISTL returns a text STL file that has one solid for each name. Each solid is the same triangle.
func ASCIISTL(solids ...string) string {
	var b strings.Builder
	for _, name := range solids {
		fmt.Fprintf(&b, "solid %s\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 1\nendloop\nendfacet\nendsolid %s\n", name, name)
	}
	return b.String()
}
