package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// TestNoTrianglesOneLine checks that one line states why a mesh has no triangles. The command info prints it too, and
// describes the mesh.
func TestNoTrianglesOneLine(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, filepath.Join(dir, "a.gltf"), gltfOf(jsonObject{"scenes": []jsonObject{{"nodes": []int{}}}}))
	why := "no node of the scene has a mesh"
	for _, c := range []struct {
		code cli.Code
		args string
	}{{cli.Input, "a.gltf -o a.png"}, {cli.Input, "convert a.gltf a.stl"}, {cli.Done, "info a.gltf"}, {cli.Input, "animate --turntable --frames 2 a.gltf -o film"}} {
		r := run(t, dir, "", strings.Fields(c.args)...)
		r.Want(t, c.code, why)
		if strings.Count(r.Stderr, "\n") != 1 {
			t.Errorf("%s: %q", c.args, r.Stderr)
		}
	}
}

// TestManyFaultsInfo checks the number of faults that info prints when some warnings are only counted in a line.
func TestManyFaultsInfo(t *testing.T) {
	for lines, want := range map[string]string{"": "0", "a: x": "1", "a: x|a: y|a: 7 more like this one": "2 and more", "a: x|a: 9 further warnings are not listed": "1 and more"} {
		var m meshInfo
		if lines != "" {
			m.Warnings = strings.Split(lines, "|")
		}
		if n, more := m.countFaults(); fmt.Sprint(n, more) != want {
			t.Errorf("%q: %d%q, want %s", lines, n, more, want)
		}
	}
}
